import type { StoredMessage } from './conversation-ids.js';
import type { ModerationRow } from './data.js';
import type { LoadedRows } from './load.js';
import { compareMessages } from './message-order.js';
import { type GroupRecord, gatherParties, type Parties } from './parties.js';
import { createVisiblePositions } from './visible-positions.js';

/** A conversation: who takes part, and where its messages stand. */
export interface ConversationRecord {
  readonly id: string;
  /** The group whose conversation it is; absent between two users. */
  readonly group?: GroupRecord;
  /** Uids of those who take part: two users, or the members of the group. */
  readonly participants: ReadonlySet<string>;
  /** Positions of its messages, ascending. */
  readonly positions: Uint32Array;
}

/** Everything served that no operation changes, indexed. Positions count into `messages`. */
export interface Store extends Parties {
  /** In order (message-order.ts). */
  readonly messages: readonly StoredMessage[];
  readonly positionOf: ReadonlyMap<string, number>;
  readonly conversations: ReadonlyMap<string, ConversationRecord>;
  /** The conversation of each message, by position: counting over all messages would spend its time in lookups by id. */
  readonly conversationAt: readonly ConversationRecord[];
  /** Conversations that a user takes part in, by uid. */
  readonly conversationsOf: ReadonlyMap<string, readonly ConversationRecord[]>;
  /** Positions of the messages that a user sent, by uid. */
  readonly positionsBySender: ReadonlyMap<string, Uint32Array>;
  /** All positions. */
  readonly everything: Uint32Array;
  /** Positions of all conversations of a user; undefined where they are most of everything. */
  readonly positionsVisibleTo: (uid: string) => Uint32Array | undefined;
  readonly rules: readonly ModerationRow[];
  /** By id; the first of several. */
  readonly ruleById: ReadonlyMap<string, ModerationRow>;
  readonly listById: ReadonlyMap<string, ModerationRow>;
}

/** Builds the store: messages in order, and an index for each question that a listing asks. */
export function createStore(rows: LoadedRows): Store {
  const messages = inOrder(rows.messages);
  const parties = gatherParties(rows.users, rows.groups, messages);
  const conversations = gatherConversations(messages, parties.groups);
  const conversationsOf = byParticipant(conversations.values());
  return {
    ...parties,
    messages,
    positionOf: new Map(messages.map((message, position) => [message.id, position])),
    conversations,
    conversationAt: messages.map(({ conversationId }) => conversations.get(conversationId)!),
    conversationsOf,
    positionsBySender: positionsBy(messages, (message) => message.sender),
    everything: Uint32Array.from(messages.keys()),
    positionsVisibleTo: createVisiblePositions(messages.length, conversationsOf),
    rules: rows.rules,
    ruleById: firstById(rows.rules),
    listById: firstById(rows.lists),
  };
}

/** Data mostly comes in order: seeing that is much cheaper than sorting. */
function inOrder(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const isOrdered = messages.every(
    (message, index) => index === 0 || compareMessages(messages[index - 1]!, message) < 0,
  );
  return isOrdered ? messages : messages.toSorted(compareMessages);
}

function positionsBy(
  messages: readonly StoredMessage[],
  keyOf: (message: StoredMessage) => string,
): Map<string, Uint32Array> {
  const gathered = new Map<string, number[]>();
  for (const [position, message] of messages.entries()) {
    const key = keyOf(message);
    const positions = gathered.get(key);
    if (positions === undefined) gathered.set(key, [position]);
    else positions.push(position);
  }
  return new Map([...gathered].map(([key, positions]) => [key, Uint32Array.from(positions)]));
}

/** One per conversation id of the messages, and one for every group that has no message yet. */
function gatherConversations(
  messages: readonly StoredMessage[],
  groups: ReadonlyMap<string, GroupRecord>,
): Map<string, ConversationRecord> {
  const conversations = new Map<string, ConversationRecord>();
  for (const [id, positions] of positionsBy(messages, (message) => message.conversationId)) {
    const first = messages[positions[0]!]!;
    const group = first.receiverType === 'group' ? groups.get(first.receiver) : undefined;
    conversations.set(
      id,
      group === undefined
        ? { id, participants: new Set([first.sender, first.receiver]), positions }
        : { id, group, participants: new Set(group.members.keys()), positions },
    );
  }
  for (const group of groups.values()) {
    const id = group.conversationId;
    if (conversations.has(id)) continue;
    conversations.set(id, { id, group, participants: new Set(group.members.keys()), positions: new Uint32Array() });
  }
  return conversations;
}

function byParticipant(conversations: Iterable<ConversationRecord>): Map<string, ConversationRecord[]> {
  const gathered = new Map<string, ConversationRecord[]>();
  for (const conversation of conversations) {
    for (const uid of conversation.participants) {
      const theirs = gathered.get(uid);
      if (theirs === undefined) gathered.set(uid, [conversation]);
      else theirs.push(conversation);
    }
  }
  return gathered;
}

function firstById(rows: readonly ModerationRow[]): Map<string, ModerationRow> {
  const byId = new Map<string, ModerationRow>();
  for (const row of rows) if (!byId.has(row.id)) byId.set(row.id, row);
  return byId;
}

/** The one-to-one conversation of two users; of several, the one that was last written in. */
export function conversationBetween(store: Store, one: string, other: string): ConversationRecord | undefined {
  let latest: ConversationRecord | undefined;
  for (const conversation of store.conversationsOf.get(one) ?? []) {
    if (conversation.group !== undefined || !conversation.participants.has(other)) continue;
    if (latest === undefined || conversation.positions.at(-1)! > latest.positions.at(-1)!) latest = conversation;
  }
  return latest;
}

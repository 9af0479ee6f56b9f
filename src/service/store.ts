import type { LoadedRows } from './load.js';
import type { MessageTable } from './message-table.js';
import { createModeration, type Moderation } from './moderation.js';
import { type GroupRecord, gatherParties, type Parties } from './parties.js';
import { nowhere, positionsByKey } from './positions.js';
import { createVisiblePositions } from './visible-positions.js';

/** A conversation: who takes part, and where its messages stand. */
export interface ConversationRecord {
  readonly id: string;
  /** Its number in the column of conversations; those without messages come after all that have some. */
  readonly number: number;
  /** The group whose conversation it is; absent between two users. */
  readonly group?: GroupRecord;
  /** Uids of those who take part: two users, or the members of the group. */
  readonly participants: ReadonlySet<string>;
  /** Positions of its messages, ascending. */
  readonly positions: Uint32Array;
}

/** Everything served that no operation changes, indexed. Positions count into `messages`. */
export interface Store extends Parties, Moderation {
  /** In order (message-order.ts). */
  readonly messages: MessageTable;
  readonly conversations: ReadonlyMap<string, ConversationRecord>;
  /** By the numbers of the table. */
  readonly conversationList: readonly ConversationRecord[];
  /** The conversation of the message at a position. */
  readonly conversationAt: (position: number) => ConversationRecord;
  /** Conversations that a user takes part in, by uid. */
  readonly conversationsOf: ReadonlyMap<string, readonly ConversationRecord[]>;
  /** Positions of the messages that a user sent. */
  readonly positionsBySender: (uid: string) => Uint32Array;
  /** All positions. */
  readonly everything: Uint32Array;
  /** Positions of all conversations of a user; undefined where they are most of everything. */
  readonly positionsVisibleTo: (uid: string) => Uint32Array | undefined;
}

/** Builds the store: an index for each question that a listing asks. */
export function createStore(rows: LoadedRows): Store {
  const { messages } = rows;
  const groups = rows.groups.map(({ row }) => row);
  const parties = gatherParties(rows.users, groups, messages);
  const conversationList = gatherConversations(messages, parties.groups);
  const conversationsOf = byParticipant(conversationList);
  const bySender = positionsByKey(messages.columns.sender, messages.senders.list.length);
  const { conversation } = messages.columns;
  return {
    ...parties,
    ...createModeration(rows.rules, rows.lists),
    messages,
    conversations: new Map(conversationList.map((record) => [record.id, record])),
    conversationList,
    conversationAt: (position) => conversationList[conversation[position]!]!,
    conversationsOf,
    positionsBySender: (uid) => bySender[messages.senders.find(uid) ?? -1] ?? nowhere,
    everything: new Uint32Array(messages.size).map((_, position) => position),
    positionsVisibleTo: createVisiblePositions(messages.size, conversationsOf),
  };
}

/** One per conversation of the messages, and one for every group that has no message yet. */
function gatherConversations(messages: MessageTable, groups: ReadonlyMap<string, GroupRecord>): ConversationRecord[] {
  const positions = positionsByKey(messages.columns.conversation, messages.conversations.length);
  const written = messages.conversations.map(({ id, receiverType, one, other }, number): ConversationRecord => {
    const group = receiverType === 'group' ? groups.get(other) : undefined;
    if (group !== undefined) return ofGroup(group, number, positions[number]!);
    return { id, number, participants: new Set([one, other]), positions: positions[number]! };
  });
  const ids = new Set(written.map(({ id }) => id));
  const silent = [...groups.values()].filter(({ conversationId }) => !ids.has(conversationId));
  return [...written, ...silent.map((group, index) => ofGroup(group, written.length + index, nowhere))];
}

function ofGroup(group: GroupRecord, number: number, positions: Uint32Array): ConversationRecord {
  return { id: group.conversationId, number, group, participants: new Set(group.members.keys()), positions };
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

/** The one-to-one conversation of two users; of several, the one that was last written in. */
export function conversationBetween(store: Store, one: string, other: string): ConversationRecord | undefined {
  let latest: ConversationRecord | undefined;
  for (const conversation of store.conversationsOf.get(one) ?? []) {
    if (conversation.group !== undefined || !conversation.participants.has(other)) continue;
    if (latest === undefined || conversation.positions.at(-1)! > latest.positions.at(-1)!) latest = conversation;
  }
  return latest;
}

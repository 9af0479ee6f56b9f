/** Everything that is served and that no operation changes: messages in their one order, and who talks where. */
import { type GroupRecord, gatherParties, type Parties, type StoredMessage } from './parties.js';
import type { GroupRow, ModerationRow, UserRow } from './rows.js';

/** A conversation: who takes part, and where its messages stand. */
export interface Conversation {
  readonly id: string;
  /** The group whose conversation it is; absent between two users. */
  readonly group?: GroupRecord;
  /** Uids of those who take part: two users, or the members of the group. */
  readonly participants: ReadonlySet<string>;
  /** Positions of its messages, ascending. */
  readonly positions: readonly number[];
}

/** The rules and keyword lists that are served: those of the data, or those of a revision. */
export interface Moderation {
  readonly rules: readonly ModerationRow[];
  /** By id; the first of several. */
  readonly ruleById: ReadonlyMap<string, ModerationRow>;
  readonly listById: ReadonlyMap<string, ModerationRow>;
}

/** The store. A position is an index into `messages`. */
export interface Store extends Parties {
  /** Ascending by `sentAt`, then by numeric id. */
  readonly messages: readonly StoredMessage[];
  /** All positions. */
  readonly positions: readonly number[];
  readonly positionOf: (messageId: string) => number | undefined;
  /** By id: those of all messages, and one for every group that has no message yet. */
  readonly conversations: ReadonlyMap<string, Conversation>;
  /** Those that a user takes part in. */
  readonly conversationsOf: (uid: string) => readonly Conversation[];
}

/** Orders messages and indexes them by id and by conversation; rows may be in any order. */
export function createStore(
  users: readonly UserRow[],
  groups: readonly GroupRow[],
  messageRows: readonly StoredMessage[],
): Store {
  // Data mostly stands in order already, which is much cheaper seen than sorted.
  const isOrdered = messageRows.every((row, index) => index === 0 || compareMessages(messageRows[index - 1]!, row) < 0);
  const messages = isOrdered ? messageRows : messageRows.toSorted(compareMessages);
  const parties = gatherParties(users, groups, messages);
  const byId = new Map(messages.map(({ id }, position) => [id, position]));
  const conversations = gatherConversations(messages, parties.groups);
  const ofUser = new Map<string, Conversation[]>();
  for (const conversation of conversations.values()) {
    for (const uid of conversation.participants) {
      const theirs = ofUser.get(uid) ?? [];
      theirs.push(conversation);
      ofUser.set(uid, theirs);
    }
  }
  return {
    ...parties,
    messages,
    positions: [...messages.keys()],
    positionOf: (id) => byId.get(id),
    conversations,
    conversationsOf: (uid) => ofUser.get(uid) ?? [],
  };
}

/** Indexes rules and lists. */
export function createModeration(rules: readonly ModerationRow[], lists: readonly ModerationRow[]): Moderation {
  const firstById = (rows: readonly ModerationRow[]) => new Map(rows.toReversed().map((row) => [row.id, row]));
  return { rules, ruleById: firstById(rules), listById: firstById(lists) };
}

type Ordered = Pick<StoredMessage, 'sentAt' | 'id'>;

/** Compares two messages by their order. Ids may be longer than a number holds exactly. */
export function compareMessages(one: Ordered, other: Ordered): number {
  if (one.sentAt !== other.sentAt) return one.sentAt - other.sentAt;
  return one.id.length - other.id.length || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** The first index of ascending values at which `isReached` holds; it must not hold before and must hold after. */
export function firstIndex<Value>(values: readonly Value[], isReached: (value: Value) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(values[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function gatherConversations(
  messages: readonly StoredMessage[],
  groups: ReadonlyMap<string, GroupRecord>,
): ReadonlyMap<string, Conversation> {
  const conversations = new Map<string, Conversation & { readonly positions: number[] }>();
  for (const group of groups.values()) {
    const { conversationId: id, members } = group;
    conversations.set(id, { id, group, participants: new Set(members.keys()), positions: [] });
  }
  for (const [position, { conversationId: id, sender, receiver }] of messages.entries()) {
    let conversation = conversations.get(id);
    if (conversation === undefined) {
      conversation = { id, participants: new Set([sender, receiver]), positions: [] };
      conversations.set(id, conversation);
    }
    conversation.positions.push(position);
  }
  return conversations;
}

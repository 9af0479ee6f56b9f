/**
 * The served data: messages in order, conversations and their participants, and rules and keyword
 * lists.
 */
import { ShapeError } from '../../foundation/errors.js';
import type { Group } from '../contract/group.js';
import type { User } from '../contract/user.js';
import type { GroupRow, MemberRow, MessageRow, ModerationRow, UserRow } from './rows.js';

/** A user: the wire form, and the users that they have blocked. */
export interface UserRecord {
  readonly uid: string;
  readonly wire: User;
  readonly blocked: ReadonlySet<string>;
}

/** A group: the wire form without acting-user fields, and its members. */
export interface GroupRecord {
  readonly guid: string;
  readonly conversationId: string;
  readonly wire: Group;
  readonly members: ReadonlyMap<string, MemberRow>;
}

/** A message that names its conversation. */
export type StoredMessage = MessageRow & { readonly conversationId: string };

/** A conversation: its participants, and the positions of its messages. */
export interface Conversation {
  readonly id: string;
  /** The group whose conversation it is; absent between two users. */
  readonly group?: GroupRecord;
  /** Uids of those who take part: two users, or the members of the group. */
  readonly participants: ReadonlySet<string>;
  /** Positions of its messages, ascending. */
  readonly positions: readonly number[];
}

/**
 * A group as messages show it: its conversation, and the senders of its messages, without actions.
 */
interface SeenGroup {
  readonly id: string;
  readonly senders: Map<string, MemberRow>;
}

/**
 * Users, groups, messages and conversations. A position is an index into `messages`. Every user and
 * group that rows or messages name can be fetched: one without a row has its id as name, and was
 * created when the first message named it; a group without members in its row has the senders of
 * its messages. Rows may be in any order.
 */
export class Store {
  /** Users by uid. */
  readonly users: ReadonlyMap<string, UserRecord>;
  /** Groups by guid. */
  readonly groups: ReadonlyMap<string, GroupRecord>;
  /** Ascending by `sentAt`, then by numeric id. */
  readonly messages: readonly StoredMessage[];
  /** All positions. */
  readonly positions: readonly number[];
  /** Conversations of messages by id, and one for each group without a message yet. */
  readonly conversations: ReadonlyMap<string, Conversation>;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #ofUser = new Map<string, Conversation[]>();

  constructor(userRows: readonly UserRow[], groupRows: readonly GroupRow[], messageRows: readonly StoredMessage[]) {
    this.messages = messageRows.toSorted(compareMessages);
    this.positions = [...this.messages.keys()];
    this.#positions = new Map(this.messages.map(({ id }, position) => [id, position]));
    const users = new Map(userRows.map((row) => [row.uid, row]));
    const groups = new Map(groupRows.map((row) => [row.guid, row]));
    const { seen, positionsOf } = this.#lookThrough(users, groups);
    this.users = new Map(
      [...users].map(([uid, { blocked, ...wire }]) => [uid, { uid, wire, blocked: new Set(blocked) }]),
    );
    this.groups = new Map([...groups].map(([guid, row]) => [guid, groupOf(row, seen.get(guid))]));
    this.conversations = this.#conversationsOf(positionsOf);
    for (const conversation of this.conversations.values()) {
      for (const uid of conversation.participants) push(this.#ofUser, uid, conversation);
    }
  }

  positionOf(messageId: string): number | undefined {
    return this.#positions.get(messageId);
  }

  /** Returns the conversations that a user takes part in. */
  conversationsOf(uid: string): readonly Conversation[] {
    return this.#ofUser.get(uid) ?? [];
  }

  /**
   * Adds the users and groups that only members and messages name; returns groups and conversations
   * as messages show them.
   */
  #lookThrough(users: Map<string, UserRow>, groups: Map<string, GroupRow>) {
    const nameUser = (uid: string, createdAt: number | undefined): void => {
      if (!users.has(uid)) users.set(uid, { uid, name: uid, status: 'offline', role: 'default', createdAt });
    };
    for (const { members = [] } of groups.values()) for (const { uid, joinedAt } of members) nameUser(uid, joinedAt);
    const seen = new Map<string, SeenGroup>();
    const positionsOf = new Map<string, number[]>();
    for (const [position, message] of this.messages.entries()) {
      const { sender, receiver: guid, receiverType, conversationId: id, category, sentAt } = message;
      push(positionsOf, id, position);
      nameUser(sender, sentAt);
      if (receiverType === 'user') {
        nameUser(guid, sentAt);
        continue;
      }
      if (!groups.has(guid)) groups.set(guid, { guid, name: guid, type: 'public', createdAt: sentAt });
      const group = seen.get(guid) ?? { id, senders: new Map<string, MemberRow>() };
      seen.set(guid, group);
      if (category !== 'action' && !group.senders.has(sender))
        group.senders.set(sender, { uid: sender, joinedAt: sentAt });
    }
    return { seen, positionsOf };
  }

  #conversationsOf(positionsOf: ReadonlyMap<string, readonly number[]>): ReadonlyMap<string, Conversation> {
    const conversations = new Map<string, Conversation>();
    for (const group of this.groups.values()) {
      const { conversationId: id, members } = group;
      const positions = positionsOf.get(id) ?? [];
      conversations.set(id, { id, group, participants: new Set(members.keys()), positions });
    }
    for (const [id, positions] of positionsOf) {
      const { sender, receiver } = this.messages[positions[0]!]!;
      if (!conversations.has(id)) conversations.set(id, { id, participants: new Set([sender, receiver]), positions });
    }
    return conversations;
  }
}

function groupOf(row: GroupRow, seen: SeenGroup | undefined): GroupRecord {
  // `scope`, `joinedAt` and `hasJoined` belong to the acting user (`groupFor`), so a row's own are
  // dropped.
  const { members: listed, scope: _scope, joinedAt: _joinedAt, hasJoined: _hasJoined, ...rest } = row;
  const conversationId = row.conversationId ?? seen?.id ?? `group_${row.guid}`;
  const senders: ReadonlyMap<string, MemberRow> = seen?.senders ?? new Map();
  const members = listed === undefined ? senders : new Map(listed.map((member) => [member.uid, member]));
  const wire = { ...rest, membersCount: row.membersCount ?? members.size, conversationId };
  return { guid: row.guid, conversationId, wire, members };
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** Rules or keyword lists by id, in order. Of several rows with the same id the first counts. */
export class ModerationRows {
  #all: readonly ModerationRow[];

  constructor(rows: readonly ModerationRow[]) {
    this.#all = rows;
  }

  get all(): readonly ModerationRow[] {
    return this.#all;
  }

  get(id: string): ModerationRow | undefined {
    return this.#all.find((row) => row.id === id);
  }

  add(row: ModerationRow): void {
    this.#all = [...this.#all, row];
  }

  /** Replaces a row, or removes it. */
  replace(old: ModerationRow, row: ModerationRow | undefined): void {
    this.#all = this.#all.flatMap((each) => (each === old ? (row ?? []) : each));
  }
}

type Ordered = Pick<StoredMessage, 'sentAt' | 'id'>;

/** Compares two messages by their order. Ids may be longer than a number holds exactly. */
export function compareMessages(left: Ordered, right: Ordered): number {
  if (left.sentAt !== right.sentAt) return left.sentAt - right.sentAt;
  return left.id.length - right.id.length || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0);
}

/**
 * Returns the first index of ascending values at which `isReached` holds; it must not hold before
 * and must hold after.
 */
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

/**
 * Returns a function that gives a row its conversation (§2.3), and derives the id if it is missing;
 * `source` names the row in an error. A conversation is between the same parties in all its
 * messages and a group has one conversation, or who may see what would depend on the order of rows:
 * anything else is a `ShapeError`.
 */
export function createConversationAssignment(groups: readonly GroupRow[]) {
  const partiesOf = new Map<string, string>();
  const ofGroup = new Map<string, string>();
  for (const { guid, conversationId } of groups) if (conversationId !== undefined) ofGroup.set(guid, conversationId);
  return (row: MessageRow, source: string): StoredMessage => {
    const { sender, receiver, receiverType } = row;
    const isGroup = receiverType === 'group';
    const [first, second] = sender < receiver ? [sender, receiver] : [receiver, sender];
    const derived = isGroup ? (ofGroup.get(receiver) ?? `group_${receiver}`) : `${first}_user_${second}`;
    const id = row.conversationId ?? derived;
    if (isGroup && ofGroup.has(receiver) && id !== derived) {
      throw new ShapeError(source, 'conversationId', `must be \`${derived}\`, the one of its group`);
    }
    if (isGroup) ofGroup.set(receiver, id);
    // The lengths distinguish pairs of unusual uids whose derived ids would be equal.
    const parties = isGroup ? `group ${receiver}` : `${first.length} ${first} ${second}`;
    if ((partiesOf.get(id) ?? parties) !== parties) {
      throw new ShapeError(source, 'conversationId', `names a conversation of other parties, \`${id}\``);
    }
    partiesOf.set(id, parties);
    return Object.assign(row, { conversationId: id });
  };
}

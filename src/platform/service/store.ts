/** Everything that is served and that no operation changes: messages in their one order, and who talks where. */

import { ShapeError } from '../../foundation/errors.js';
import type { Group } from '../contract/group.js';
import type { User } from '../contract/user.js';
import type { GroupRow, MemberRow, MessageRow, ModerationRow, UserRow } from './rows.js';

/** A user: the wire form, and whom they have blocked. */
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

/** The store. A position is an index into `messages`. */
export type Store = ReturnType<typeof createStore>;

/**
 * Orders messages, indexes them by id and by conversation, and gathers every user and group that rows give or messages, in order,
 * name, so that each can be fetched. One without a row has its id as name and was created when the first message named it; a group
 * without members in its row has the senders of its messages, actions aside. Rows may be in any order.
 */
export function createStore(
  userRows: readonly UserRow[],
  groupRows: readonly GroupRow[],
  messageRows: readonly StoredMessage[],
) {
  // Data mostly stands in order already, which is much cheaper seen than sorted.
  const isOrdered = messageRows.every((row, index) => index === 0 || compareMessages(messageRows[index - 1]!, row) < 0);
  const messages = isOrdered ? messageRows : messageRows.toSorted(compareMessages);
  const named = new Map(userRows.map((row) => [row.uid, row]));
  const nameUser = (uid: string, createdAt: number | undefined): void => {
    if (!named.has(uid)) named.set(uid, { uid, name: uid, status: 'offline', role: 'default', createdAt });
  };
  for (const { uid, joinedAt } of groupRows.flatMap(({ members = [] }) => members)) nameUser(uid, joinedAt);
  const namedGroups = new Map(groupRows.map((row) => [row.guid, row]));
  const written = new Map<string, { readonly id: string; readonly senders: Map<string, MemberRow> }>();
  const positionsOf = new Map<string, number[]>();
  for (const [position, message] of messages.entries()) {
    const { sender, receiver, receiverType, conversationId: id, category, sentAt } = message;
    const positions = positionsOf.get(id);
    if (positions === undefined) positionsOf.set(id, [position]);
    else positions.push(position);
    nameUser(sender, sentAt);
    if (receiverType === 'user') {
      nameUser(receiver, sentAt);
      continue;
    }
    if (!namedGroups.has(receiver)) {
      namedGroups.set(receiver, { guid: receiver, name: receiver, type: 'public', createdAt: sentAt });
    }
    const group = written.get(receiver) ?? { id, senders: new Map<string, MemberRow>() };
    written.set(receiver, group);
    if (category !== 'action' && !group.senders.has(sender))
      group.senders.set(sender, { uid: sender, joinedAt: sentAt });
  }

  const users = new Map<string, UserRecord>();
  for (const [uid, { blocked, ...wire }] of named) users.set(uid, { uid, wire, blocked: new Set(blocked) });
  const groups = new Map<string, GroupRecord>();
  const conversations = new Map<string, Conversation>();
  for (const [guid, row] of namedGroups) {
    // `scope`, `joinedAt` and `hasJoined` belong to the acting user (`groupFor`), so a row's own are dropped.
    const { members: listed, scope: _scope, joinedAt: _joinedAt, hasJoined: _hasJoined, ...rest } = row;
    const { id, senders = new Map<string, MemberRow>() } = written.get(guid) ?? {};
    const conversationId = row.conversationId ?? id ?? `group_${guid}`;
    const members = listed === undefined ? senders : new Map(listed.map((member) => [member.uid, member]));
    const wire = { ...rest, membersCount: row.membersCount ?? members.size, conversationId };
    const group = { guid, conversationId, wire, members };
    groups.set(guid, group);
    const participants = new Set(members.keys());
    conversations.set(conversationId, {
      id: conversationId,
      group,
      participants,
      positions: positionsOf.get(conversationId) ?? [],
    });
  }
  for (const [id, positions] of positionsOf) {
    const { sender, receiver } = messages[positions[0]!]!;
    if (!conversations.has(id)) conversations.set(id, { id, participants: new Set([sender, receiver]), positions });
  }
  const ofUser = new Map<string, Conversation[]>();
  for (const conversation of conversations.values()) {
    for (const uid of conversation.participants) {
      const theirs = ofUser.get(uid) ?? [];
      theirs.push(conversation);
      ofUser.set(uid, theirs);
    }
  }
  const byId = new Map(messages.map(({ id }, position) => [id, position]));
  return {
    /** By uid. */
    users: users as ReadonlyMap<string, UserRecord>,
    /** By guid. */
    groups: groups as ReadonlyMap<string, GroupRecord>,
    /** Ascending by `sentAt`, then by numeric id. */
    messages,
    /** All positions. */
    positions: [...messages.keys()] as readonly number[],
    positionOf: (messageId: string): number | undefined => byId.get(messageId),
    /** By id: those of all messages, and one for every group that has no message yet. */
    conversations: conversations as ReadonlyMap<string, Conversation>,
    /** Those that a user takes part in. */
    conversationsOf: (uid: string): readonly Conversation[] => ofUser.get(uid) ?? [],
  };
}

/** Rules or keyword lists, in order. Of several rows with one id the first counts. */
export class ModerationRows {
  #all: readonly ModerationRow[] = [];
  #byId: ReadonlyMap<string, ModerationRow> = new Map();

  constructor(rows: readonly ModerationRow[]) {
    this.all = rows;
  }

  get all(): readonly ModerationRow[] {
    return this.#all;
  }

  set all(rows: readonly ModerationRow[]) {
    this.#all = rows;
    this.#byId = new Map(rows.toReversed().map((row) => [row.id, row]));
  }

  get(id: string): ModerationRow | undefined {
    return this.#byId.get(id);
  }

  /** Puts a row in the place of an old one, or none. */
  replace(old: ModerationRow, row: ModerationRow | undefined): void {
    this.all = this.all.flatMap((one) => (one !== old ? [one] : row === undefined ? [] : [row]));
  }
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

/**
 * Makes a function that gives a row its conversation (§2.3), with an id derived where it has none; `source` names the row in an
 * error. A conversation is between the same parties in all its messages and a group has one conversation, or who may see what
 * would hang on the order of rows: anything else is a `ShapeError`.
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
    // The lengths tell apart what the derived id of odd uids would not.
    const parties = isGroup ? `group ${receiver}` : `${first.length} ${first} ${second}`;
    if ((partiesOf.get(id) ?? parties) !== parties) {
      throw new ShapeError(source, 'conversationId', `names a conversation of other parties, \`${id}\``);
    }
    partiesOf.set(id, parties);
    return Object.assign(row, { conversationId: id });
  };
}

/** Users, groups and conversations as the service holds them: what is served apart from what never is. */
import type { Group } from '../contract/group.js';
import type { User } from '../contract/user.js';
import { ShapeError } from '../errors.js';
import type { GroupRow, MemberRow, MessageRow, UserRow } from './rows.js';

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

/** All of them, by uid and by guid. */
export interface Parties {
  readonly users: ReadonlyMap<string, UserRecord>;
  readonly groups: ReadonlyMap<string, GroupRecord>;
}

/** A message that names its conversation. */
export type StoredMessage = MessageRow & { readonly conversationId: string };

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
      throw new ShapeError(source, 'conversationId', `should be \`${derived}\`, the one of its group`);
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

/**
 * Every user and group that rows give or messages, in order, name, so that each can be fetched. One without a row has its id as
 * name and was created when the first message named it; a group without members in its row has the senders of its messages,
 * actions aside.
 */
export function gatherParties(
  userRows: readonly UserRow[],
  groupRows: readonly GroupRow[],
  messages: readonly StoredMessage[],
): Parties {
  const users = new Map(userRows.map((row) => [row.uid, row]));
  const groups = new Map(groupRows.map((row) => [row.guid, row]));
  const written = new Map<string, { conversationId: string; senders: Map<string, MemberRow> }>();
  const nameUser = (uid: string, createdAt: number | undefined): void => {
    if (!users.has(uid)) users.set(uid, { uid, name: uid, status: 'offline', role: 'default', createdAt });
  };
  for (const { uid, joinedAt } of groupRows.flatMap(({ members = [] }) => members)) nameUser(uid, joinedAt);
  for (const { sender, receiver, receiverType, conversationId, category, sentAt } of messages) {
    nameUser(sender, sentAt);
    if (receiverType === 'user') nameUser(receiver, sentAt);
    else {
      if (!groups.has(receiver)) {
        groups.set(receiver, { guid: receiver, name: receiver, type: 'public', createdAt: sentAt });
      }
      const group = written.get(receiver) ?? { conversationId, senders: new Map() };
      written.set(receiver, group);
      if (category !== 'action' && !group.senders.has(sender))
        group.senders.set(sender, { uid: sender, joinedAt: sentAt });
    }
  }
  const userRecords = [...users.values()].map(({ blocked, ...wire }): UserRecord => {
    return { uid: wire.uid, wire, blocked: new Set(blocked) };
  });
  const groupRecords = [...groups.values()].map((row): GroupRecord => {
    // `scope`, `joinedAt` and `hasJoined` belong to the acting user (`groupFor`), so a row's own are dropped.
    const { members: listed, scope: _scope, joinedAt: _joinedAt, hasJoined: _hasJoined, ...rest } = row;
    const { guid } = row;
    const conversationId = row.conversationId ?? written.get(guid)?.conversationId ?? `group_${guid}`;
    const members =
      listed === undefined
        ? (written.get(guid)?.senders ?? new Map<string, MemberRow>())
        : new Map(listed.map((member) => [member.uid, member]));
    const wire = { ...rest, membersCount: row.membersCount ?? members.size, conversationId };
    return { guid, conversationId, wire, members };
  });
  return {
    users: new Map(userRecords.map((record) => [record.uid, record])),
    groups: new Map(groupRecords.map((record) => [record.guid, record])),
  };
}

/** A group as an acting user sees it (§2.2); without one, as it stands. */
export function groupFor(group: GroupRecord, actor: UserRecord | undefined): Group {
  if (actor === undefined) return group.wire;
  const member = group.members.get(actor.uid);
  if (member === undefined) return { ...group.wire, hasJoined: false };
  const { scope = 'participant', joinedAt } = member;
  return { ...group.wire, scope, ...(joinedAt === undefined ? {} : { joinedAt }), hasJoined: true };
}

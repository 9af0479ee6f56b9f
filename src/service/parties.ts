/** Users and groups as the service holds them: what is served apart from what never is. */
import type { Group } from '../contract/group.js';
import type { User } from '../contract/user.js';
import type { StoredMessage } from './conversation-ids.js';
import { groupConversationId } from './conversation-ids.js';
import type { GroupRow, MemberRow, UserRow } from './data.js';

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

/**
 * Every user and group that rows give or messages name, so that each can be fetched. One without a row has its id as name and
 * was created when the first message named it. `messages` in order.
 */
export function gatherParties(
  users: readonly UserRow[],
  groups: readonly GroupRow[],
  messages: readonly StoredMessage[],
): Parties {
  const userRows = new Map(users.map((row) => [row.uid, row]));
  const groupRows = new Map(groups.map((row) => [row.guid, row]));
  const senders = new Map<string, Map<string, MemberRow>>();
  const conversationIds = new Map<string, string>();

  const nameUser = (uid: string, createdAt: number | undefined): void => {
    if (!userRows.has(uid)) userRows.set(uid, { uid, name: uid, status: 'offline', role: 'default', createdAt });
  };
  const nameGroup = (guid: string, createdAt: number): void => {
    if (!groupRows.has(guid)) groupRows.set(guid, { guid, name: guid, type: 'public', createdAt });
  };

  for (const { uid, joinedAt } of groups.flatMap((group) => group.members ?? [])) nameUser(uid, joinedAt);
  for (const message of messages) {
    const { sender, receiver, sentAt } = message;
    nameUser(sender, sentAt);
    if (message.receiverType === 'group') {
      nameGroup(receiver, sentAt);
      conversationIds.set(receiver, message.conversationId);
      if (message.category !== 'action') addSender(senders, receiver, { uid: sender, joinedAt: sentAt });
    } else nameUser(receiver, sentAt);
  }

  const records = [...groupRows.values()].map((row) => {
    const members = row.members ? membersOf(row.members) : (senders.get(row.guid) ?? new Map<string, MemberRow>());
    const conversationId = row.conversationId ?? conversationIds.get(row.guid) ?? groupConversationId(row.guid);
    return groupRecord(row, members, conversationId);
  });
  return {
    users: new Map([...userRows].map(([uid, row]) => [uid, userRecord(row)])),
    groups: new Map(records.map((record) => [record.guid, record])),
  };
}

function addSender(senders: Map<string, Map<string, MemberRow>>, guid: string, sender: MemberRow): void {
  const members = senders.get(guid) ?? new Map<string, MemberRow>();
  if (!members.has(sender.uid)) members.set(sender.uid, sender);
  senders.set(guid, members);
}

function membersOf(rows: readonly MemberRow[]): ReadonlyMap<string, MemberRow> {
  return new Map(rows.map((row) => [row.uid, row]));
}

function userRecord({ blocked, ...wire }: UserRow): UserRecord {
  return { uid: wire.uid, wire, blocked: new Set(blocked) };
}

/** `scope`, `joinedAt` and `hasJoined` belong to whoever asks (`groupFor`), so a row's own are dropped. */
function groupRecord(row: GroupRow, members: ReadonlyMap<string, MemberRow>, conversationId: string): GroupRecord {
  const { members: _members, scope: _scope, joinedAt: _joinedAt, hasJoined: _hasJoined, ...rest } = row;
  const wire: Group = { ...rest, membersCount: row.membersCount ?? members.size, conversationId };
  return { guid: row.guid, conversationId, wire, members };
}

/** A group as an acting user sees it (§2.2); without one, as it stands. */
export function groupFor(group: GroupRecord, actor: UserRecord | undefined): Group {
  if (actor === undefined) return group.wire;
  const member = group.members.get(actor.uid);
  if (member === undefined) return { ...group.wire, hasJoined: false };
  const { scope = 'participant', joinedAt } = member;
  return { ...group.wire, scope, ...(joinedAt === undefined ? {} : { joinedAt }), hasJoined: true };
}

/** Users and groups as the service holds them: what is served apart from what never is. */
import type { Group } from '../contract/group.js';
import type { User } from '../contract/user.js';
import { groupConversationId } from './conversation-ids.js';
import type { GroupRow, MemberRow, UserRow } from './data.js';
import { flag } from './message-flags.js';
import type { MessageTable } from './message-table.js';

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
 * was created when the first message named it.
 */
export function gatherParties(users: readonly UserRow[], groups: readonly GroupRow[], messages: MessageTable): Parties {
  const userRows = new Map(users.map((row) => [row.uid, row]));
  const groupRows = new Map(groups.map((row) => [row.guid, row]));
  const nameUser = (uid: string, createdAt: number | undefined): void => {
    if (!userRows.has(uid)) userRows.set(uid, { uid, name: uid, status: 'offline', role: 'default', createdAt });
  };
  for (const { uid, joinedAt } of groups.flatMap((group) => group.members ?? [])) nameUser(uid, joinedAt);
  const conversationIds = new Map<string, string>();
  for (const { sentAt, sender, conversation } of firstMentions(messages)) {
    nameUser(sender, sentAt);
    if (conversation === undefined) continue;
    const { id, receiverType, other, one } = conversation;
    if (receiverType === 'group') {
      if (!groupRows.has(other)) groupRows.set(other, { guid: other, name: other, type: 'public', createdAt: sentAt });
      conversationIds.set(other, id);
    } else {
      nameUser(one, sentAt);
      nameUser(other, sentAt);
    }
  }
  const senders = gatherSenders(messages, (guid) => groupRows.get(guid)?.members === undefined);

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

/** The messages that are the first of their sender or of their conversation, which goes with those that are its first. */
function* firstMentions({ size, columns, conversations, senders, senderAt }: MessageTable) {
  const knownSenders = new Uint8Array(senders.list.length);
  const knownConversations = new Uint8Array(conversations.length);
  for (let position = 0; position < size; position += 1) {
    const sender = columns.sender[position]!;
    const conversation = columns.conversation[position]!;
    const isFirst = knownConversations[conversation] === 0;
    if (!isFirst && knownSenders[sender] === 1) continue;
    knownSenders[sender] = 1;
    knownConversations[conversation] = 1;
    yield {
      sentAt: columns.sentAt[position]!,
      sender: senderAt(position),
      conversation: isFirst ? conversations[conversation] : undefined,
    };
  }
}

/** By guid, for the groups that are asked for: who wrote there, and when first. Actions are not written. */
function gatherSenders(
  messages: MessageTable,
  isAsked: (guid: string) => boolean,
): ReadonlyMap<string, ReadonlyMap<string, MemberRow>> {
  const { size, columns, conversations, has, senderAt } = messages;
  const gathered = conversations.map(({ receiverType, other }) =>
    receiverType === 'group' && isAsked(other) ? new Map<string, MemberRow>() : undefined,
  );
  for (let position = 0; position < size; position += 1) {
    const members = gathered[columns.conversation[position]!];
    if (members === undefined || has(position, flag.action)) continue;
    const uid = senderAt(position);
    if (!members.has(uid)) members.set(uid, { uid, joinedAt: columns.sentAt[position]! });
  }
  return new Map(gathered.flatMap((members, number) => (members ? [[conversations[number]!.other, members]] : [])));
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

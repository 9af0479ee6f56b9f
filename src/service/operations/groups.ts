/** Get group, and mark a group conversation as read or as unread (§4.3, §4.5, §4.6). */
import { groupFor } from '../embed.js';
import { problems } from '../errors.js';
import type { Conversation, GroupRecord, Store, UserRecord } from '../store.js';
import type { OperationHandler } from './operation.js';

export const getGroup: OperationHandler<'getGroup'> = ({ path: { guid }, actor }, { store }) => ({
  data: groupFor(groupOf(guid, store), actor),
});

export const markAsRead: OperationHandler<'markAsRead'> = ({ path: { guid }, actor, body }, { store, markers }) => {
  const group = groupOf(guid, store);
  demandMember(actor, group);
  const conversation = conversationOfGroup(group, store);
  const { messageId } = body;
  const position = positionIn(conversation, messageId, store) ?? conversation.positions.at(-1) ?? -1;
  markers.advance(conversation, actor.uid, position);
  const upTo = messageId === undefined ? 'all messages of the group' : `the messages of the group up to ${messageId}`;
  return { data: { success: true, message: `${upTo} are marked as read for ${actor.uid}` } };
};

/** Without an acting user it holds for all members. */
export const markAsUnread: OperationHandler<'markAsUnread'> = ({ path: { guid }, actor, body }, { store, markers }) => {
  const group = groupOf(guid, store);
  if (actor !== undefined) demandMember(actor, group);
  const conversation = conversationOfGroup(group, store);
  const { messageId } = body;
  const position = positionIn(conversation, messageId, store) ?? -1;
  const readers = actor === undefined ? group.members.keys() : [actor.uid];
  for (const uid of readers) markers.retreat(conversation, uid, position);
  const after = messageId === undefined ? 'all messages of the group' : `the messages of the group after ${messageId}`;
  return { data: { success: true, message: `${after} are marked as unread for ${actor?.uid ?? 'all members'}` } };
};

function groupOf(guid: string, store: Store): GroupRecord {
  const group = store.groups.get(guid);
  if (group === undefined) throw problems.noSuchGroup(guid);
  return group;
}

/** INVARIANT: the store has a conversation for every group. */
function conversationOfGroup({ conversationId }: GroupRecord, { conversations }: Store): Conversation {
  return conversations.get(conversationId)!;
}

function positionIn(conversation: Conversation, messageId: number | undefined, store: Store): number | undefined {
  if (messageId === undefined) return undefined;
  const id = String(messageId);
  const position = store.positionOf(id);
  if (position === undefined || store.messages[position]!.conversationId !== conversation.id) {
    throw problems.noSuchMessage(id);
  }
  return position;
}

function demandMember({ uid }: UserRecord, group: GroupRecord): void {
  if (!group.members.has(uid)) throw problems.notAMember(uid, group.guid);
}

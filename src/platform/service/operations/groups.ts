/** Get group, and mark a group conversation as read or as unread (§4.3, §4.5, §4.6). */
import { groupFor } from '../embed.js';
import { problems } from '../errors.js';
import type { GroupRecord, Store, UserRecord } from '../store.js';
import type { OperationHandler } from './operation.js';

export const getGroup: OperationHandler<'getGroup'> = ({ path: { guid }, actor }, { store }) => ({
  data: groupFor(groupOf(guid, store), actor),
});

export const markAsRead: OperationHandler<'markAsRead'> = ({ path: { guid }, actor, body }, { store, markers }) => {
  const { messageId } = body;
  const { conversation, position = conversation.positions.at(-1) ?? -1 } = placeIn(guid, actor, messageId, store);
  markers.advance(conversation, actor.uid, position);
  const upTo = messageId === undefined ? 'all messages of the group' : `the messages of the group up to ${messageId}`;
  return { data: { success: true, message: `${upTo} are marked as read for ${actor.uid}` } };
};

/** Marks a group conversation as unread; without an acting user, for all members. */
export const markAsUnread: OperationHandler<'markAsUnread'> = ({ path: { guid }, actor, body }, { store, markers }) => {
  const { messageId } = body;
  const { group, conversation, position = -1 } = placeIn(guid, actor, messageId, store);
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

/**
 * Returns a group, its conversation, and the position of a message in it. Throws a `Problem` for an
 * acting user who is not a member.
 */
function placeIn(guid: string, actor: UserRecord | undefined, messageId: number | undefined, store: Store) {
  const group = groupOf(guid, store);
  if (actor !== undefined && !group.members.has(actor.uid)) throw problems.notAMember(actor.uid, guid);
  // INVARIANT: the store has a conversation for every group.
  const conversation = store.conversations.get(group.conversationId)!;
  if (messageId === undefined) return { group, conversation, position: undefined };
  const position = store.positionOf(String(messageId));
  if (position !== undefined && conversation.id === store.messages[position]!.conversationId) {
    return { group, conversation, position };
  }
  throw problems.noSuchMessage(String(messageId));
}

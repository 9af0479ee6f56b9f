/** Get user and update user conversation (§4.1, §4.4). */
import { serveMessage } from '../embed.js';
import { problems } from '../errors.js';
import type { Conversation, Store, UserRecord } from '../store.js';
import type { OperationHandler, ServiceState } from './operation.js';

export const getUser: OperationHandler<'getUser'> = ({ path: { uid } }, { store }) => ({
  data: userOf(uid, store).wire,
});

/**
 * Sets the tags of the conversation between the user of the path and the acting user; they replace
 * the earlier tags.
 */
export const updateConversation: OperationHandler<'updateConversation'> = ({ path: { uid }, actor, body }, state) => {
  const user = userOf(uid, state.store);
  if (uid === actor.uid) throw problems.badRequest({ uid: ['must be another user than `onBehalfOf`'] });
  const conversation = conversationBetween(actor.uid, uid, state.store);
  if (conversation === undefined) throw problems.noSuchConversation(actor.uid, uid);
  if (body.tags !== undefined) {
    state.tags.set(conversation.id, { tags: body.tags, changedAt: Math.floor(Date.now() / 1000) });
  }
  return { data: [conversationView(conversation, actor, user, state)] };
};

function userOf(uid: string, store: Store): UserRecord {
  const user = store.users.get(uid);
  if (user === undefined) throw problems.noSuchUser(uid);
  return user;
}

/**
 * Returns the one-to-one conversation of two users; of several, the one with the newest message.
 */
function conversationBetween(user: string, peer: string, store: Store): Conversation | undefined {
  return store
    .conversationsOf(user)
    .filter(({ group, participants }) => group === undefined && participants.has(peer))
    .toSorted((a, b) => a.positions.at(-1)! - b.positions.at(-1)!)
    .at(-1);
}

/**
 * Returns a one-to-one conversation as an acting user sees it (§2.3): with their number of unread
 * messages, and the other party. It was created with its first message and updated with its last
 * one or with its tags. Times in seconds since the epoch.
 */
function conversationView(
  conversation: Conversation,
  actor: UserRecord,
  peer: UserRecord,
  { store, markers, tags: allTags }: ServiceState,
): object {
  const { id, positions } = conversation;
  const { tags, changedAt = 0 } = allTags.get(id) ?? { tags: [] };
  // INVARIANT: a conversation between users is made of its messages, so it has one at least.
  const first = store.messages[positions[0]!]!;
  const last = store.messages[positions.at(-1)!]!;
  return {
    conversationId: id,
    conversationType: 'user',
    unreadMessageCount: String(positions.filter((position) => markers.isUnread(position, actor.uid)).length),
    createdAt: first.sentAt,
    updatedAt: Math.max(last.sentAt, changedAt),
    tags,
    lastMessage: serveMessage(last, { actor }, store),
    conversationWith: { ...peer.wire, conversationId: id },
  };
}

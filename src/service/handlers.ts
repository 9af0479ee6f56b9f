import { conversationView } from './conversation-view.js';
import { listMessages } from './list-messages.js';
import type { Handlers } from './operation-call.js';
import { type GroupRecord, groupFor, type UserRecord } from './parties.js';
import { readRuleLimit } from './query.js';
import { refusals } from './refusals.js';
import { type ConversationRecord, conversationBetween, type Store } from './store.js';

/** The operations of §4 over the state of the service. */
export const handlers: Handlers = {
  updateConversation: ({ path: { uid }, actor, body }, state) => {
    const user = userOf(uid, state.store);
    if (uid === actor.uid) throw refusals.badRequest({ uid: ['should be another user than `onBehalfOf`'] });
    const conversation = conversationBetween(state.store, actor.uid, uid);
    if (conversation === undefined) throw refusals.noSuchConversation(actor.uid, uid);
    if (body.tags !== undefined) state.tags.replace(conversation.id, body.tags);
    return { data: [conversationView(conversation, actor, user, state)] };
  },

  listMessages,

  getGroup: ({ path: { guid }, actor }, { store }) => ({ data: groupFor(groupOf(guid, store), actor) }),

  getUser: ({ path: { uid } }, { store }) => ({ data: userOf(uid, store).wire }),

  markAsRead: ({ path: { guid }, actor, body: { messageId } }, { store, markers }) => {
    const group = groupOf(guid, store);
    demandMember(actor, group);
    const conversation = conversationOf(group, store);
    const position = positionIn(conversation, messageId, store) ?? conversation.positions.at(-1) ?? -1;
    markers.advance(conversation, actor.uid, position);
    const upTo = messageId === undefined ? 'all messages of the group' : `the messages of the group up to ${messageId}`;
    return { data: { success: true, message: `${upTo} are marked as read for ${actor.uid}` } };
  },

  markAsUnread: ({ path: { guid }, actor, body: { messageId } }, { store, markers }) => {
    const group = groupOf(guid, store);
    if (actor !== undefined) demandMember(actor, group);
    const conversation = conversationOf(group, store);
    const position = positionIn(conversation, messageId, store) ?? -1;
    const readers = actor === undefined ? group.members.keys() : [actor.uid];
    for (const uid of readers) markers.retreat(conversation, uid, position);
    const after =
      messageId === undefined ? 'all messages of the group' : `the messages of the group after ${messageId}`;
    return { data: { success: true, message: `${after} are marked as unread for ${actor?.uid ?? 'all members'}` } };
  },

  listRules: ({ search }, { moderation }) => {
    const limit = readRuleLimit(search);
    const data = moderation.rules.slice(0, limit);
    return { data, meta: { current: { limit, count: data.length } } };
  },

  // §4.8 documents a keyword list as the answer, live platforms answer with the rule: a list of that id goes first.
  getRule: ({ path: { ruleId } }, { moderation }) => {
    const data = moderation.listById.get(ruleId) ?? moderation.ruleById.get(ruleId);
    if (data === undefined) throw refusals.noSuchRule(ruleId);
    return { data };
  },

  getKeywordList: ({ path: { listId } }, { moderation }) => {
    const data = moderation.listById.get(listId);
    if (data === undefined) throw refusals.noSuchList(listId);
    return { data };
  },
};

function userOf(uid: string, store: Store): UserRecord {
  const user = store.users.get(uid);
  if (user === undefined) throw refusals.noSuchUser(uid);
  return user;
}

function groupOf(guid: string, store: Store): GroupRecord {
  const group = store.groups.get(guid);
  if (group === undefined) throw refusals.noSuchGroup(guid);
  return group;
}

function conversationOf(group: GroupRecord, store: Store): ConversationRecord {
  // INVARIANT: the store makes a conversation for every group.
  return store.conversations.get(group.conversationId)!;
}

function positionIn(conversation: ConversationRecord, messageId: number | undefined, store: Store): number | undefined {
  if (messageId === undefined) return undefined;
  const id = String(messageId);
  const position = store.messages.positionOf(id);
  if (position === undefined || store.conversationAt(position) !== conversation) throw refusals.noSuchMessage(id);
  return position;
}

function demandMember({ uid }: UserRecord, group: GroupRecord): void {
  if (!group.members.has(uid)) throw refusals.notAMember(uid, group.guid);
}

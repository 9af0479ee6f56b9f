/**
 * Makes the served form of messages and groups: with embedded parties, and with what a query adds
 * to mentions (§2.4, §4.2).
 */
import type { Group } from '../contract/group.js';
import type { MessageRowData } from './rows.js';
import type { GroupRecord, Store, StoredMessage, UserRecord } from './store.js';

/** The view of a message: the user to whom it is shown, and the extras of §4.2. */
interface MessageView {
  readonly actor: UserRecord | undefined;
  readonly withTags?: boolean | undefined;
  readonly mentionsWithBlockedInfo?: boolean | undefined;
  readonly mentionsWithTagInfo?: boolean | undefined;
}

/** A party of a message (§2.4). */
interface Entity {
  readonly entity: object;
  readonly entityType: 'user' | 'group' | 'message';
}

/** Returns a group as an acting user sees it (§2.2); without an acting user, as it is stored. */
export function groupFor(group: GroupRecord, actor: UserRecord | undefined): Group {
  if (actor === undefined) return group.wire;
  const member = group.members.get(actor.uid);
  if (member === undefined) return { ...group.wire, hasJoined: false };
  const { scope = 'participant', joinedAt } = member;
  return { ...group.wire, scope, ...(joinedAt !== undefined && { joinedAt }), hasJoined: true };
}

/**
 * Returns a message as served (§2.4): its parties embedded, its tags only with `withTags`. A
 * message without `data` is served without it.
 */
export function serveMessage(message: StoredMessage, view: MessageView, store: Store): object {
  const { tags, data, ...rest } = message;
  const { sender, receiver, receiverType, conversationId } = message;
  const shown = view.withTags === true && tags !== undefined ? { ...rest, tags } : rest;
  if (data === undefined) return shown;
  const parties = (): MessageRowData['entities'] => ({
    sender: userEntity(sender, store),
    // The other party of a one-to-one conversation carries its id (§2.1).
    receiver:
      receiverType === 'group' ? groupEntity(receiver, view, store) : userEntity(receiver, store, { conversationId }),
    ...data.entities,
  });
  const entities = message.category === 'action' ? actionEntities(message, view, store) : parties();
  const mentions = data.mentions && { mentions: serveMentions(data.mentions, view, store) };
  return { ...shown, data: { ...data, ...mentions, ...(entities && { entities }) } };
}

/**
 * Returns the parties of an action, expanded from plain ids; parties that are objects already are
 * served as they are.
 */
function actionEntities(message: StoredMessage, view: MessageView, store: Store): MessageRowData['entities'] {
  const stored = message.data?.entities;
  if (!stored) return undefined;
  const entityOf = (role: string, id: string): Entity => {
    if (role === 'on' && message.type === 'message') return messageEntity(id, message, store);
    if (role === 'for' && message.receiverType === 'group') return groupEntity(id, view, store);
    return userEntity(id, store);
  };
  return Object.fromEntries(
    Object.entries(stored).map(([role, party]) => [role, typeof party === 'string' ? entityOf(role, party) : party]),
  );
}

function userEntity(uid: string, store: Store, extra: object = {}): Entity {
  return { entity: { ...(store.users.get(uid)?.wire ?? { uid, name: uid }), ...extra }, entityType: 'user' };
}

function groupEntity(guid: string, { actor }: MessageView, store: Store): Entity {
  const group = store.groups.get(guid);
  return { entity: group === undefined ? { guid, name: guid } : groupFor(group, actor), entityType: 'group' };
}

/** Returns a message as a party: when and by whom it was edited or deleted. */
function messageEntity(id: string, action: StoredMessage, store: Store): Entity {
  const acted: Partial<StoredMessage> = store.messages[store.positionOf(id) ?? -1] ?? {};
  const { editedAt, editedBy, deletedAt, deletedBy, conversationId = action.conversationId } = acted;
  return { entity: { id, conversationId, editedAt, editedBy, deletedAt, deletedBy }, entityType: 'message' };
}

/** Returns `data.mentions`, with what the query adds about each user. */
function serveMentions(mentions: Readonly<Record<string, unknown>>, view: MessageView, store: Store): object {
  const withTags = view.mentionsWithTagInfo === true;
  const blockedFor = view.mentionsWithBlockedInfo === true ? view.actor : undefined;
  if (blockedFor === undefined && !withTags) return mentions;
  return Object.fromEntries(
    Object.entries(mentions).map(([uid, mention]) => {
      if (typeof mention !== 'object' || mention === null) return [uid, mention];
      const { blocked = new Set(), wire } = store.users.get(uid) ?? {};
      const info = blockedFor && {
        blockedByMe: blockedFor.blocked.has(uid),
        hasBlockedMe: blocked.has(blockedFor.uid),
      };
      return [uid, { ...mention, ...info, ...(withTags && { tags: wire?.tags ?? [] }) }];
    }),
  );
}

/** How messages and groups are shown: parties embedded, and what a query adds to mentions (§2.4, §4.2). */
import type { Group } from '../contract/group.js';
import type { MessageRowData } from './rows.js';
import type { GroupRecord, Store, StoredMessage, UserRecord } from './store.js';

/** How a message is shown: to whom, and with which of the extras of §4.2. */
export interface MessageView {
  readonly actor: UserRecord | undefined;
  readonly withTags?: boolean | undefined;
  readonly mentionsWithBlockedInfo?: boolean | undefined;
  readonly mentionsWithTagInfo?: boolean | undefined;
}

/** One party of a message (§2.4). */
interface Entity {
  readonly entity: object;
  readonly entityType: 'user' | 'group' | 'message';
}

/** A group as an acting user sees it (§2.2); without one, as it stands. */
export function groupFor(group: GroupRecord, actor: UserRecord | undefined): Group {
  if (actor === undefined) return group.wire;
  const member = group.members.get(actor.uid);
  if (member === undefined) return { ...group.wire, hasJoined: false };
  const { scope = 'participant', joinedAt } = member;
  return { ...group.wire, scope, ...(joinedAt === undefined ? {} : { joinedAt }), hasJoined: true };
}

/** A message as served (§2.4): its parties embedded, its tags only with `withTags`. Without `data` it stays without. */
export function serveMessage(message: StoredMessage, view: MessageView, store: Store): object {
  const { tags, data, ...rest } = message;
  const { sender, receiver, receiverType, conversationId } = message;
  const shown = view.withTags === true && tags !== undefined ? { ...rest, tags } : rest;
  if (data === undefined) return shown;
  // The other party of a one-to-one conversation carries its id (§2.1).
  const parties = (): MessageRowData['entities'] => ({
    sender: userEntity(sender, store),
    receiver:
      receiverType === 'group' ? groupEntity(receiver, view, store) : userEntity(receiver, store, { conversationId }),
    ...data.entities,
  });
  const entities = message.category === 'action' ? actionEntities(message, view, store) : parties();
  const mentions = data.mentions ? { mentions: serveMentions(data.mentions, view, store) } : {};
  return { ...shown, data: { ...data, ...mentions, ...(entities === undefined ? {} : { entities }) } };
}

/** Parties of an action, expanded from plain ids; those that stand there as objects are served as they stand. */
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

/** The message that was edited or deleted: which one, and what became of it. */
function messageEntity(id: string, action: StoredMessage, store: Store): Entity {
  const acted: Partial<StoredMessage> = store.messages[store.positionOf(id) ?? -1] ?? {};
  const { editedAt, editedBy, deletedAt, deletedBy } = acted;
  const conversationId = acted.conversationId ?? action.conversationId;
  return { entity: { id, conversationId, editedAt, editedBy, deletedAt, deletedBy }, entityType: 'message' };
}

/** `data.mentions`, with what the query adds about each user. */
function serveMentions(mentions: Readonly<Record<string, unknown>>, view: MessageView, store: Store): object {
  const { actor, mentionsWithTagInfo } = view;
  const blockedInfo = view.mentionsWithBlockedInfo === true ? actor : undefined;
  if (blockedInfo === undefined && mentionsWithTagInfo !== true) return mentions;
  return Object.fromEntries(
    Object.entries(mentions).map(([uid, mention]) => {
      if (typeof mention !== 'object' || mention === null) return [uid, mention];
      const user = store.users.get(uid);
      const blocked = blockedInfo && {
        blockedByMe: blockedInfo.blocked.has(uid),
        hasBlockedMe: user?.blocked.has(blockedInfo.uid) === true,
      };
      return [
        uid,
        { ...mention, ...blocked, ...(mentionsWithTagInfo === true ? { tags: user?.wire.tags ?? [] } : {}) },
      ];
    }),
  );
}

/**
 * The filters of list messages (§4.2). Times, the cursor and `unread` are ranges and markers, which
 * operations/messages.ts handles.
 */
import { attachmentTypes, type MessageQuery } from '../contract/message-query.js';
import type { Store, StoredMessage, UserRecord } from './store.js';

/** Reports whether a message is among those that a query selects. */
type MessageFilter = (message: StoredMessage) => boolean;

/** Makes the filter of a value; undefined if the value filters nothing. */
type FilterFactory<Value> = (value: Value, actor: UserRecord | undefined) => MessageFilter | undefined;

const flag =
  (holds: MessageFilter): FilterFactory<boolean> =>
  (value) =>
    value ? holds : undefined;

const includes = (values: readonly string[], value: string | undefined): boolean =>
  value !== undefined && values.includes(value);

/** The filters of the parameters that select by the content of a message. */
const filters: { readonly [Name in keyof MessageQuery]?: FilterFactory<NonNullable<MessageQuery[Name]>> } = {
  searchKey: textSearch,
  hideMessagesFromBlockedUsers: (value, actor) =>
    value ? ({ sender }) => actor?.blocked.has(sender) !== true : undefined,
  hasAttachments: flag(({ data }) => (data?.attachments ?? []).length > 0),
  attachmentTypes: (kind) => (message) =>
    message.data?.attachments?.some(({ mimeType }) => mediaKind(mimeType) === kind) === true,
  hasMentions: flag(({ data }) => Object.keys(data?.mentions ?? {}).length > 0),
  mentionedUids: (uids) => (message) => {
    const mentions = message.data?.mentions;
    return mentions !== undefined && uids.some((uid) => Object.hasOwn(mentions, uid));
  },
  hasReactions: flag(({ data }) => (data?.reactions ?? []).length > 0),
  hasLinks: flag(({ data }) => data?.text !== undefined && linkPattern.test(data.text)),
  receiverType: (receiverType) => (message) => message.receiverType === receiverType,
  category: (category) => (message) => message.category === category,
  type: (type) => (message) => message.type === type,
  sender: (sender) => (message) => message.sender === sender,
  hideDeleted: flag(({ deletedAt }) => deletedAt === undefined),
  onlyDeleted: flag(({ deletedAt }) => deletedAt !== undefined),
  hideReplies: flag(({ parentId }) => parentId === undefined),
  conversationId: (conversationId) => (message) => message.conversationId === conversationId,
  tags: (tags) => (message) => message.tags?.some((tag) => tags.includes(tag)) === true,
  categories: (categories) => (message) => includes(categories, message.category),
  types: (types) => (message) => includes(types, message.type),
};

const linkPattern = /\b(?:https?:\/\/|www\.)\S/i;

/**
 * Returns the filters of a query as one: all must hold, and the acting user must take part in the
 * conversation.
 */
export function messageFilter(query: MessageQuery, actor: UserRecord | undefined, store: Store): MessageFilter {
  // Each name has a filter of its own type of value; the cast is needed since types cannot follow
  // the loop.
  const factories = Object.entries(filters) as [keyof MessageQuery, FilterFactory<unknown>][];
  const all = factories.flatMap(([name, filter]) => {
    const value = query[name];
    return value === undefined ? [] : (filter(value, actor) ?? []);
  });
  if (actor !== undefined) {
    // With `sender`, the conversations in which both take part.
    const common = store
      .conversationsOf(actor.uid)
      .filter(({ participants }) => query.sender === undefined || participants.has(query.sender));
    const ids = new Set(common.map(({ id }) => id));
    all.push(({ conversationId }) => ids.has(conversationId));
  }
  return (message) => all.every((holds) => holds(message));
}

/** Returns the type that an attachment counts as (`attachmentTypes`): its media type, or `file`. */
function mediaKind(mimeType: string | undefined): string {
  const kind = mimeType?.split('/', 1)[0]?.toLowerCase();
  return attachmentTypes.find((type) => type === kind) ?? 'file';
}

/** Returns a filter of messages whose text contains a key, in any case, literally. */
function textSearch(key: string): MessageFilter {
  // Lower-casing makes a final sigma another letter than one inside a word.
  const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
  const wanted = folded(key);
  return ({ data }) => data?.text !== undefined && folded(data.text).includes(wanted);
}

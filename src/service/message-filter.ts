import type { StoredMessage } from './conversation-ids.js';
import type { UserRecord } from './parties.js';
import type { PagedMessageQuery } from './query.js';
import type { Store } from './store.js';

/** Whether a message is among those asked for. */
export type MessageFilter = (message: StoredMessage) => boolean;

/**
 * The filters of §4.2 as one predicate: all must hold. Times, the cursor and `unread` are not here: they are ranges
 * (message-selection.ts). A flag that is false filters nothing.
 */
export function messageFilter(query: PagedMessageQuery, actor: UserRecord | undefined, store: Store): MessageFilter {
  const filters = [
    ...conversationFilters(query, actor, store),
    ...kindFilters(query),
    ...contentFilters(query),
    ...stateFilters(query),
  ];
  const [only] = filters;
  if (only !== undefined && filters.length === 1) return only;
  return (message) => {
    for (const filter of filters) if (!filter(message)) return false;
    return true;
  };
}

/** Who wrote it, where, and who may see it. */
function conversationFilters(query: PagedMessageQuery, actor: UserRecord | undefined, store: Store): MessageFilter[] {
  const filters: MessageFilter[] = [];
  const { sender, conversationId, receiverType } = query;
  if (sender !== undefined) filters.push((message) => message.sender === sender);
  if (conversationId !== undefined) filters.push((message) => message.conversationId === conversationId);
  if (receiverType !== undefined) filters.push((message) => message.receiverType === receiverType);
  if (actor === undefined) return filters;

  const theirs = store.conversationsOf.get(actor.uid) ?? [];
  const common = sender === undefined ? theirs : theirs.filter(({ participants }) => participants.has(sender));
  const visible = new Set(common.map(({ id }) => id));
  filters.push((message) => visible.has(message.conversationId));
  if (query.hideMessagesFromBlockedUsers === true && actor.blocked.size > 0) {
    filters.push((message) => !actor.blocked.has(message.sender));
  }
  return filters;
}

function kindFilters({ category, type, categories, types, tags }: PagedMessageQuery): MessageFilter[] {
  const filters: MessageFilter[] = [];
  if (category !== undefined) filters.push((message) => message.category === category);
  if (type !== undefined) filters.push((message) => message.type === type);
  if (categories !== undefined) filters.push(({ category: its }) => its !== undefined && categories.includes(its));
  if (types !== undefined) filters.push(({ type: its }) => its !== undefined && types.includes(its));
  if (tags !== undefined) filters.push((message) => message.tags?.some((tag) => tags.includes(tag)) === true);
  return filters;
}

function contentFilters(query: PagedMessageQuery): MessageFilter[] {
  const filters: MessageFilter[] = [];
  const { attachmentTypes, mentionedUids, searchKey } = query;
  if (query.hasAttachments === true) filters.push(({ data }) => (data?.attachments?.length ?? 0) > 0);
  if (attachmentTypes !== undefined) {
    filters.push(
      ({ data }) => data?.attachments?.some(({ mimeType }) => mediaKind(mimeType) === attachmentTypes) === true,
    );
  }
  if (query.hasMentions === true) filters.push(({ data }) => Object.keys(data?.mentions ?? {}).length > 0);
  if (mentionedUids !== undefined) {
    filters.push(({ data }) => mentionedUids.some((uid) => Object.hasOwn(data?.mentions ?? {}, uid)));
  }
  if (query.hasReactions === true) filters.push(({ data }) => (data?.reactions?.length ?? 0) > 0);
  if (query.hasLinks === true) filters.push(({ data }) => link.test(data?.text ?? ''));
  if (searchKey !== undefined) {
    const key = containing(searchKey);
    filters.push(({ data }) => data?.text !== undefined && key.test(data.text));
  }
  return filters;
}

function stateFilters({ hideDeleted, onlyDeleted, hideReplies }: PagedMessageQuery): MessageFilter[] {
  const filters: MessageFilter[] = [];
  if (hideDeleted === true) filters.push((message) => message.deletedAt === undefined);
  if (onlyDeleted === true) filters.push((message) => message.deletedAt !== undefined);
  if (hideReplies === true) filters.push((message) => message.parentId === undefined);
  return filters;
}

const link = /\b(?:https?:\/\/|www\.)\S/i;

/** What an attachment counts as (`attachmentTypes`): its media type, or `file`. */
function mediaKind(mimeType: string | undefined): string {
  const kind = mimeType?.split('/', 1)[0]?.toLowerCase() ?? '';
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}

/**
 * Case-insensitive, literal. By the pattern flags and not by lower-casing, which makes a final Σ another letter than one
 * inside a word, and copies every text that it looks at.
 */
function containing(key: string): RegExp {
  return new RegExp(key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
}

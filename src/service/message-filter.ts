import { anyAttachment, flag } from './message-flags.js';
import type { MessageKind } from './message-kinds.js';
import type { MessageTable } from './message-table.js';
import type { UserRecord } from './parties.js';
import { holdsPosition, positionsOfAny } from './positions.js';
import type { PagedMessageQuery } from './query.js';
import type { Store } from './store.js';
import { textSearch } from './text-search.js';

/** Whether the message at a position is among those asked for. */
export type MessageFilter = (position: number) => boolean;

/**
 * The filters of §4.2 as one predicate: all must hold, the cheap ones are asked first. Times, the cursor and `unread` are not
 * here: they are ranges (message-selection.ts). A flag that is false filters nothing.
 */
export function messageFilter(query: PagedMessageQuery, actor: UserRecord | undefined, store: Store): MessageFilter {
  const { messages } = store;
  const filters = [
    ...flagFilters(query, messages),
    ...conversationFilters(query, actor, store),
    ...kindFilters(query, messages),
    ...keyFilters(query, messages),
    ...(query.searchKey === undefined ? [] : [textSearch(query.searchKey, messages)]),
  ];
  const [only] = filters;
  if (only !== undefined && filters.length === 1) return only;
  return (position) => {
    for (const filter of filters) if (!filter(position)) return false;
    return true;
  };
}

/** What is asked of the flags of message-flags.ts: bits that must be there and bits that must not, and one of some. */
function flagFilters(query: PagedMessageQuery, { columns, has }: MessageTable): MessageFilter[] {
  let present = 0;
  let absent = 0;
  if (query.receiverType === 'group') present |= flag.toGroup;
  if (query.receiverType === 'user') absent |= flag.toGroup;
  if (query.hasMentions === true) present |= flag.mentions;
  if (query.hasReactions === true) present |= flag.reactions;
  if (query.hasLinks === true) present |= flag.links;
  if (query.attachmentTypes !== undefined) present |= flag[query.attachmentTypes];
  if (query.onlyDeleted === true) present |= flag.deleted;
  if (query.hideDeleted === true) absent |= flag.deleted;
  if (query.hideReplies === true) absent |= flag.reply;
  const filters: MessageFilter[] = [];
  const asked = present | absent;
  const { flags } = columns;
  if ((present & absent) !== 0) filters.push(() => false);
  else if (asked !== 0) filters.push((position) => (flags[position]! & asked) === present);
  if (query.hasAttachments === true) filters.push((position) => has(position, anyAttachment));
  return filters;
}

/** Who wrote it, where, and who may see it. */
function conversationFilters(query: PagedMessageQuery, actor: UserRecord | undefined, store: Store): MessageFilter[] {
  const { messages } = store;
  const { sender, conversation } = messages.columns;
  const filters: MessageFilter[] = [];
  if (query.sender !== undefined) {
    const asked = messages.senders.find(query.sender) ?? -1;
    filters.push((position) => sender[position] === asked);
  }
  if (query.conversationId !== undefined) {
    const asked = store.conversations.get(query.conversationId)?.number ?? -1;
    filters.push((position) => conversation[position] === asked);
  }
  if (actor === undefined) return filters;

  const isCommon = new Uint8Array(store.conversationList.length);
  for (const { number, participants } of store.conversationsOf.get(actor.uid) ?? []) {
    if (query.sender === undefined || participants.has(query.sender)) isCommon[number] = 1;
  }
  filters.push((position) => isCommon[conversation[position]!] === 1);
  if (query.hideMessagesFromBlockedUsers === true && actor.blocked.size > 0) {
    const blocked = new Set([...actor.blocked].map((uid) => messages.senders.find(uid)));
    filters.push((position) => !blocked.has(sender[position]));
  }
  return filters;
}

function kindFilters(query: PagedMessageQuery, { kinds, columns }: MessageTable): MessageFilter[] {
  const { category, type, categories, types } = query;
  if ((category ?? type ?? categories ?? types) === undefined) return [];
  const isAsked = (kind: MessageKind): boolean =>
    (category === undefined || kind.category === category) &&
    (type === undefined || kind.type === type) &&
    (categories === undefined || (kind.category !== undefined && categories.includes(kind.category))) &&
    (types === undefined || (kind.type !== undefined && types.includes(kind.type)));
  const asked = Uint8Array.from(kinds, (kind) => (isAsked(kind) ? 1 : 0));
  return [(position) => asked[columns.kind[position]!] === 1];
}

/** Tags and mentions: which messages have one is known by key. */
function keyFilters({ tags, mentionedUids }: PagedMessageQuery, { tagged, mentioning }: MessageTable): MessageFilter[] {
  const filters: MessageFilter[] = [];
  const hold = (positions: Uint32Array): void => {
    filters.push((position) => holdsPosition(positions, position));
  };
  if (tags !== undefined) hold(positionsOfAny(tags, tagged));
  if (mentionedUids !== undefined) hold(positionsOfAny(mentionedUids, mentioning));
  return filters;
}

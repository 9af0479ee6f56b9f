import { messageFilter } from './message-filter.js';
import { compareMessages, firstIndex, indexFrom } from './message-order.js';
import type { UserRecord } from './parties.js';
import { nowhere, positionsOfAny } from './positions.js';
import type { PagedMessageQuery } from './query.js';
import type { ReadMarkers } from './read-markers.js';
import { refusals } from './refusals.js';
import { isMessageId } from './row-checks.js';
import type { Store } from './store.js';

/** Messages that a query asks for, before it is cut into pages. */
export interface MessageSelection {
  /** Ascending positions among which they are. */
  readonly candidates: Uint32Array;
  /** Which of the candidates they are. */
  readonly accepts: (position: number) => boolean;
}

/** Where a page starts: the page after it begins at position `after`, the page before it ends below position `before`. */
export interface Reference {
  readonly after: number;
  readonly before: number;
}

/**
 * Selects by the filters of §4.2. The candidates are the shortest index that holds all answers, cut to the asked times by
 * binary search, so that a page of one conversation costs the same among a thousand messages and among a million.
 */
export function selectMessages(
  query: PagedMessageQuery,
  actor: UserRecord | undefined,
  store: Store,
  markers: ReadMarkers,
): MessageSelection {
  const filter = messageFilter(query, actor, store);
  const { from, to } = timeRange(query, store);
  const shortest = shortestIndex(query, actor, store);
  const candidates = shortest.subarray(indexFrom(shortest, from), indexFrom(shortest, to));
  const accepts =
    query.unread === true ? (position: number) => markers.isUnread(position, actor?.uid) && filter(position) : filter;
  return { candidates, accepts };
}

/** How many of a selection are unread: for the acting user, or by anyone who received them. */
export function countUnread(selection: MessageSelection, actor: UserRecord | undefined, markers: ReadMarkers): number {
  let count = 0;
  for (const position of selection.candidates) {
    if (markers.isUnread(position, actor?.uid) && selection.accepts(position)) count += 1;
  }
  return count;
}

/**
 * The reference message of a query (`id`, with `sentAt`). A known id says where it is by itself; an unknown one needs its
 * `sentAt`, as after a deletion, or is refused with 404.
 */
export function findReference({ id, sentAt }: PagedMessageQuery, store: Store): Reference | undefined {
  if (id === undefined) return undefined;
  const known = store.messages.positionOf(id);
  if (known !== undefined) return { after: known + 1, before: known };
  if (sentAt === undefined || !isMessageId(id)) throw refusals.noSuchMessage(id);
  const { columns, idAt, size } = store.messages;
  const isAfter = (position: number): boolean =>
    compareMessages({ sentAt: columns.sentAt[position]!, id: idAt(position) }, { sentAt, id }) > 0;
  const gap = firstIndex(size, isAfter);
  return { after: gap, before: gap };
}

/** The positions `from..to` of the asked times. `toTimestamp` counts only with `fromTimestamp`, `sentAt` only without `id`. */
function timeRange({ sentAt, id, fromTimestamp, toTimestamp }: PagedMessageQuery, { messages }: Store) {
  const times = messages.columns.sentAt;
  const firstAt = (isReached: (sentAt: number) => boolean) =>
    firstIndex(messages.size, (position) => isReached(times[position]!));
  const from = fromTimestamp === undefined ? 0 : firstAt((at) => at >= fromTimestamp);
  const after = sentAt === undefined || id !== undefined ? 0 : firstAt((at) => at > sentAt);
  const isBounded = fromTimestamp !== undefined && toTimestamp !== undefined;
  const to = isBounded ? firstAt((at) => at > toTimestamp) : messages.size;
  return { from: Math.max(from, after), to };
}

function shortestIndex(query: PagedMessageQuery, actor: UserRecord | undefined, store: Store): Uint32Array {
  const { conversationId, sender, tags, mentionedUids } = query;
  const { tagged, mentioning } = store.messages;
  const indexes = [store.everything];
  if (conversationId !== undefined) indexes.push(store.conversations.get(conversationId)?.positions ?? nowhere);
  if (sender !== undefined) indexes.push(store.positionsBySender(sender));
  if (tags !== undefined) indexes.push(positionsOfAny(tags, tagged));
  if (mentionedUids !== undefined) indexes.push(positionsOfAny(mentionedUids, mentioning));
  const visible = actor && indexes.length === 1 ? store.positionsVisibleTo(actor.uid) : undefined;
  if (visible !== undefined) indexes.push(visible);
  return indexes.reduce((shortest, index) => (index.length < shortest.length ? index : shortest));
}

/** List messages (§4.2): select by the query, cut a page out of that (§2.7), embed. */
import { type MessageQuery, messageQuerySchema, pageLimit } from '../../contract/message-query.js';
import { serveMessage } from '../embed.js';
import { problems } from '../errors.js';
import { messageFilter } from '../message-filters.js';
import type { ReadMarkers } from '../read-markers.js';
import { readQuery } from '../request.js';
import { isMessageId } from '../rows.js';
import { compareMessages, firstIndex, type Store, type UserRecord } from '../store.js';
import type { OperationHandler } from './operation.js';

/**
 * Lists messages; `count` counts the unread messages among all selected ones, whatever the page.
 */
export const listMessages: OperationHandler<'listMessages'> = ({ search, actor }, { store, markers }) => {
  const query = readQuery(messageQuerySchema, search);
  const { limit = pageLimit.default, affix = 'append', count } = query;
  const selection = selectMessages(query, actor, store, markers);
  const { positions, hasMore } = cutPage(selection, query, store);
  const edge = store.messages[positions.at(affix === 'append' ? -1 : 0) ?? -1];
  const unread = count === true ? { unreadMessageCount: String(countUnread(selection)) } : {};
  return {
    data: positions.map((position) => serveMessage(store.messages[position]!, { ...query, actor }, store)),
    meta: {
      current: { limit, count: positions.length },
      ...(hasMore && edge !== undefined ? { next: { affix, sentAt: edge.sentAt, id: edge.id } } : {}),
      ...unread,
    },
  };
};

/** The messages that a query selects, before they are cut into pages. */
type Selection = ReturnType<typeof selectMessages>;

/**
 * Selects by the filters of §4.2: `accepts` says which positions of the `candidates`, ascending,
 * and `isUnread` which of them are unread, for the acting user or by anyone who received them.
 * `toTimestamp` counts only with `fromTimestamp`, `sentAt` only without `id`.
 */
function selectMessages(query: MessageQuery, actor: UserRecord | undefined, store: Store, markers: ReadMarkers) {
  const { id, sentAt, fromTimestamp, toTimestamp, conversationId, unread } = query;
  const { messages } = store;
  const among =
    conversationId === undefined ? store.positions : (store.conversations.get(conversationId)?.positions ?? []);
  const firstAt = (isReached: (sentAt: number) => boolean): number =>
    firstIndex(among, (position) => isReached(messages[position]!.sentAt));
  const from = fromTimestamp === undefined ? 0 : firstAt((at) => at >= fromTimestamp);
  const after = sentAt === undefined || id !== undefined ? 0 : firstAt((at) => at > sentAt);
  const isBounded = fromTimestamp !== undefined && toTimestamp !== undefined;
  const to = isBounded ? firstAt((at) => at > toTimestamp) : among.length;
  const begin = Math.max(from, after);
  const candidates = begin === 0 && to === among.length ? among : among.slice(begin, to);
  const filter = messageFilter(query, actor, store);
  const isUnread = (position: number): boolean => markers.isUnread(position, actor?.uid);
  const accepts = (position: number): boolean => (unread !== true || isUnread(position)) && filter(messages[position]!);
  return { candidates, accepts, isUnread };
}

/** Returns the number of unread messages of a selection. */
function countUnread({ candidates, accepts, isUnread }: Selection): number {
  return candidates.filter((position) => isUnread(position) && accepts(position)).length;
}

/**
 * Cuts a page out of a selection: for `append` the `limit` messages after the reference message
 * (`id`) or from the start, for `prepend` the `limit` messages before it or the newest. The next
 * page in the same direction starts from the last message of this one, or from the first; `hasMore`
 * says whether there is one. Throws a `Problem` (404) for a reference without a position.
 */
function cutPage({ candidates, accepts }: Selection, query: MessageQuery, store: Store) {
  const { limit = pageLimit.default, affix } = query;
  const reference = findReference(query, store);
  const step = affix === 'prepend' ? -1 : 1;
  const end = reference === undefined ? candidates.length : firstIndex(candidates, (at) => at >= reference.before);
  const begin = reference === undefined ? 0 : firstIndex(candidates, (at) => at >= reference.after);
  const found: number[] = [];
  // A message beyond the page says that there is a next page.
  for (let index = step < 0 ? end - 1 : begin; found.length <= limit; index += step) {
    const position = candidates[index];
    if (position === undefined) break;
    if (accepts(position)) found.push(position);
  }
  const positions = found.slice(0, limit);
  return { positions: step < 0 ? positions.reverse() : positions, hasMore: found.length > limit };
}

/**
 * The page after the reference message begins at position `after`, the page before it ends below
 * `before`. A known id has a position; an unknown one, as after a deletion, needs its `sentAt`.
 */
function findReference({ id, sentAt }: MessageQuery, store: Store) {
  if (id === undefined) return undefined;
  const known = store.positionOf(id);
  if (known !== undefined) return { after: known + 1, before: known };
  if (sentAt === undefined || !isMessageId(id)) throw problems.noSuchMessage(id);
  const gap = firstIndex(store.messages, (message) => compareMessages(message, { sentAt, id }) > 0);
  return { after: gap, before: gap };
}

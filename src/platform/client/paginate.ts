/** Follows the pages of a list (§2.7). */
import { onAbort } from '../../foundation/deadline.js';
import { ShapeError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/options.js';
import { operationLabel } from '../contract/endpoints.js';
import type { Message } from '../contract/message.js';
import { type MessageQuery, pageLimit } from '../contract/message-query.js';
import type { Cursor, Meta } from '../contract/meta.js';
import { type CallOptions, messageParameterNames } from './request.js';

/** A page of a list (§2.7). */
export interface Page<T> {
  readonly data: T[];
  readonly meta: Meta;
}

/** Options of an iteration over all pages. */
export type WalkOptions = CallOptions<'listMessages'> & {
  /**
   * Called with every page before its messages are yielded; `limit` is the page size that the
   * service states.
   */
  readonly onPage?: ((page: { readonly count: number; readonly limit: number | undefined }) => void) | undefined;
};

type ListMessages = (query: MessageQuery, options: CallOptions<'listMessages'>) => Promise<Page<Message>>;

/**
 * The largest numbers of consecutive pages without a new message that are followed: pages of
 * messages that came before, and empty pages.
 */
const mostFollowed = { seen: 2, empty: 20 };

/**
 * Iterates over the messages of all pages of list messages (§4.2) along `meta.next` (§2.7),
 * fetching one page ahead of the consumer. It ends with a missing cursor, or an empty page whose
 * cursor leads to itself and names the last message that came: that is the end of the list. Each
 * message comes once. A cursor that was followed before, the third page in a row of nothing but
 * seen messages, and the twenty-first empty one, are a `ShapeError` after the page's new messages:
 * an endless list ends, and no list ends early without an error. The error of a page comes when the
 * iteration reaches it. Every `for await` over the result starts again.
 */
export function paginate(list: ListMessages, query: MessageQuery, options: WalkOptions): AsyncIterable<Message> {
  return { [Symbol.asyncIterator]: () => messagesOf(list, query, options) };
}

async function* messagesOf(
  list: ListMessages,
  query: MessageQuery,
  options: WalkOptions,
): AsyncGenerator<Message, void> {
  refuseUnknownOptions(operationLabel('listMessages'), options, ['onPage', 'onBehalfOf', 'signal']);
  refuseUnknownOptions('the query of list messages', query, messageParameterNames);
  const { signal, onPage, onBehalfOf } = options;
  // The caller and the end of the iteration abort this, since the page fetched ahead is not read
  // then.
  const prefetch = new AbortController();
  const removeListener = onAbort(signal, (reason) => prefetch.abort(reason));
  const fetchPage = (pageQuery: MessageQuery): Promise<Page<Message>> => {
    const page = list(pageQuery, { onBehalfOf, signal: prefetch.signal });
    // A page that is never awaited must cause no unhandled rejection; an awaited one still rejects.
    page.catch(() => {});
    return page;
  };
  const first: MessageQuery = { ...query, limit: query.limit ?? pageLimit.max };
  const turn = createTurner(first);
  let pending: Promise<Page<Message>> | undefined = fetchPage(first);
  try {
    while (pending !== undefined) {
      const page = await pending;
      onPage?.({ count: page.data.length, limit: page.meta.current?.limit });
      const { fresh, next } = turn(page);
      pending = next === undefined || next instanceof ShapeError ? undefined : fetchPage(next);
      for (const message of fresh) {
        signal?.throwIfAborted();
        yield message;
      }
      if (next instanceof ShapeError) throw next;
    }
  } finally {
    removeListener();
    prefetch.abort();
  }
}

/**
 * Returns the function that turns each page into its new messages and the query of the next page:
 * the same filters with the three fields of the cursor (§2.7). `undefined` ends the list; a cursor
 * that cannot be sent, and one that leads nowhere new, are a `ShapeError`.
 */
function createTurner(first: MessageQuery) {
  const seenIds = new Set<string>();
  const seenCursors = new Set([cursorKey(first)]);
  const barren = { seen: 0, empty: 0 };
  let current = first;
  // A walk that begins at a cursor is past the message that it names.
  let lastId = first.id;

  function follow({ affix, sentAt, id }: Cursor): MessageQuery | ShapeError {
    const wrong = (path: string, what: string) => new ShapeError(operationLabel('listMessages'), path, what);
    if (affix !== undefined && affix !== 'append' && affix !== 'prepend') {
      return wrong('meta.next.affix', 'must be `append` or `prepend`');
    }
    if (sentAt !== undefined && !Number.isSafeInteger(sentAt)) {
      return wrong('meta.next.sentAt', 'must be a whole number');
    }
    if (id?.isWellFormed() === false) {
      return wrong('meta.next.id', 'holds half of a surrogate pair, which cannot be sent');
    }
    const query: MessageQuery = { ...current, affix, sentAt, id };
    if (seenCursors.has(cursorKey(query))) {
      return wrong('meta.next', 'leads back to a page that was fetched already: the list has no end');
    }
    if (barren.seen > mostFollowed.seen) {
      const fact = `brought nothing but messages of earlier pages, ${barren.seen} pages in a row`;
      return wrong('data', `${fact}: the list has no end`);
    }
    if (barren.empty > mostFollowed.empty) {
      return wrong('data', `is empty, ${barren.empty} pages in a row with a cursor each: the list has no end`);
    }
    seenCursors.add(cursorKey(query));
    return query;
  }

  return ({
    data,
    meta: { next },
  }: Page<Message>): { fresh: Message[]; next: MessageQuery | ShapeError | undefined } => {
    const fresh = data.filter(({ id }) => !seenIds.has(id) && seenIds.add(id));
    if (fresh.length > 0) Object.assign(barren, { seen: 0, empty: 0 });
    else barren[data.length === 0 ? 'empty' : 'seen']++;
    lastId = data.at(-1)?.id ?? lastId;
    if (next === undefined || (next.id === undefined && next.sentAt === undefined)) return { fresh, next: undefined };
    const isEnd = data.length === 0 && next.id === lastId && cursorKey(next) === cursorKey(current);
    if (isEnd) return { fresh, next: undefined };
    const following = follow(next);
    if (!(following instanceof ShapeError)) current = following;
    return { fresh, next: following };
  };
}

function cursorKey({ affix, sentAt, id }: MessageQuery | Cursor): string {
  return JSON.stringify([affix, sentAt, id]);
}

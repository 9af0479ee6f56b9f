import { ShapeError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import { operationLabel } from '../contract/endpoints.js';
import type { Message } from '../contract/message.js';
import { type MessageQuery, pageLimit } from '../contract/message-query.js';
import type { Cursor, Meta } from '../contract/meta.js';
import { onAbort } from './deadline.js';
import { type CallOptions, messageParameterNames } from './request.js';

/** One page of a list (§2.7). */
export interface Page<T> {
  readonly data: T[];
  readonly meta: Meta;
}

/** Options of an iteration over all pages. */
export type WalkOptions = CallOptions<'listMessages'> & {
  /** Called with every page before its messages are yielded; `limit` is the page size that the service states. */
  readonly onPage?: ((page: { readonly count: number; readonly limit: number | undefined }) => void) | undefined;
};

type ListMessages = (query: MessageQuery, options: CallOptions<'listMessages'>) => Promise<Page<Message>>;

/** Pages in a row without a new message that are followed: those of messages that came before, and empty ones. */
const mostFollowed = { seen: 2, empty: 20 };

/** Pages since the last new message. */
type Barren = Record<keyof typeof mostFollowed, number>;

/**
 * Iterates over the messages of all pages of list messages (§4.2) along `meta.next` (§2.7), fetching one page ahead of
 * the consumer. It ends with a missing cursor, or an empty page whose cursor leads to itself and names the last message that
 * came: nothing is after that. Each message comes once, at the memory cost stated at `createSeenIds`. A cursor that was followed before, the third page in a row of nothing but
 * seen messages, and the twenty-first empty one, are a `ShapeError` after the page's own new messages: an endless list
 * ends, and no list ends early without an error. The error of a page comes when the iteration reaches it. Every
 * `for await` over the result starts again.
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
  const { signal, onPage } = options;
  const { limit = pageLimit.max, ...filters } = query;
  // Aborted by the caller, and by the end of the iteration, which leaves the page ahead unread.
  const prefetch = new AbortController();
  const unlink = onAbort(signal, (reason) => prefetch.abort(reason));
  const fetchPage = (pageQuery: MessageQuery): Promise<Page<Message>> => {
    const page = list(pageQuery, { onBehalfOf: options.onBehalfOf, signal: prefetch.signal });
    // A page that is never awaited must cause no unhandled rejection; an awaited one still rejects.
    page.catch(() => {});
    return page;
  };
  const seenMessages = createSeenIds();
  const seenCursors = createSeenIds();
  let current: MessageQuery = { ...filters, limit };
  seenCursors.add(cursorKey(current));
  let barren: Barren = { seen: 0, empty: 0 };
  // Whoever begins at a cursor has the message that it names.
  let lastId = query.id;
  let pending: Promise<Page<Message>> | undefined = fetchPage(current);
  try {
    while (pending !== undefined) {
      const { data, meta } = await pending;
      onPage?.({ count: data.length, limit: meta.current?.limit });
      const fresh = data.filter((message) => seenMessages.add(message.id));
      if (fresh.length > 0) barren = { seen: 0, empty: 0 };
      else barren[data.length === 0 ? 'empty' : 'seen']++;
      lastId = data.at(-1)?.id ?? lastId;
      const isEnd = data.length === 0 && meta.next?.id === lastId && cursorKey(meta.next ?? {}) === cursorKey(current);
      const next = isEnd ? undefined : nextQuery(current, meta.next, seenCursors, barren);
      pending = undefined;
      if (next !== undefined && !(next instanceof ShapeError)) {
        current = next;
        pending = fetchPage(next);
      }
      for (const message of fresh) {
        signal?.throwIfAborted();
        yield message;
      }
      if (next instanceof ShapeError) throw next;
    }
  } finally {
    unlink();
    prefetch.abort();
  }
}

/**
 * The query of the next page: the same filters with the three fields of the cursor (§2.7). `undefined` at the end of the
 * list. A cursor that cannot be sent, and one that leads nowhere new, are a `ShapeError`: ignoring it would end the list early.
 */
function nextQuery(
  query: MessageQuery,
  next: Cursor | undefined,
  seenCursors: SeenIds,
  barren: Barren,
): MessageQuery | ShapeError | undefined {
  if (next === undefined || (next.id === undefined && next.sentAt === undefined)) return undefined;
  const wrong = (path: string, what: string): ShapeError => new ShapeError(operationLabel('listMessages'), path, what);
  const { affix, sentAt, id } = next;
  if (affix !== undefined && affix !== 'append' && affix !== 'prepend') {
    return wrong('meta.next.affix', 'must be `append` or `prepend`');
  }
  if (sentAt !== undefined && !Number.isSafeInteger(sentAt)) return wrong('meta.next.sentAt', 'must be a whole number');
  if (id?.isWellFormed() === false) {
    return wrong('meta.next.id', 'holds half of a surrogate pair, which cannot be sent');
  }
  const following: MessageQuery = { ...query, affix, sentAt, id };
  if (!seenCursors.add(cursorKey(following))) {
    return wrong('meta.next', 'leads back to a page that was fetched already: the list has no end');
  }
  if (barren.seen > mostFollowed.seen) {
    return wrong(
      'data',
      `brought nothing but messages of earlier pages, ${barren.seen} pages in a row: the list has no end`,
    );
  }
  if (barren.empty > mostFollowed.empty) {
    return wrong('data', `is empty, ${barren.empty} pages in a row with a cursor each: the list has no end`);
  }
  return following;
}

function cursorKey({ affix, sentAt, id }: MessageQuery | Cursor): string {
  return JSON.stringify([affix, sentAt, id]);
}

/** An exact set of ids in little memory. */
interface SeenIds {
  /** Adds an id; true when it was not in the set yet. */
  readonly add: (id: string) => boolean;
}

/** A Map holds at most 2^24 entries in V8; a full one is kept for lookups and a new one started. */
const fullMap = 2 ** 23;

/**
 * Creates an empty set. Whole numbers, as message ids are (§2.4), share one entry per 32 neighbours: measured, 1 byte an
 * id where the list holds every id, 30 bytes where it holds one in a hundred; a Set of strings takes 45 and ends at 16.7
 * million.
 */
export function createSeenIds(): SeenIds {
  const full: Map<string | number, number>[] = [];
  let open = new Map<string | number, number>();

  function add(id: string): boolean {
    const { key, bit } = place(id);
    if (full.some((map) => ((map.get(key) ?? 0) & bit) !== 0)) return false;
    const mask = open.get(key) ?? 0;
    if ((mask & bit) !== 0) return false;
    if (open.size >= fullMap) {
      full.push(open);
      open = new Map([[key, bit]]);
    } else {
      open.set(key, mask | bit);
    }
    return true;
  }
  return { add };
}

/** `007` and `7` are different ids, so only the canonical spelling of a number shares an entry. */
function place(id: string): { key: string | number; bit: number } {
  if (!/^(?:0|[1-9]\d{0,14})$/.test(id)) return { key: id, bit: 1 };
  const number = Number(id);
  return { key: Math.floor(number / 32), bit: 1 << (number % 32) };
}

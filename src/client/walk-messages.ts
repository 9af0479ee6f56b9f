import { operationLabel } from '../contract/endpoints.js';
import type { Message } from '../contract/message.js';
import { type MessageQuery, pageLimit } from '../contract/message-query.js';
import type { Cursor } from '../contract/meta.js';
import { ShapeError } from '../errors.js';
import type { CallOptions, Page, WalkOptions } from './client.js';
import { createSeenIds, type SeenIds } from './seen-ids.js';

type ListMessages = (query: MessageQuery, options: CallOptions<'listMessages'>) => Promise<Page<Message>>;

/** Pages in a row that may bring no new message, as where a platform repeats what it showed; the last of them is one too many. */
const mostStalePages = 3;

/**
 * Walks over the pages of list messages (§4.2) along `meta.next` (§2.7), one page ahead of the consumer. It ends with a
 * missing cursor or an empty page; no message comes twice, at the memory that `SeenIds` states. A page whose cursor was
 * followed before, and the third in a row of nothing but messages already seen, is a `ShapeError`, behind the page's own
 * new messages: no service can hold the walk in a circle, and none can cut it short unnoticed. Errors of a page come when
 * the walk reaches it. Every `for await` over the result is a walk of its own.
 */
export function walkMessages(list: ListMessages, query: MessageQuery, options: WalkOptions): AsyncIterable<Message> {
  return { [Symbol.asyncIterator]: () => walk(list, query, options) };
}

async function* walk(list: ListMessages, query: MessageQuery, options: WalkOptions): AsyncGenerator<Message, void> {
  const { signal, onPage } = options;
  const prefetch = cancellable(signal);
  const fetchPage = (pageQuery: MessageQuery): Promise<Page<Message>> => {
    const page = list(pageQuery, { onBehalfOf: options.onBehalfOf, signal: prefetch.signal });
    // A page that is never taken up must not end the process; one that is taken up still rejects there.
    page.catch(() => {});
    return page;
  };
  const seenMessages = createSeenIds();
  const seenCursors = createSeenIds();
  const { limit = pageLimit.max, ...filters }: MessageQuery = { ...query };
  let current: MessageQuery = { ...filters, limit };
  seenCursors.add(cursorKey(current));
  let stalePages = 0;
  let pending: Promise<Page<Message>> | undefined = fetchPage(current);
  try {
    while (pending !== undefined) {
      const { data, meta } = await pending;
      onPage?.({ count: data.length, limit: meta.current?.limit });
      const fresh = data.filter((message) => seenMessages.add(message.id));
      stalePages = fresh.length === 0 ? stalePages + 1 : 0;
      const cursor = data.length === 0 ? undefined : queryAfter(current, meta.next);
      const next = cursor instanceof ShapeError ? cursor : leadingOn(cursor, seenCursors, stalePages);
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
    prefetch.cancel();
  }
}

/** A signal for the walk's own calls, which ends with the caller's or with the walk. */
function cancellable(caller: AbortSignal | undefined): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(caller?.reason);
  if (caller?.aborted) onAbort();
  else caller?.addEventListener('abort', onAbort, { once: true });
  const cancel = (): void => {
    caller?.removeEventListener('abort', onAbort);
    controller.abort();
  };
  return { signal: controller.signal, cancel };
}

/**
 * The same filters with the cursor of the next page; `undefined` when there is none. Only the three fields of §2.7 are
 * sent back. One that cannot be sent is a `ShapeError`, for after the page's own messages: leaving it out would end the
 * walk early and nobody would know.
 */
function queryAfter(query: MessageQuery, next: Cursor | undefined): MessageQuery | ShapeError | undefined {
  if (next === undefined || (next.id === undefined && next.sentAt === undefined)) return undefined;
  const { affix, sentAt, id } = next;
  if (affix !== undefined && affix !== 'append' && affix !== 'prepend') {
    return wrongCursor('affix', 'should be `append` or `prepend`');
  }
  if (sentAt !== undefined && !Number.isSafeInteger(sentAt)) return wrongCursor('sentAt', 'should be a whole number');
  if (id?.isWellFormed() === false) return wrongCursor('id', 'holds half of a surrogate pair, which cannot be sent');
  return { ...query, affix, sentAt, id };
}

/** The query of the next page, unless that would lead nowhere new. */
function leadingOn(
  next: MessageQuery | undefined,
  seenCursors: SeenIds,
  stalePages: number,
): MessageQuery | ShapeError | undefined {
  if (next === undefined) return undefined;
  const source = operationLabel('listMessages');
  if (!seenCursors.add(cursorKey(next))) {
    return new ShapeError(source, 'meta.next', 'leads back to a page that was fetched already: the list has no end');
  }
  if (stalePages < mostStalePages) return next;
  const seen = `brought nothing but messages of earlier pages, ${mostStalePages} pages in a row`;
  return new ShapeError(source, 'data', `${seen}: the list has no end`);
}

function wrongCursor(field: string, expected: string): ShapeError {
  return new ShapeError(operationLabel('listMessages'), `meta.next.${field}`, expected);
}

function cursorKey({ affix, sentAt, id }: MessageQuery): string {
  return JSON.stringify([affix, sentAt, id]);
}

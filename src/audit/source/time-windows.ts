/**
 * Cuts the messages of a platform (§4.2) into windows of whole seconds and fetches each to its end, so that a window is complete in
 * whatever order its pages come, and holds each message once however often it is listed. Several windows are fetched at once and handed
 * on in the order of time. How long windows are follows from how many messages those before had; as windows are in the order of time
 * and messages within them too, neither their length nor how many are fetched at once changes a result.
 */

import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { MessageQuery } from '../../platform/contract/message-query.js';
import { isDated } from './message-selection.js';

/** Lists messages by a query: `client.messages.iterate` under the filters of the audit. The signal ends a listing that is not needed any more. */
export type ListMessages = (query: MessageQuery, signal: AbortSignal) => AsyncIterable<MessageDraft>;

/** The beginning of the next window, and how many seconds it has. */
export interface WindowPosition {
  readonly from: number;
  readonly seconds: number;
  /** Whether messages without a time were listed so far. They are in no window. */
  readonly hasUndated?: boolean | undefined;
}

/** The messages of a window, by `sentAt`, then id. */
export interface TimeWindow {
  readonly messages: readonly MessageDraft[];
  /** The beginning of the next window; absent for a window that could not be fetched to its end. */
  readonly end?: WindowPosition;
}

/** Which windows, and how they are fetched. */
export interface WindowOptions {
  /** The first window; without it, the first message that there is begins it. */
  readonly from: WindowPosition | undefined;
  /** The last second. */
  readonly until: number;
  /** Largest number of windows that are being fetched or wait to be yielded; 1 if absent. */
  readonly width?: number | undefined;
  /** Ends all listings with its reason; what was fetched is yielded as after a failure of the platform. */
  readonly signal?: AbortSignal | undefined;
}

/** Messages that a window should have: a little less than three of the largest pages, so that it seldom takes a fourth. */
const aim = 2800;
/** Number of messages at which a window is cut at its intended end, and the rest fetched again. */
const most = 3 * aim;
/** Largest ratio of the seconds of a window to those of the one before. */
const mostGrowth = 16;
/** After a window with fewer messages, fewer are fetched at once. */
const sparse = aim / 4;

/** A window that is being fetched, or was. */
interface Fetch {
  readonly first: number;
  readonly last: number;
  /** The intended number of seconds; it has fewer if it meets what is fetched already. */
  readonly seconds: number;
  readonly listing: AbortController;
  /** When the window is settled, whether it is complete, cut or failed. */
  readonly settled: Promise<void>;
  found?: Found;
}

/** Seconds that no window has yet, both inclusive. */
type Gap = Pick<Fetch, 'first' | 'last'> & { readonly settled?: undefined };

/**
 * Resolves to the windows from a position up to and including a second. A query has one second more on either side: the document leaves open
 * whether its bounds are inclusive. When the platform fails, what comes before is fetched and handed on, then the messages that
 * were fetched of the window that failed, as one without an end. Listings that are under way at the end are aborted.
 */
export async function* timeWindows(
  list: ListMessages,
  { from, until, width = 1, signal }: WindowOptions,
): AsyncGenerator<TimeWindow, void, undefined> {
  const begin = from ?? { from: 0, seconds: until + 1 };
  let hasUndated = begin.hasUndated === true;
  const windows = new WindowQueue(list, begin, { until, width });
  const interrupt = () => windows.interrupt(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    for (;;) {
      const head = windows.head();
      if (head === undefined) break;
      await head.settled;
      const { found } = head;
      // One that was cut is not at the head any more.
      if (found === undefined || found.cutAt !== undefined) continue;
      const { messages, failure } = found;
      if (failure !== undefined) {
        yield { messages };
        throw failure.reason;
      }
      hasUndated ||= found.hasUndated;
      const seconds = nextSeconds(messages, head.seconds);
      yield { messages, end: { from: head.last + 1, seconds, ...(hasUndated && { hasUndated }) } };
      windows.shift();
      // Windows that were fetched ahead are left to the next run: judging them would keep an interrupted one from ending.
      signal?.throwIfAborted();
    }
    // A window that was cut and is not begun again.
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener('abort', interrupt);
    windows.abort();
  }
}

/**
 * The time of a query, from what is handed on next to its end, as windows and the gaps between them. Windows are cut off the earliest gap
 * as long as fewer than `ahead` of them are under way or wait; that begins with one and doubles with each window that has many messages, so
 * that a query of few pages takes no more requests than one window at a time would. A window with too many messages becomes a gap again.
 *
 * INVARIANT: pieces are adjacent and in the order of time, and no gap is next to another. A gap at the head gives a window at once, also
 * when `ahead` has become less than there are windows: everything waits for it. It is the place of one that was begun, so there are never
 * more than `width`.
 */
class WindowQueue {
  readonly #list: ListMessages;
  readonly #width: number;
  #pieces: (Fetch | Gap)[];
  /** The length of the next window. */
  #seconds: number;
  #ahead = 1;
  #isOver = false;

  constructor(
    list: ListMessages,
    { from, seconds }: WindowPosition,
    { until, width }: { until: number; width: number },
  ) {
    this.#list = list;
    this.#width = width;
    this.#seconds = seconds;
    this.#pieces = from <= until ? [{ first: from, last: until }] : [];
  }

  /** Returns the window to be yielded next; undefined after the last one. */
  head(): Fetch | undefined {
    this.#begin();
    const [head] = this.#pieces;
    return head?.settled && head;
  }

  /** Takes away the window at the head. */
  shift(): void {
    this.#pieces.shift();
  }

  /** Ends all listings, which fail with the reason, and begins no other. */
  interrupt(reason: unknown): void {
    this.#isOver = true;
    for (const piece of this.#pieces) if (piece.settled !== undefined) piece.listing.abort(reason);
  }

  /** Ends all listings, and takes all windows away. */
  abort(): void {
    this.#isOver = true;
    this.#abortFrom(0);
  }

  #abortFrom(index: number): void {
    for (const piece of this.#pieces.splice(index)) if (piece.settled !== undefined) piece.listing.abort();
  }

  /** Begins as many windows as may be under way. */
  #begin(): void {
    for (;;) {
      const index = this.#pieces.findIndex(({ settled }) => settled === undefined);
      const gap = this.#pieces[index];
      const begun = this.#pieces.reduce((count, { settled }) => (settled === undefined ? count : count + 1), 0);
      if (this.#isOver || gap === undefined || (index > 0 && begun >= this.#ahead)) return;
      const last = Math.min(gap.last, gap.first + this.#seconds - 1);
      const rest = last < gap.last ? [{ first: last + 1, last: gap.last }] : [];
      this.#pieces.splice(index, 1, this.#fetch(gap.first, last), ...rest);
    }
  }

  #fetch(first: number, last: number): Fetch {
    const listing = new AbortController();
    const finding = messagesBetween(this.#list, { first, last }, listing.signal);
    const settled = finding.then((found) => this.#settle(fetch, found));
    const fetch: Fetch = { first, last, seconds: this.#seconds, listing, settled };
    return fetch;
  }

  #settle(fetch: Fetch, found: Found): void {
    const index = this.#pieces.indexOf(fetch);
    if (index < 0) return;
    fetch.found = found;
    const { first, last, seconds } = fetch;
    if (found.cutAt !== undefined) {
      this.#seconds = found.cutAt - first + 1;
      this.#reopen(index, { first, last });
    } else if (found.failure !== undefined) {
      // The windows after it are of no use.
      this.#abortFrom(index + 1);
    } else {
      this.#seconds = nextSeconds(found.messages, seconds);
      const isSparse = found.messages.length < sparse;
      this.#ahead = isSparse ? Math.max(1, this.#ahead >> 1) : Math.min(this.#width, 2 * this.#ahead);
    }
    this.#begin();
  }

  /** Replaces a window by a gap, joined with the gaps beside it. */
  #reopen(index: number, { first, last }: Gap): void {
    const before = this.#pieces[index - 1];
    const after = this.#pieces[index + 1];
    const from = before !== undefined && before.settled === undefined ? before : undefined;
    const to = after !== undefined && after.settled === undefined ? after : undefined;
    const gap = { first: from?.first ?? first, last: to?.last ?? last };
    this.#pieces.splice(from ? index - 1 : index, 1 + (from ? 1 : 0) + (to ? 1 : 0), gap);
  }
}

/** Returns the seconds in which there should be as many messages as a window should have, going by those between the first and the last one. */
function nextSeconds(messages: readonly MessageDraft[], seconds: number): number {
  if (messages.length < 2) return seconds * mostGrowth;
  const taken = Number(messages.at(-1)?.sentAt) - Number(messages[0]?.sentAt) + 1;
  return Math.max(1, Math.min(Math.round((taken * aim) / messages.length), seconds * mostGrowth));
}

/** Messages of a span of seconds, in order. */
interface Found {
  readonly messages: readonly MessageDraft[];
  readonly hasUndated: boolean;
  /** There are too many: the last second of a span that should hold fewer. */
  readonly cutAt?: number;
  /** Why they are not all. */
  readonly failure?: { readonly reason: unknown };
}

/**
 * Resolves to the messages of a span of seconds, both inclusive. It is cut once it holds `most`, or `aim` in so little of its time that it would; only a
 * single second is fetched however many there are.
 */
async function messagesBetween(
  list: ListMessages,
  { first, last }: Pick<Gap, 'first' | 'last'>,
  signal: AbortSignal,
): Promise<Found> {
  const found = new Map<string, MessageDraft>();
  const nameless: MessageDraft[] = [];
  let [earliest, latest] = [last, first];
  let hasUndated = false;
  const inOrder = () => [...found.values(), ...nameless].sort(byTimeAndId);
  const query = { fromTimestamp: Math.max(1, first - 1), toTimestamp: last + 1 };
  try {
    for await (const message of list(query, signal)) {
      signal.throwIfAborted();
      if (!isDated(message)) {
        hasUndated = true;
        continue;
      }
      const { id } = message;
      const second = Math.floor(message.sentAt);
      if (second < first || second > last) continue;
      if (id === undefined) nameless.push(message);
      else if (found.has(id)) continue;
      else found.set(id, message);
      earliest = Math.min(earliest, second);
      latest = Math.max(latest, second);
      if (last <= first || found.size < aim) continue;
      const expected = (found.size * (last - earliest + 1)) / (latest - earliest + 1);
      if (found.size > most || (found.size === aim && expected > most)) {
        const aimed = Math.floor(Number(inOrder()[aim - 1]?.sentAt));
        return { messages: [], hasUndated, cutAt: Math.max(first, Math.min(last - 1, aimed)) };
      }
    }
  } catch (reason) {
    return { messages: inOrder(), hasUndated, failure: { reason } };
  }
  return { messages: inOrder(), hasUndated };
}

function byTimeAndId(one: MessageDraft, other: MessageDraft): number {
  return Number(one.sentAt) - Number(other.sentAt) || compareIds(one.id ?? '', other.id ?? '');
}

/** Returns the order of ids: that of numbers, for ids that are decimal numbers. */
function compareIds(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : Number(left > right));
}

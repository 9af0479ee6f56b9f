/**
 * Fetches the messages of a platform (§4.2) in windows of whole seconds, several at once, and
 * yields them in the order of time. A window is fetched to its end, so that it is complete in
 * whatever order its pages come, and holds each message once however often it is listed.
 */
import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { MessageQuery } from '../../platform/contract/message-query.js';
import { isDated } from './message-selection.js';

/**
 * Lists messages by a query, `client.messages.iterate` under the filters of the audit. The signal
 * ends the listing.
 */
export type ListMessages = (query: MessageQuery, signal: AbortSignal) => AsyncIterable<MessageDraft>;

/** The beginning of the next window, and its number of seconds. */
export interface WindowPosition {
  readonly from: number;
  readonly seconds: number;
}

/** The messages of a window, by `sentAt`, then id. */
export interface TimeWindow {
  readonly messages: readonly MessageDraft[];
  /** Whether messages without a time were listed with it. */
  readonly hasUndated: boolean;
  /** The beginning of the next window; absent for a window that could not be fetched to its end. */
  readonly end?: WindowPosition;
}

interface WindowOptions extends WindowPosition {
  /** The last second. */
  readonly until: number;
  /** The largest number of windows that are fetched, or wait to be yielded. Default: 16. */
  readonly width?: number | undefined;
  /**
   * Ends all listings with its reason; what was fetched is yielded as after a failure of the
   * platform.
   */
  readonly signal: AbortSignal;
}

/** A range of seconds, and its messages once they are being fetched. */
interface Piece {
  readonly first: number;
  readonly last: number;
  /**
   * The intended number of seconds; the range is shorter if it meets one that is fetched already.
   */
  readonly intended?: number;
  readonly found?: Promise<Found> | undefined;
}

/** The intended number of messages of a window: a little less than three of the largest pages. */
const aim = 2800;
/**
 * The largest number of messages of a window; a larger one is cut, and the rest is fetched again.
 */
const most = 3 * aim;
/** Largest ratio of the seconds of a window to those of the one before. */
const mostGrowth = 16;

/**
 * Yields the windows from a second up to another one. How many are fetched at once doubles with
 * each window that has many messages, so that few messages take no more requests than one window at
 * a time would. A query has one second more on either side: the document leaves open whether its
 * bounds are inclusive. If the platform fails, the windows before come first, then the messages
 * that were fetched of the window that failed, as one without an end.
 */
export async function* timeWindows(
  list: ListMessages,
  { from, seconds: begin, until, width = 16, signal }: WindowOptions,
): AsyncGenerator<TimeWindow, void, undefined> {
  signal.throwIfAborted();
  const limit = pLimit(width);
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, ending);
  const pieces: Piece[] = from <= until ? [{ first: from, last: until }] : [];
  let [seconds, ahead] = [begin, 1];
  const fetch = (first: number, last: number): Piece => {
    const listed = limit(() => messagesBetween(list, { first, last }, ending));
    const piece: Piece = { first, last, intended: seconds, found: listed.then((found) => settle(piece, found)) };
    return piece;
  };
  const fetchAhead = () => {
    for (let index = 0; index < Math.min(ahead, pieces.length) && !ending.aborted; index++) {
      const { first, last: end, found } = pieces[index]!;
      if (found !== undefined) continue;
      const last = Math.min(end, first + seconds - 1);
      pieces.splice(index, 1, fetch(first, last), ...(last < end ? [{ first: last + 1, last: end }] : []));
    }
  };
  const settle = (piece: Piece, found: Found): Found => {
    const index = pieces.indexOf(piece);
    if (found.cutAt !== undefined) {
      const next = pieces[index + 1]?.found === undefined ? pieces[index + 1] : undefined;
      pieces.splice(index, next === undefined ? 1 : 2, { ...piece, last: next?.last ?? piece.last, found: undefined });
      seconds = found.cutAt - piece.first + 1;
    } else if (found.failure !== undefined) stop.abort(found.failure.reason);
    else {
      seconds = nextSeconds(found.messages, piece.intended!);
      ahead = found.messages.length < aim / 4 ? Math.max(1, ahead >> 1) : Math.min(width, 2 * ahead);
    }
    fetchAhead();
    return found;
  };
  try {
    for (fetchAhead(); pieces.length > 0; fetchAhead()) {
      const { last, intended, found } = pieces[0]!;
      if (found === undefined) throw ending.reason;
      const { messages, hasUndated, cutAt, failure } = await found;
      if (cutAt !== undefined) continue;
      if (failure !== undefined) {
        yield { messages, hasUndated };
        throw failure.reason;
      }
      pieces.shift();
      yield { messages, hasUndated, end: { from: last + 1, seconds: nextSeconds(messages, intended!) } };
      // Windows that were fetched ahead are left to the next run: judging them would keep this one
      // from ending.
      signal.throwIfAborted();
    }
  } finally {
    stop.abort();
  }
}

/** Returns the seconds in which there should be as many messages as a window should have. */
function nextSeconds(messages: readonly MessageDraft[], seconds: number): number {
  if (messages.length < 2) return seconds * mostGrowth;
  const taken = Number(messages.at(-1)?.sentAt) - Number(messages[0]?.sentAt) + 1;
  return Math.max(1, Math.min(Math.round((taken * aim) / messages.length), seconds * mostGrowth));
}

/** The messages of a range of seconds, in order. */
interface Found extends TimeWindow {
  /** The last second of a shorter range, if this range has too many messages. */
  readonly cutAt?: number;
  /** The reason why messages are missing. */
  readonly failure?: { readonly reason: unknown };
}

/**
 * Fetches the messages of a range of seconds, both ends inclusive. The range is cut once it has
 * `most` messages, or has `aim` messages in so little of its time that it would reach `most`; a
 * single second is fetched to its end.
 */
async function messagesBetween(list: ListMessages, { first, last }: Piece, signal: AbortSignal): Promise<Found> {
  const found = new Map<string, MessageDraft>();
  const nameless: MessageDraft[] = [];
  let [earliest, latest, hasUndated] = [last, first, false];
  const inOrder = () => [...found.values(), ...nameless].sort(byTimeAndId);
  try {
    for await (const message of list({ fromTimestamp: Math.max(1, first - 1), toTimestamp: last + 1 }, signal)) {
      signal.throwIfAborted();
      hasUndated ||= !isDated(message);
      const second = isDated(message) ? Math.floor(message.sentAt) : -1;
      if (second < first || second > last || found.has(message.id ?? '')) continue;
      if (message.id === undefined) nameless.push(message);
      else found.set(message.id, message);
      [earliest, latest] = [Math.min(earliest, second), Math.max(latest, second)];
      if (last <= first || found.size < aim) continue;
      const expected = (found.size * (last - earliest + 1)) / (latest - earliest + 1);
      if (found.size <= most && (found.size > aim || expected <= most)) continue;
      const aimed = Math.floor(Number(inOrder()[aim - 1]?.sentAt));
      return { messages: [], hasUndated, cutAt: Math.max(first, Math.min(last - 1, aimed)) };
    }
  } catch (reason) {
    return { messages: inOrder(), hasUndated, failure: { reason } };
  }
  return { messages: inOrder(), hasUndated };
}

function byTimeAndId(first: MessageDraft, second: MessageDraft): number {
  const [left, right] = [first.id ?? '', second.id ?? ''];
  const byTime = Number(first.sentAt) - Number(second.sentAt);
  // Ids that are decimal numbers are ordered as numbers.
  return byTime || left.length - right.length || (left < right ? -1 : Number(left > right));
}

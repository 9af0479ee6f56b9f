/**
 * Cuts the messages of a platform (§4.2) into windows of whole seconds and fetches each to its end, so that a window is complete in
 * whatever order its pages come, and holds each message once however often it is listed. How long windows are follows from how many
 * messages the last one had; as windows are in the order of time and messages within them too, their length changes no result.
 */

import type { MessageDraft } from '../../contract/message-draft.js';
import type { MessageQuery } from '../../contract/message-query.js';
import { compareIds } from '../count/audit-summary.js';

/** Lists messages by a query: `client.messages.iterate` under the filters of the audit. */
export type ListMessages = (query: MessageQuery) => AsyncIterable<MessageDraft>;

/** Where the next window begins, and how many seconds it has. */
export interface WindowPosition {
  readonly from: number;
  readonly seconds: number;
}

/** The messages of a window, by `sentAt`, then id. */
export interface TimeWindow {
  readonly messages: readonly MessageDraft[];
  /** Where the next window begins; absent for the messages of a window that was not to be fetched to its end. */
  readonly end?: WindowPosition;
}

/** Messages that a window should have. */
const aim = 5000;
/** With so many, a window is cut where it should have ended, and fetched again. */
const most = 2 * aim;
/** A window has at most so many times the seconds of the one before. */
const mostGrowth = 16;

/**
 * The windows from a position up to and including a second. Without a position, they begin with the first message that there is. A query
 * has one second more on either side: the document leaves open whether its bounds are inclusive. When the platform fails, the
 * messages that were fetched come first, as a window without an end.
 */
export async function* timeWindows(
  list: ListMessages,
  { from, until }: { readonly from: WindowPosition | undefined; readonly until: number },
): AsyncGenerator<TimeWindow, void, undefined> {
  let at = from ?? { from: 0, seconds: until + 1 };
  while (at.from <= until) {
    const last = Math.min(until, at.from + at.seconds - 1);
    const found = await messagesBetween(list, at.from, last);
    if (found.cutAt !== undefined) {
      at = { from: at.from, seconds: found.cutAt - at.from + 1 };
      continue;
    }
    const { messages, failure } = found;
    if (failure !== undefined) {
      yield { messages };
      throw failure.reason;
    }
    at = { from: last + 1, seconds: nextSeconds(messages, at.seconds) };
    yield { messages, end: at };
  }
}

/** The seconds in which there should be as many messages as a window should have, going by those between the first and the last one. */
function nextSeconds(messages: readonly MessageDraft[], seconds: number): number {
  if (messages.length < 2) return seconds * mostGrowth;
  const taken = Number(messages.at(-1)?.sentAt) - Number(messages[0]?.sentAt) + 1;
  return Math.max(1, Math.min(Math.round((taken * aim) / messages.length), seconds * mostGrowth));
}

/** What was found in a span of seconds: messages in order. */
interface Found {
  readonly messages: readonly MessageDraft[];
  /** There are too many: the last second of a span that should hold fewer. */
  readonly cutAt?: number;
  /** Why they are not all. */
  readonly failure?: { readonly reason: unknown };
}

/** The messages of a span of seconds, both inclusive. */
async function messagesBetween(list: ListMessages, first: number, last: number): Promise<Found> {
  const found = new Map<string, MessageDraft>();
  const nameless: MessageDraft[] = [];
  const inOrder = () => [...found.values(), ...nameless].sort(byTimeAndId);
  try {
    for await (const message of list({ fromTimestamp: Math.max(1, first - 1), toTimestamp: last + 1 })) {
      const { id, sentAt } = message;
      if (typeof sentAt !== 'number' || Math.floor(sentAt) < first || Math.floor(sentAt) > last) continue;
      if (id === undefined) nameless.push(message);
      else if (!found.has(id)) found.set(id, message);
      if (found.size <= most || last <= first) continue;
      const aimed = Math.floor(Number(inOrder()[aim]?.sentAt));
      return { messages: [], cutAt: Math.max(first, Math.min(last - 1, aimed)) };
    }
  } catch (reason) {
    return { messages: inOrder(), failure: { reason } };
  }
  return { messages: inOrder() };
}

function byTimeAndId(one: MessageDraft, other: MessageDraft): number {
  return Number(one.sentAt) - Number(other.sentAt) || compareIds(one.id ?? '', other.id ?? '');
}

/**
 * The messages of a platform (§4.2) as blocks: windows of time, then the messages without a time,
 * which no window lists for certain.
 */
import * as z from 'zod';
import { isRefusal } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { pageLimit } from '../../platform/contract/message-query.js';
import type { BlockSource, ListedBlock } from './blocks.js';
import { isDated } from './message-selection.js';
import { type ListMessages, timeWindows } from './windows.js';

const listedPosition = z.object({
  from: z.number(),
  seconds: z.number(),
  /** The number of messages so far. */
  before: z.number(),
  /** Whether messages without a time were listed, and how many of them are in blocks. */
  hasUndated: z.boolean(),
  undated: z.number(),
});
type ListedPosition = z.infer<typeof listedPosition>;

/** Which messages are listed, and how. */
interface ListedOptions {
  /** The first second, and the last one. */
  readonly since: number | undefined;
  readonly until: number;
  /** Whether the query selects a window of time: then messages without a time are left out. */
  readonly isBounded: boolean;
  readonly signal: AbortSignal;
}

/** The largest number of messages in a block after the windows. */
const mostUndated = 2800;

/** Returns the messages that a platform lists up to and including a second as blocks. */
export function blocksOfPlatform(list: ListMessages, options: ListedOptions): BlockSource {
  const { since, until, signal } = options;
  return {
    async *blocks(given) {
      const kept = listedPosition.safeParse(given).data;
      const first = since === undefined ? 0 : Math.ceil(since);
      const begin = { from: first, seconds: until - first + 1, before: 0, hasUndated: false, undated: 0 };
      let position: ListedPosition = kept ?? begin;
      let shared = since;
      const { from, seconds } = position;
      for await (const { messages, hasUndated, end } of timeWindows(list, { from, seconds, until, signal })) {
        const { before } = position;
        const next = { ...position, ...end, before: before + messages.length };
        next.hasUndated ||= hasUndated;
        shared ??= messages[0]?.sentAt as number | undefined;
        const share = shared === undefined || until <= shared ? undefined : (next.from - shared) / (until - shared);
        yield { messages, before, end: end && next, share: share && Math.max(0, Math.min(1, share)) };
        position = next;
      }
      yield* undatedBlocks(list, { ...position, from: until + 1 }, options);
    },
  };
}

async function* undatedBlocks(
  list: ListMessages,
  position: ListedPosition,
  options: ListedOptions,
): AsyncGenerator<ListedBlock, void, undefined> {
  const begin = position.before - position.undated;
  let [messages, count]: [MessageDraft[], number] = [[], 0];
  const block = (): ListedBlock => {
    const before = begin + count - messages.length;
    const end = { ...position, hasUndated: true, undated: count, before: begin + count };
    return { messages, before, share: 1, end };
  };
  for await (const message of undatedMessages(list, position.hasUndated, options)) {
    count += 1;
    if (count <= position.undated) continue;
    messages.push(message);
    if (messages.length < mostUndated) continue;
    yield block();
    messages = [];
  }
  if (messages.length > 0) yield block();
}

/**
 * Yields the messages without a time that a query lists, each once, in its order. Only the whole
 * list has them all. It is listed to its end if such a message is known, is the last of the list,
 * or is on the first page: a platform that orders by time has them first or last.
 */
async function* undatedMessages(
  list: ListMessages,
  isKnown: boolean,
  { isBounded, signal }: ListedOptions,
): AsyncGenerator<MessageDraft, void, undefined> {
  if (isBounded && !isKnown) return;
  let isSeen = isKnown || (await isLastUndated(list, signal));
  const ids = new Set<string>();
  let count = 0;
  for await (const message of list({}, signal)) {
    signal.throwIfAborted();
    count += 1;
    if (!isDated(message)) {
      isSeen = true;
      const { id } = message;
      if (id === undefined || !ids.has(id)) yield message;
      if (id !== undefined) ids.add(id);
    }
    if (!isSeen && count >= pageLimit.max) return;
  }
}

/**
 * Reports whether the last message has no time; false if the platform refuses to list backwards.
 */
async function isLastUndated(list: ListMessages, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const last of list({ affix: 'prepend', limit: 1 }, signal)) return !isDated(last);
  } catch (reason) {
    signal.throwIfAborted();
    if (!isRefusal(reason)) throw reason;
  }
  return false;
}

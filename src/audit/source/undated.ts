/** Messages of a platform without a time (§4.2), which no window of time lists for certain. */

import { isRefusal } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { isDated } from './message-selection.js';
import type { ListMessages } from './time-windows.js';

/** How messages without a time are listed. */
interface UndatedOptions {
  /** Whether a window listed one. */
  readonly isKnown: boolean;
  /** Whether the query selects a window of time: its windows list then whatever it lists. */
  readonly isBounded: boolean;
  /** Messages of a page. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

/**
 * The messages without a time that a query lists, each once, in its order. Nothing but the whole list has them all, so it is listed to its end where
 * one is known, where the last message of the list is one, or where one is on the first page: a platform that orders by time has them first or last.
 */
export async function* undatedMessages(
  list: ListMessages,
  { isKnown, isBounded, pageSize, signal }: UndatedOptions,
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
    if (!isSeen && count >= pageSize) return;
  }
}

/** A platform may refuse to list backwards from the end. */
async function isLastUndated(list: ListMessages, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const last of list({ affix: 'prepend', limit: 1 }, signal)) return !isDated(last);
  } catch (reason) {
    signal.throwIfAborted();
    if (!isRefusal(reason)) throw reason;
  }
  return false;
}

import { textOf, UNREADABLE } from '../../engine/evaluate/message-text.js';
import { ShapeError } from '../../foundation/errors.js';
import type { Auditable } from '../audit-entry.js';

/**
 * The numbers of messages that have a text, and of those whose text cannot be read: `texts` and
 * `unreadable` of a summary and of a diff.
 */
interface TextCounts {
  texts: number;
  unreadable: number;
}

/** Counts whether a message has a text, and whether that can be read. */
export function countTexts(sum: TextCounts, message: Auditable): void {
  const text = typeof message === 'string' ? message : textOf(message);
  if (text !== undefined) sum.texts += 1;
  if (text === UNREADABLE) sum.unreadable += 1;
}

/**
 * Throws `ShapeError` if messages have texts but no text can be read, since nothing was judged
 * then.
 */
export function refuseUnreadTexts({ texts, unreadable }: Readonly<TextCounts>): void {
  if (texts === 0 || unreadable < texts) return;
  const fault = `is not a string in any text message (${texts}), so no text was judged`;
  throw new ShapeError('messages', 'data.text', fault);
}

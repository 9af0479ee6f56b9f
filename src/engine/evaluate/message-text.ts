/**
 * The definition of a message and of its text, for the engine, for audits that count texts, and for
 * readers of files, which refuse what the engine would refuse. Each field is read by `read`, so a
 * getter that throws is an absent field.
 */

import { UsageError } from '../../foundation/errors.js';
import { textOperandOf } from '../compile/operands.js';
import { asFields, type Fields, read } from '../compile/untrusted.js';
import { isMediaOperand } from '../media.js';

/**
 * Stands for a text that no condition can read: the message should have one, or has something else
 * at `data.text`.
 */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/**
 * Returns why a value is not a message, in words that follow its name; `undefined` for a message.
 * Objects with any prototype, or none, are messages. Refused are values that would be allowed only
 * because their text stands in the wrong place: an array, an object without `data`, category and
 * type of media (`{ body: 'x' }`), a `text` beside a `data` without one. A deleted message needs
 * none of these.
 */
export function faultOfMessage(message: unknown): string | undefined {
  if (typeof message === 'string') return undefined;
  const fields = asFields(message);
  if (fields === undefined) return 'must be a text, or an object with its text at `data.text`';
  const data = read(fields, 'data');
  if (!isAbsent(read(fields, 'text'))) {
    if (!isAbsent(read(asFields(data), 'text'))) return undefined;
    return 'must have its text at `data.text`, and has one at `text`: write { "data": { "text": … } }';
  }
  if (!isAbsent(data) || !isAbsent(read(fields, 'category')) || !isAbsent(read(fields, 'deletedAt'))) return undefined;
  // The content of such a message is a file, so it may have no text.
  if (isMediaOperand(read(fields, 'type'))) return undefined;
  return 'must have its text at `data.text`, and has no `data`, no `category` and no `type` of media';
}

/** Throws `UsageError` if a value is not a message. */
export function checkMessage(message: unknown): void {
  const fault = faultOfMessage(message);
  if (fault !== undefined) throw new UsageError(`a message ${fault}`);
}

/**
 * Returns the text that conditions on `text` read (§2.4, §2.5): `data.text` of any message that is
 * not `custom` or `action`. `UNREADABLE` when that is not a string and the message should have one:
 * a text message that was not deleted, or one with something else there. The category may have been
 * read before.
 */
export function textOf(
  message: Fields,
  category: unknown = read(message, 'category'),
): string | typeof UNREADABLE | undefined {
  if (category === 'action' || textOperandOf(category) !== 'text') return undefined;
  const text = read(asFields(read(message, 'data')), 'text');
  if (typeof text === 'string') return text;
  if (!isAbsent(read(message, 'deletedAt'))) return undefined;
  if (!isAbsent(text)) return UNREADABLE;
  const type = read(message, 'type');
  return (isAbsent(category) || category === 'message') && (isAbsent(type) || type === 'text') ? UNREADABLE : undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/**
 * What is a message, and what of it is its text: the one definition for the engine, for audits that count texts, and for readers of
 * files that refuse what the engine would refuse. Each field is read by `read`, so a getter that throws is an absent field.
 */

import { UsageError } from '../../foundation/errors.js';
import { textOperandOf } from '../compile/operands.js';
import { asFields, type Fields, read } from '../compile/untrusted.js';
import { isMediaOperand } from '../media.js';

/** In place of a text: the message should have one, or has something else at `data.text`, and no condition can read it. */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/**
 * What makes a value no message, in words that follow its name; `undefined` for a message. Objects with a prototype of their own, or
 * none, are as good as others. Refused is what would be allowed only because its text stands where nobody looks: an array, an
 * object without `data`, category and type of media (`{ body: 'x' }`), a `text` beside a `data` without one. A deleted message
 * needs none of them.
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

/** Throws `UsageError` for what is no message. */
export function checkMessage(message: unknown): void {
  const fault = faultOfMessage(message);
  if (fault !== undefined) throw new UsageError(`a message ${fault}`);
}

/**
 * The text that conditions on `text` read (§2.4, §2.5): `data.text` of any message that is not `custom` or `action`. `UNREADABLE` when
 * that is no string and the message should have one: a text message that was not deleted, or one with something else there. The
 * category may have been read before.
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

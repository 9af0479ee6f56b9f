/** Checks a row of a file of messages: a message, or a draft of one. */
import * as z from 'zod';
import { faultOfMessage } from '../../engine/evaluate/message-text.js';
import { UsageError } from '../../foundation/errors.js';
import { maybe, numericId, timestamp } from '../../platform/contract/fields.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { parse } from '../../platform/contract/parse.js';
import { isInMilliseconds, secondsOf } from './columns.js';

/**
 * A message (§2.4) or a draft of one in a file. Only the fields that a report shows are checked;
 * the engine takes any object.
 */
const draftSchema = z.looseObject({
  id: maybe(numericId),
  conversationId: maybe(z.string()),
  sender: maybe(z.string()),
  category: maybe(z.string()),
  type: maybe(z.string()),
  sentAt: maybe(timestamp),
  data: maybe(z.looseObject({})),
});

/**
 * Parses a message of a file. Throws `ShapeError` that names `source` and the field, never its
 * content, and `UsageError` for values that the engine refuses (`faultOfMessage`), such as a `text`
 * beside `data`.
 */
export function parseDraft(value: unknown, source: string | (() => string)): MessageDraft {
  if (isPlainDraft(value)) return value;
  const where = typeof source === 'string' ? source : source();
  const draft = parse(draftSchema, withSeconds(value), where);
  const fault = faultOfMessage(draft);
  if (fault !== undefined) throw new UsageError({ source: where, fact: `a message ${fault}` });
  return draft;
}

/**
 * Throws `UsageError` for a listed message that the engine would refuse, and names its id, since it
 * has no line.
 */
export function checkListed(message: MessageDraft): void {
  const fault = faultOfMessage(message);
  if (fault !== undefined) throw new UsageError(`message \`${message.id}\` of the platform ${fault}`);
}

/**
 * Returns a message with its time in seconds, if that is ISO 8601 or in milliseconds; anything else
 * as it is.
 */
function withSeconds(value: unknown): unknown {
  const { sentAt } = (value ?? {}) as { readonly sentAt?: unknown };
  if (typeof sentAt !== 'string' && !isInMilliseconds(sentAt)) return value;
  const seconds = secondsOf(sentAt);
  return Number.isNaN(seconds) ? value : { ...(value as object), sentAt: seconds };
}

const strings = ['conversationId', 'sender', 'category', 'type'] as const;

/**
 * Reports whether the schema would return a value as it is, which holds for nearly all rows and
 * takes a tenth of the time of the schema.
 */
function isPlainDraft(value: unknown): value is MessageDraft {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  const { id, sentAt, data, text } = fields;
  if (text !== undefined && text !== null) return false;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  if (id !== undefined && (typeof id !== 'string' || id === '')) return false;
  if (sentAt !== undefined && (!Number.isFinite(sentAt) || isInMilliseconds(sentAt))) return false;
  return strings.every((name) => fields[name] === undefined || typeof fields[name] === 'string');
}

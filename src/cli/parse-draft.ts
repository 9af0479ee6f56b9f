import * as z from 'zod';
import { maybe, numericId, timestamp } from '../contract/fields.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { parse } from '../contract/parse.js';

/**
 * A message (§2.4) or a draft of one, as a file holds it. Only the fields that a report names are checked: files come
 * from many places, and the engine judges any object.
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

/** Reads a message of a file. Throws `ShapeError` that names `source` and the field, never its content. */
export function parseDraft(value: unknown, source: string): MessageDraft {
  return parse(draftSchema, value, source);
}

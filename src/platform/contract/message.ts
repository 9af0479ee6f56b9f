import * as z from 'zod';
import { byName, few, identifier, maybe, numericId, timestamp } from './fields.js';

/** A party of a message: `{ entity, entityType }` (§2.4). */
const entitySchema = z.looseObject({
  entity: maybe(z.looseObject({})),
  entityType: maybe(z.string()),
});

/** A file sent with a message. The document does not show it; public examples do. */
const attachmentSchema = z.looseObject({
  url: maybe(z.string()),
  mimeType: maybe(z.string()),
  name: maybe(z.string()),
});

/** `data` of a message (§2.4): it depends on the category, and unknown fields survive. */
export const messageDataSchema = z.looseObject({
  text: maybe(z.string()),
  action: maybe(z.string()),
  entities: maybe(byName(entitySchema)),
  metadata: z.unknown().optional(),
  attachments: maybe(few(attachmentSchema)),
  customData: z.unknown().optional(),
});

/**
 * A message (§2.4). `data` may be missing on a deleted one; `category` and `type` are open sets.
 */
export const messageSchema = z.looseObject({
  id: numericId,
  conversationId: maybe(identifier),
  sender: maybe(z.string()),
  receiverType: maybe(z.string()),
  receiver: maybe(z.string()),
  category: maybe(z.string()),
  type: maybe(z.string()),
  data: maybe(messageDataSchema),
  sentAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
  editedAt: maybe(timestamp),
  deletedAt: maybe(timestamp),
  parentId: maybe(numericId),
  tags: maybe(z.array(z.string())),
  receipts: z.unknown().optional(),
});

/**
 * A message as the platform lists it (§2.4); `MessageDraft` describes the fields. Times are seconds
 * since the epoch.
 */
export type Message = z.infer<typeof messageSchema>;

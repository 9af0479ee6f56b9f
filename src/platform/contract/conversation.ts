import * as z from 'zod';
import { identifier, maybe, timestamp } from './fields.js';
import { messageSchema } from './message.js';

/**
 * A conversation (§2.3). `unreadMessageCount` is a numeric string in the document, a number in some
 * responses.
 */
export const conversationSchema = z.looseObject({
  conversationId: identifier,
  conversationType: maybe(z.string()),
  unreadMessageCount: maybe(z.union([z.string(), z.number().transform(String)])),
  createdAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
  lastMessage: maybe(messageSchema),
  /** The other party: a group has `guid`, a user has `uid`. */
  conversationWith: maybe(z.looseObject({ uid: maybe(identifier), guid: maybe(identifier) })),
  tags: maybe(z.array(z.string())),
});

/** A conversation of a user with another one or with a group (§2.3). */
export type Conversation = z.infer<typeof conversationSchema>;

import * as z from 'zod';
import { identifier, maybe, timestamp } from './fields.js';

/** A user (§2.1). `status` and `role` are open sets. */
export const userSchema = z.looseObject({
  uid: identifier,
  name: maybe(z.string()),
  link: maybe(z.string()),
  avatar: maybe(z.string()),
  status: maybe(z.string()),
  role: maybe(z.string()),
  createdAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
  conversationId: maybe(z.string()),
  tags: maybe(z.array(z.string())),
});

/** A user (§2.1). Times are seconds since the epoch. */
export type User = z.infer<typeof userSchema>;

import * as z from 'zod';
import { identifier, maybe, timestamp } from './fields.js';

/** A group (§2.2). `type` and `scope` are open sets. */
export const groupSchema = z.looseObject({
  guid: identifier,
  name: maybe(z.string()),
  description: maybe(z.string()),
  icon: maybe(z.string()),
  type: maybe(z.string()),
  scope: maybe(z.string()),
  membersCount: maybe(z.number()),
  joinedAt: maybe(timestamp),
  conversationId: maybe(z.string()),
  hasJoined: maybe(z.boolean()),
  createdAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
  updatedBy: maybe(z.string()),
  owner: maybe(z.string()),
  tags: maybe(z.array(z.string())),
});

/** A group (§2.2). Times are seconds since the epoch. */
export type Group = z.infer<typeof groupSchema>;

import * as z from 'zod';
import { maybe, numericId } from './fields.js';

/** Cursor of the next page (§2.7). Only these three fields are sent back. */
const cursorSchema = z.looseObject({
  affix: maybe(z.string()),
  sentAt: maybe(z.number()),
  id: maybe(numericId),
});

/** Page metadata (§2.7). In a page it may be absent or null, which is read as empty. */
export const metaSchema = z.looseObject({
  current: maybe(z.looseObject({ limit: maybe(z.number()), count: maybe(z.number()) })),
  next: maybe(cursorSchema),
});

export type Cursor = z.infer<typeof cursorSchema>;
export type Meta = z.infer<typeof metaSchema>;

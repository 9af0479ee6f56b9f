import * as z from 'zod';
import { identifier, maybe, oneOrMany, timestamp } from './fields.js';

/**
 * A condition of a rule (§2.5). Every enumeration is open. `value` and `message` may be one string or several. The flag for
 * ids of keyword lists in `value` has three spellings on live platforms.
 */
export const conditionSchema = z.looseObject({
  id: maybe(z.number()),
  isKeywordsReferencePresent: maybe(z.boolean()),
  isKeywordReferencePresent: maybe(z.boolean()),
  isListReferencePresent: maybe(z.boolean()),
  isMediaPresent: maybe(z.boolean()),
  entity: maybe(z.string()),
  operand: maybe(z.string()),
  category: maybe(z.string()),
  operator: maybe(z.string()),
  value: maybe(oneOrMany),
  message: maybe(oneOrMany),
});

/** A filter on the users and groups that a rule applies to. Beyond the document: real rules carry them. */
export const filterSchema = z.looseObject({
  type: maybe(z.string()),
  entity: maybe(z.string()),
  operand: maybe(z.string()),
  operator: maybe(z.string()),
  value: maybe(oneOrMany),
});

/** A moderation rule (§2.5). `action` is an open set (§2.8). */
export const ruleSchema = z.looseObject({
  id: identifier,
  name: maybe(z.string()),
  description: maybe(z.string()),
  enabled: maybe(z.boolean()),
  active: maybe(z.boolean()),
  conditions: z.array(conditionSchema),
  filters: maybe(z.array(filterSchema)),
  action: maybe(oneOrMany),
  createdAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
  revisionId: maybe(z.string()),
  default: maybe(z.boolean()),
});

export type Condition = z.infer<typeof conditionSchema>;
export type Filter = z.infer<typeof filterSchema>;
export type Rule = z.infer<typeof ruleSchema>;

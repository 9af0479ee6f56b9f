import * as z from 'zod';
import { maybe, oneOrMany, timestamp } from './fields.js';
import { messageSchema } from './message.js';
import { conditionSchema } from './rule.js';

/**
 * A message that a rule stopped, or that a reviewer decided about, as live platforms list it.
 * Beyond the interface document: all fields but the message may be missing, such as the rule of a
 * message that a user reported, and others survive.
 */
export const moderatedMessageSchema = z.looseObject({
  message: messageSchema,
  ruleId: maybe(z.string()),
  ruleName: maybe(z.string()),
  /** The revision of the rule that stopped the message. */
  revisionId: maybe(z.string()),
  condition: maybe(conditionSchema),
  action: maybe(oneOrMany),
  /**
   * The reviewer's decision: `approved`, `rejected`, or `disapproved`; `data.moderation.status` of
   * the message has it if this is absent.
   */
  status: maybe(z.string()),
  createdAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
});

/**
 * A message that a rule stopped, or that a reviewer decided about. Times are seconds since the
 * epoch.
 */
export type ModeratedMessage = z.infer<typeof moderatedMessageSchema>;

/** The schema of a moderation rule, with its conditions and filters (§2.5). */
import * as z from 'zod';
import type { Verdict } from '../../engine/compile/verdicts.js';
import { identifier, maybe, type Open, oneOrMany, timestamp } from './fields.js';

/** The text of a message that a condition reads. */
export type TextOperand = 'text' | 'custom';

/** The kind of files of a message that a condition is about. */
export type MediaOperand = 'image' | 'video' | 'audio' | 'file';

/**
 * A condition of a rule: the part of a message that it checks (`operand`), and what it looks for
 * there (`category`, `operator`, `value`) (§2.5). `operand` and `value` are enough. Every set of
 * values is open: an unknown value makes an issue, and the condition counts as not matched. Other
 * fields are kept, but do not compile in a literal, in which they would be mistakes.
 *
 * @example
 * ```ts
 * const words: Condition = { operand: 'text', value: ['buy now', 'free money'] };
 * const list: Condition = { operand: 'text', isKeywordsReferencePresent: true, value: 'scam-words' };
 * const pattern: Condition = { operand: 'text', category: 'pattern', value: '(?i)send \\d+ (eur|usd)' };
 * const picture: Condition = { operand: 'image', value: 'violence_greaterThan_80' };
 * ```
 */
export interface Condition {
  /** Named by decisions and issues as `conditionId`. Absent: the position in the rule, from 1. */
  readonly id?: number | undefined;
  /**
   * `true`: `value` holds ids of keyword lists. Absent: it holds the terms or patterns themselves.
   */
  readonly isKeywordsReferencePresent?: boolean | undefined;
  /** Another spelling of `isKeywordsReferencePresent`, as some live platforms write it. */
  readonly isKeywordReferencePresent?: boolean | undefined;
  /** Another spelling of `isKeywordsReferencePresent`, as some live platforms write it. */
  readonly isListReferencePresent?: boolean | undefined;
  /** Not read; `operand` determines whether a condition is about files. */
  readonly isMediaPresent?: boolean | undefined;
  /**
   * The kind of thing that the condition is about; only messages can be evaluated. Absent:
   * `message`.
   */
  readonly entity?: Open<'message'> | undefined;
  /**
   * The part of a message that is checked. `text`: `data.text`, captions included. `custom`: the
   * strings of a message of category `custom`. `image`, `video`, `audio`, `file`: scores of such
   * files, which the caller or a scorer provides.
   */
  readonly operand?: Open<TextOperand | MediaOperand> | undefined;
  /**
   * `word`: `value` holds terms. `pattern`: `value` holds RE2 patterns. Absent: `word`. Any other,
   * such as `toxicity`: `value` holds thresholds of scores of the operand, as it does for files,
   * whatever the category.
   */
  readonly category?: Open<'word' | 'pattern'> | undefined;
  /**
   * `contains`: a term or pattern occurs in the text. `equals`: it is the whole text. Absent:
   * `contains`.
   */
  readonly operator?: Open<'contains' | 'equals'> | undefined;
  /**
   * Terms, patterns, ids of keyword lists, or thresholds of files, `<label>_greaterThan_<below
   * 100>`; one of them is enough.
   */
  readonly value?: string | readonly string[] | undefined;
  /** An explanation for people, which a decision passes on. */
  readonly message?: string | readonly string[] | undefined;
}

/**
 * Limits a rule, or the reading `exempt`, to messages whose sender or receiver has a property. Real
 * rules carry filters; the interface document does not show them. Other fields are kept, but do not
 * compile in a literal.
 *
 * @example
 * ```ts
 * const noAdmins: Filter = { type: 'sender', entity: 'user', operand: 'role', operator: 'notIn', value: 'admin,moderator' };
 * ```
 */
export interface Filter {
  /** The party whose property is compared. */
  readonly type?: Open<'sender' | 'receiver'> | undefined;
  /** The kind of sender or receiver; a sender is always a user. */
  readonly entity?: Open<'user' | 'group'> | undefined;
  /** The property: `uid`, `role` of users, `guid`, `type` of groups, the others of both. */
  readonly operand?: Open<'uid' | 'guid' | 'name' | 'role' | 'type' | 'tags' | 'createdAt'> | undefined;
  /** The comparison. The negations have two spellings each. */
  readonly operator?:
    | Open<
        | 'equals'
        | 'notEquals'
        | 'not equals'
        | 'in'
        | 'notIn'
        | 'not in'
        | 'startsWith'
        | 'endsWith'
        | 'lessThan'
        | 'greaterThan'
      >
    | undefined;
  /**
   * The value that the property is compared with. For `in` and its negations several values,
   * separated by commas or as an array.
   */
  readonly value?: string | readonly string[] | undefined;
}

/**
 * A moderation rule: `action` is taken for a message for which one of `conditions` holds (§2.5).
 * Only `id` and `conditions` are required. Other fields are kept, but do not compile in a literal:
 * a rule with `fliters` would apply to everybody.
 *
 * @example
 * ```ts
 * const rule: Rule = {
 *   id: 'scams',
 *   action: 'blockMessage',
 *   conditions: [{ operand: 'text', value: ['buy now', 'free money'] }],
 * };
 * ```
 */
export interface Rule {
  /** Unique in the rule set; named by decisions and issues as `ruleId`. */
  readonly id: string;
  /** For people. Absent: the id. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** `false` switches the rule off. Absent: `true`. */
  readonly enabled?: boolean | undefined;
  /** `false` switches the rule off too. Absent: `true`. */
  readonly active?: boolean | undefined;
  /** The conditions: one that holds is enough, unless the reading `conditions` is `all`. */
  readonly conditions: readonly Condition[];
  /** The filters: all must hold for the rule to apply. Absent: it applies to all messages. */
  readonly filters?: readonly Filter[] | undefined;
  /**
   * The actions for a message that matches, one action or several. `allow`, `blockMessage` and
   * `dropMessage` are verdicts, the strongest of all matching rules counts; other actions are
   * passed through in `Decision.actions` (§2.8).
   */
  readonly action?: Action | readonly Action[] | undefined;
  /** Seconds since the epoch. */
  readonly createdAt?: number | undefined;
  /** Seconds since the epoch. */
  readonly updatedAt?: number | undefined;
  /** Names the state of the rule; decisions carry it. */
  readonly revisionId?: string | undefined;
  /** Whether the rule is one that comes with the platform. */
  readonly default?: boolean | undefined;
}

/**
 * A verdict, an action that live platforms have, or any other string. The action `block` of
 * platforms is not listed: it blocks a user, and is easily mistaken for `blockMessage`.
 */
type Action = Open<Verdict | 'flagMessage' | 'kick' | 'ban' | 'deactivate'>;

/** The schema of `Condition`; null is read as absent. */
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
}) satisfies z.ZodType<Condition>;

export const filterSchema = z.looseObject({
  type: maybe(z.string()),
  entity: maybe(z.string()),
  operand: maybe(z.string()),
  operator: maybe(z.string()),
  value: maybe(oneOrMany),
}) satisfies z.ZodType<Filter>;

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
}) satisfies z.ZodType<Rule>;

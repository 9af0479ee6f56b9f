/** The shape of a rule set file, and of `rules.json` in a folder. */
import * as z from 'zod';
import { ShapeError } from '../../foundation/errors.js';
import { byId } from '../contract/fields.js';

/** Most rules, lists and conditions, far above real rule sets: each broken one makes an issue. */
const mostEntries = 100_000;

/** Readings of a rule set; `ownSemantics` checks them. */
export const semanticsSchema = z.looseObject({});

/** Exceptions of lint; `lintRuleSet` checks them. */
export const lintSchema = z.union([z.looseObject({}), z.array(z.unknown())]);

/** Digests of the parts as they were pulled. */
export const pulledSchema = z.object({ rules: byId(z.string()), lists: byId(z.string()) });

const listCommentsSchema = z.object({ owner: z.string().optional(), terms: byId(z.string()).optional() });

/**
 * The shape of a rule set file. The content of rules and lists is not checked: `createEngine`
 * reports broken ones as issues.
 */
export const entries = z.array(z.unknown()).max(mostEntries, `must have at most ${mostEntries} items`);
export const ruleSetFileSchema = z.object({
  rules: entries,
  lists: entries,
  missing: z
    .array(
      z.object({
        listId: z.string(),
        reason: z.string(),
        kind: z.enum(['gone', 'refused', 'unreachable']).optional(),
      }),
    )
    .default([]),
  truncated: z.boolean().default(false),
  revision: z.string().optional(),
  digest: z.string().optional(),
  semantics: semanticsSchema.optional(),
  lint: lintSchema.optional(),
  comments: byId(listCommentsSchema).optional(),
  pulled: pulledSchema.optional(),
  before: z.object({ target: z.string().optional(), between: byId(z.string()) }).optional(),
  snapshot: z.unknown().optional(),
});

/** Throws `ShapeError` for a rule with too many conditions or filters. */
export function refuseLongRules(path: string, rules: readonly unknown[]): void {
  for (const [index, rule] of rules.entries()) {
    for (const name of ['conditions', 'filters'] as const) {
      const entries = (rule as Readonly<Record<string, unknown>> | null)?.[name];
      if (!Array.isArray(entries) || entries.length <= mostEntries) continue;
      throw new ShapeError(path, `rules[${index}].${name}`, `must have at most ${mostEntries} items`);
    }
  }
}

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { parse } from '../contract/parse.js';
import type { RuleSet } from '../contract/rule-set.js';
import { digest } from '../digest.js';
import { RuleSetError, ShapeError } from '../errors.js';
import { fileError } from '../files/file-reason.js';
import { decodeText, parseJson, readBytes } from '../files/json.js';
import { writeFileAtomically } from '../files/replace-file.js';
import { beyondBounds, mostValuesOfFile } from '../json-bounds.js';
import { refuseUnknownOptions } from '../unknown-options.js';

/** Far above real rule sets. Each rule, list and condition that is broken makes an issue. */
const mostEntries = 100_000;

/**
 * The shape of a rule set file. The content of rules and lists is not checked: `createEngine` reports broken ones as issues.
 */
const entries = z.array(z.unknown()).max(mostEntries, `must have at most ${mostEntries} items`);
const ruleSetFileSchema = z.object({
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
  snapshot: z.unknown().optional(),
});

/** Options of `readRuleSetFile`. */
export interface ReadOptions {
  /**
   * Rejects a file that is not, byte for byte, one that `writeRuleSetFile` wrote: damaged, or edited by hand. Default false: a
   * file written by hand needs neither `revision` nor `digest`, and those of an edited one are ignored.
   */
  readonly verify?: boolean | undefined;
}

/**
 * Reads a rule set from a JSON file; `{ rules, lists }` is enough. `revision` is always the digest of these two.
 * Rejects with `UsageError` for unknown options and when the file cannot be read, with `ShapeError` when it holds no rule set, and with
 * `RuleSetError` when `verify` is set and the file was changed after it was written.
 */
export async function readRuleSetFile(path: string, options: ReadOptions = {}): Promise<RuleSet> {
  refuseUnknownOptions('`readRuleSetFile`', options, ['verify'] satisfies (keyof ReadOptions)[]);
  const text = await readText(path);
  const { ruleSet } = parseRuleSetText(path, text);
  if (options.verify === true && text !== serializeRuleSet(path, ruleSet)) {
    throw new RuleSetError(`${path}: not as it was written, so the file was damaged or edited`);
  }
  return ruleSet;
}

/** Throws `ShapeError` for a rule of more conditions or filters than a file may hold rules. */
function refuseLongRules(path: string, rules: readonly unknown[]): void {
  for (const [index, rule] of rules.entries()) {
    for (const name of ['conditions', 'filters'] as const) {
      const parts = (rule as Readonly<Record<string, unknown>> | null)?.[name];
      if (!Array.isArray(parts) || parts.length <= mostEntries) continue;
      throw new ShapeError(path, `rules[${index}].${name}`, `must have at most ${mostEntries} items`);
    }
  }
}

/**
 * A rule set from the text of a file, and what a snapshot says of itself, as it stands there. Throws `ShapeError` when the text is no JSON,
 * or holds no rule set.
 */
export function parseRuleSetText(
  path: string,
  text: string,
): { readonly ruleSet: RuleSet; readonly snapshot: unknown } {
  const file = parse(ruleSetFileSchema, parseJson(text.replace(/^\ufeff/, ''), path, 'must be JSON, and is not'), path);
  const { rules, lists } = file as Pick<RuleSet, 'rules' | 'lists'>;
  refuseLongRules(path, file.rules);
  const { missing, truncated, snapshot } = file;
  return { ruleSet: { rules, lists, missing, truncated, revision: digest({ rules, lists }) }, snapshot };
}

/**
 * A rule set as the text of a file, with a digest of all of it; a snapshot says something of itself first. Throws `RuleSetError` when the
 * value has no JSON.
 */
export function serializeRuleSet(path: string, ruleSet: RuleSet, snapshot?: object): string {
  const { rules, lists, missing, truncated, revision } = ruleSet;
  try {
    const whole = { ...(snapshot !== undefined && { snapshot }), rules, lists, missing, truncated, revision };
    return `${JSON.stringify({ ...whole, digest: sha256(JSON.stringify(whole)) }, null, 2)}\n`;
  } catch (error) {
    throw new RuleSetError(`${path}: the rule set cannot be written as JSON`, { cause: error });
  }
}

/**
 * Writes a rule set as JSON, atomically: readers of the file see the old content or the new one.
 * Rejects with `UsageError` when the file cannot be written and with `RuleSetError` when the value has no JSON.
 */
export async function writeRuleSetFile(path: string, ruleSet: RuleSet): Promise<void> {
  const text = serializeRuleSet(path, ruleSet);
  try {
    await writeFileAtomically(path, text);
  } catch (error) {
    throw fileError('write the rule set to', path, error);
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The text of a file as it stands, its byte order mark included: a snapshot is verified to the byte. */
async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path, 'read a rule set from');
  const excess = beyondBounds(bytes, { values: mostValuesOfFile });
  if (excess !== undefined) throw new ShapeError(path, 'the whole value', excess);
  return decodeText(bytes, path, 'the whole value', { keepsMark: true });
}

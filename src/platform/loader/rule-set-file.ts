/** Reads and writes a rule set as a file. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import * as z from 'zod';
import { ownSemantics } from '../../engine/semantics.js';
import { digest, digestInPortions } from '../../foundation/digest.js';
import { RuleSetError } from '../../foundation/errors.js';
import { fileError, unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { decodeText, parseJson } from '../../foundation/files/json.js';
import { readBytes } from '../../foundation/files/read-file.js';
import { writeFileAtomically } from '../../foundation/files/replace-file.js';
import { refuseUnknownOptions } from '../../foundation/options.js';
import { runWithPauses } from '../../foundation/portions.js';
import type { RuleSet } from '../contract/rule-set.js';
import { ownOf, parseRuleFile } from './rule-files.js';
import { readRuleSetFolder, rulesFileOf } from './rule-set-folder.js';
import { lintSchema, semanticsSchema } from './rule-set-shape.js';

/** Options of `readRuleSetFile`. */
export interface ReadOptions {
  /**
   * Whether to reject a file that is not, byte for byte, as `writeRuleSetFile` wrote it: damaged,
   * or edited by hand. Default false: a file written by hand needs neither `revision` nor `digest`,
   * and those of an edited file are ignored. Of a folder only rules and lists are compared;
   * comments may differ.
   */
  readonly verify?: boolean | undefined;
  /** Ids of further lists to read from a folder, beside those that its rules and readings name. */
  readonly lists?: readonly string[] | undefined;
}

/**
 * Reads a rule set from a JSON file, for which `{ rules, lists }` is enough, or from a folder with
 * `rules.json` and optionally `lists/ID.txt` and `semantics.json`. `revision` is always the digest
 * of rules and lists. Rejects with `UsageError` for unknown options and a file that cannot be read,
 * with `ShapeError` if it does not have the shape of a rule set, and with `RuleSetError` for wrong
 * readings, or if `verify` is set and the file was changed after it was written.
 */
export async function readRuleSetFile(path: string, options: ReadOptions = {}): Promise<RuleSet> {
  refuseUnknownOptions('`readRuleSetFile`', options, ['verify', 'lists'] satisfies (keyof ReadOptions)[]);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return readRuleSetFolder(path, options);
  const text = await readText(path);
  const { content } = parseRuleFile(path, text);
  const { rules, lists } = content;
  const ruleSet = { ...content, revision: await runWithPauses(digestInPortions({ rules, lists })) };
  if (ruleSet.semantics !== undefined) ownSemantics(ruleSet.semantics, `${path}: \`semantics\``);
  if (options.verify === true && text !== serializeRuleSet(path, ruleSet)) {
    throw new RuleSetError(`${path}: not as it was written, so the file was damaged or edited`);
  }
  return ruleSet;
}

/**
 * Parses the text of a rule set file; `snapshot` is the unchecked section of that name. Throws
 * `ShapeError` if the text is not JSON or not a rule set.
 */
export function parseRuleSetText(
  path: string,
  text: string,
): { readonly ruleSet: RuleSet; readonly snapshot: unknown } {
  const { content, snapshot } = parseRuleFile(path, text);
  const { rules, lists } = content;
  return { ruleSet: { ...content, revision: digest({ rules, lists }) }, snapshot };
}

/**
 * Reads what people wrote into a rule set file that is to be replaced: its readings, and what lint
 * leaves out. Rejects with `UsageError` if the file cannot be read, and with `ShapeError` if it
 * names readings and is not JSON, so that these cannot be kept.
 */
export async function writtenInFile(path: string): Promise<Pick<RuleSet, 'semantics' | 'lint'>> {
  const isFile = await stat(path).then((found) => found.isFile(), unlessMissing);
  const text = isFile === true ? new TextDecoder().decode(await readBytes(path, 'keep the readings of')) : '';
  if (!/"(?:semantics|lint)"/.test(text)) return {};
  const expected = 'must be JSON, so that the readings in it can be kept; move the file away, or fix it';
  return replacedSchema.parse(parseJson(text, path, expected));
}

const replacedSchema = z
  .object({ semantics: semanticsSchema.optional().catch(undefined), lint: lintSchema.optional().catch(undefined) })
  .catch({});

/**
 * Writes a rule set as the text of a file, with a digest of all of it; `snapshot` is a section of a
 * snapshot. Throws `RuleSetError` if the value has no JSON.
 */
export function serializeRuleSet(path: string, ruleSet: RuleSet, snapshot?: object): string {
  const { rules, lists, missing, truncated, revision } = ruleSet;
  try {
    const content = { rules, lists, missing, truncated, revision, ...ownOf(ruleSet) };
    const whole = { ...(snapshot !== undefined && { snapshot }), ...content };
    return `${JSON.stringify({ ...whole, digest: sha256(JSON.stringify(whole)) }, null, 2)}\n`;
  } catch (error) {
    throw new RuleSetError(`${path}: the rule set cannot be written as JSON`, { cause: error });
  }
}

/**
 * Writes a rule set as JSON, atomically: readers of the file see the old content or the new one.
 * Rejects with `UsageError` if the file cannot be written, and with `RuleSetError` if the value has
 * no JSON.
 */
export async function writeRuleSetFile(path: string, ruleSet: RuleSet): Promise<void> {
  const text = serializeRuleSet(path, ruleSet);
  try {
    await writeFileAtomically(path, text);
  } catch (error) {
    throw fileError('write the rule set to', path, error);
  }
}

/**
 * Notes in the file or folder of a rule set what a platform has of its parts, and that an apply
 * before which it was kept is done. Rejects as `writeRuleSetFile` does.
 */
export async function renewPulled(
  path: string,
  { pulled, revision }: Pick<RuleSet, 'pulled' | 'revision'>,
): Promise<void> {
  const isFolder = (await stat(path)).isDirectory();
  const file = isFolder ? rulesFileOf(path) : path;
  const text = await readText(file);
  const value = JSON.parse(text.replace(/^\ufeff/, '')) as Readonly<Record<string, unknown>>;
  const isWritten = !isFolder && 'digest' in value;
  const { ruleSet, snapshot } = isWritten ? parseRuleSetText(file, text) : { ruleSet: undefined, snapshot: undefined };
  const before = ruleSet?.before && { ...ruleSet.before, target: undefined };
  const written = ruleSet && serializeRuleSet(file, { ...ruleSet, pulled, before }, snapshot as object | undefined);
  const renewed = { ...value, ...('revision' in value && { revision }), pulled };
  await withFileErrors('write the rule set to', file, () =>
    writeFileAtomically(file, written ?? printLike(text, renewed)),
  );
}

/** Writes JSON with the indent of another text. */
function printLike(text: string, value: object): string {
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? (text.trimEnd().includes('\n') ? 2 : 0);
  return `${JSON.stringify(value, null, indent)}\n`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Reads the text of a file, including its byte order mark: a snapshot is verified to the byte. */
async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path, 'read a rule set from');
  return decodeText(bytes, path, 'the whole value', { keepsMark: true });
}

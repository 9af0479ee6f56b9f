/**
 * A rule set as a folder for a repository: `rules.json`, `lists/ID.txt` (term-list.ts) and
 * `semantics.json`. `rules.json` has the order and further fields of the lists, and whole lists
 * that are not lines of text.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { exceptionLists, ownSemantics, type Semantics } from '../../engine/semantics.js';
import { digestInPortions } from '../../foundation/digest.js';
import { RuleSetError, ShapeError, UsageError } from '../../foundation/errors.js';
import { unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { decodeText, readBytes, readJsonFile } from '../../foundation/files/json.js';
import { makeDirectory } from '../../foundation/files/make-directory.js';
import { kindOf, makeOwnFolder, readOwn, removeOwn } from '../../foundation/files/own-entries.js';
import { type FileReplacement, replaceOwn } from '../../foundation/files/replace-file.js';
import { runWithPauses } from '../../foundation/portions.js';
import { parse } from '../contract/parse.js';
import { type ListComments, type ListNotice, lostLists, type RuleSet } from '../contract/rule-set.js';
import { digestOf, digestParts } from './part-form.js';
import {
  entries,
  lintSchema,
  pulledSchema,
  refuseLongRules,
  ruleSetFileSchema,
  semanticsSchema,
} from './rule-set-shape.js';
import { fitsHead, listFileName, listIdOf, parseTermList, printTermList } from './term-list.js';

/**
 * The names in a folder. `lists.json` belongs to an older form, in which it and `rules.json` are
 * arrays.
 */
const names = { rules: 'rules.json', lists: 'lists', semantics: 'semantics.json', oldLists: 'lists.json' } as const;

export const rulesFileOf = (folder: string) => join(folder, names.rules);

const folderSchema = ruleSetFileSchema.extend({ lists: entries.default([]) });
/**
 * The parts of `rules.json` that outlive a new pull: the written lists, readings, and what lint
 * leaves out.
 */
const writtenSchema = z
  .object({
    written: z.array(z.string()).catch([]),
    pulled: pulledSchema.optional().catch(undefined),
    semantics: semanticsSchema.optional().catch(undefined),
    lint: lintSchema.optional().catch(undefined),
  })
  .catch({ written: [] });

/**
 * Files of a folder are read repeatedly: a pipe or device that does not answer would block all of
 * it.
 */
const regular = { isRegular: true } as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a rule set from a folder: the lists that `rules.json` names, in its order, then further
 * files of `lists/` that rules, the exceptions of its readings or `others` name. Rejects as
 * `readRuleSetFile` does.
 */
export async function readRuleSetFolder(
  folder: string,
  verify: boolean,
  others: readonly string[],
  areReadingsChecked = true,
): Promise<RuleSet> {
  const path = join(folder, names.rules);
  const value = await readJsonFile(path, regular);
  const whole = rowsOf(value) === undefined ? value : { rules: rowsOf(value), lists: await readOldLists(folder) };
  const file = parse(folderSchema, whole, path);
  refuseLongRules(path, file.rules);
  const notices: ListNotice[] = [];
  const files = await termFiles(folder, notices);
  const comments: Record<string, ListComments> = { ...file.comments };
  const read = (id: string, fields: Fields) => readList(folder, id, fields, { files, notices, comments });
  const bare = new Set(file.lists.map(bareId));
  const lists: unknown[] = [];
  for (const [index, list] of file.lists.entries()) {
    const [id, other] = [bareId(list), (list as Fields | null)?.id];
    if (typeof other === 'string' && files.has(other) && !bare.has(other)) {
      const both = `must have its terms here or in ${names.lists}/${files.get(other)}, not in both`;
      throw new ShapeError(path, `lists[${index}]`, both);
    }
    lists.push(id !== undefined && files.has(id) ? await read(id, list as Fields) : list);
  }
  const semantics = areReadingsChecked ? await checkedSemantics(folder, file.semantics) : undefined;
  const named = new Set<unknown>([...namedByRules(file.rules), ...exceptionLists(semantics), ...others]);
  // A file named like a list that the platform does not have is not its list.
  for (const { listId } of file.missing) named.delete(listId);
  for (const id of [...files.keys()].sort()) if (named.has(id)) lists.push(await read(id, {}));
  const { rules, missing, truncated, revision: written, lint, pulled } = file;
  const revision = await runWithPauses(digestInPortions({ rules, lists }));
  if (verify && revision !== written) throw new RuleSetError(`${folder}: not as it was written, so it was edited`);
  return {
    ...({ rules, lists } as Pick<RuleSet, 'rules' | 'lists'>),
    missing,
    truncated,
    revision,
    ...(semantics && { semantics: semantics as NonNullable<RuleSet['semantics']> }),
    ...(lint && { lint }),
    ...(Object.keys(comments).length > 0 && { comments }),
    ...(pulled && { pulled }),
    ...(notices.length > 0 && { notices }),
  };
}

/**
 * Reads the file of a list, which is then no longer among the files to read, and notes its
 * comments.
 */
async function readList(
  folder: string,
  id: string,
  fields: Fields,
  {
    files,
    notices,
    comments,
  }: { files: Map<string, string>; notices: ListNotice[]; comments: Record<string, ListComments> },
): Promise<Fields> {
  const place = join(folder, names.lists, files.get(id)!);
  files.delete(id);
  const text = decodeText(await readBytes(place, undefined, regular), place);
  const { head, terms, comments: noted, hashtags } = parseTermList(text, place);
  for (const line of hashtags) {
    const advice = 'a term that begins with `#` stands in quotation marks, and a comment has a blank behind its `#`';
    notices.push({ code: 'unread-line', listId: id, detail: `${line}, is read as a comment: ${advice}` });
  }
  const { owner, ...own } = head;
  if (owner !== undefined || noted.size > 0) {
    const ofTerms = noted.size > 0 && { terms: Object.fromEntries(noted) };
    Object.defineProperty(comments, id, { value: { ...(owner && { owner }), ...ofTerms }, enumerable: true });
  }
  return { ...fields, id, ...own, searchTerms: terms };
}

/** Returns the rows of the older form, an array or `{ "data": [...] }` as a platform answers. */
function rowsOf(value: unknown): unknown[] | undefined {
  const rows = Array.isArray(value) ? value : (value as Fields | null)?.data;
  return Array.isArray(rows) ? rows : undefined;
}

async function readOldLists(folder: string): Promise<unknown> {
  const path = join(folder, names.oldLists);
  if ((await kindOf(path)) === undefined) return [];
  const value = await readJsonFile(path, regular);
  return rowsOf(value) ?? value;
}

/** Resolves to the readings of a folder: those of its file, else those in `rules.json`. */
async function checkedSemantics(folder: string, given: RuleSet['semantics']): Promise<Partial<Semantics> | undefined> {
  const written = await writtenSemantics(folder);
  if (written !== undefined) return ownSemantics(written, join(folder, names.semantics));
  return given && ownSemantics(given, `${join(folder, names.rules)}: \`semantics\``);
}

async function writtenSemantics(folder: string): Promise<RuleSet['semantics']> {
  const path = join(folder, names.semantics);
  return (await kindOf(path)) === undefined
    ? undefined
    : parse(semanticsSchema, await readJsonFile(path, regular), path);
}

/**
 * Reads the readings in a folder that is to be written again; undefined if it has none. Rejects as
 * `writtenInFile` does.
 */
export function semanticsInFolder(folder: string): Promise<RuleSet['semantics']> {
  return withFileErrors(
    'keep the readings of',
    folder,
    async () => (await writtenSemantics(folder)) ?? (await writtenEarlier(join(folder, names.rules))).semantics,
  );
}

/** Returns the id of a list whose terms may be in a file. */
function bareId(list: unknown): string | undefined {
  const { id, searchTerms } = (list ?? {}) as Fields;
  return typeof id === 'string' && searchTerms === undefined ? id : undefined;
}

/**
 * Maps ids of lists to names of files of terms; of two files of one list the last in alphabetical
 * order, which is noticed.
 */
async function termFiles(folder: string, notices: ListNotice[] = []): Promise<Map<string, string>> {
  const path = join(folder, names.lists);
  const found = await withFileErrors('read', path, async () => (await readdir(path).catch(unlessMissing)) ?? []);
  const files = new Map<string, string>();
  for (const name of found.filter((name) => name.endsWith('.txt')).sort()) {
    const [listId, other] = [listIdOf(name), files.get(listIdOf(name))];
    const detail = `its terms are those of ${names.lists}/${name}: ${names.lists}/${other} is a file of the same list, and is not read`;
    if (other !== undefined) notices.push({ code: 'duplicate-list', listId, detail });
    files.set(listId, name);
  }
  return files;
}

/** Returns all values of conditions, among them the ids of lists. */
function namedByRules(rules: readonly unknown[]): readonly unknown[] {
  const conditions = rules.flatMap((rule) => ((rule as Fields | null)?.conditions ?? []) as readonly unknown[]);
  return conditions.flatMap((condition) => ((condition as Fields | null)?.value ?? []) as unknown);
}

/** Resolves to the paths whose states together are the state of a rule set file or folder. */
export async function filesOfRuleSet(path: string): Promise<string[]> {
  if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) return [path];
  const lists = [...(await termFiles(path)).values()].map((name) => join(path, names.lists, name));
  return [...[names.rules, names.semantics, names.oldLists, names.lists].map((name) => join(path, name)), ...lists];
}

/**
 * Writes a rule set into a folder, which is made if necessary. Each file is replaced whole or not
 * at all, none before all are written; a file that would stay the same is not touched. Comments on
 * terms that stay are kept, and so are other files, readings unless the rule set brings some, and
 * what lint leaves out. Files of lists that are gone are removed if an earlier call wrote them
 * (`written` in `rules.json`); the file of a list that could not be fetched stays, and is not read.
 * Rejects with `UsageError` if the folder cannot be written or has rules in the older form, with
 * `ShapeError` if a list in it cannot be read, and with `RuleSetError` if the rule set has no JSON.
 */
export async function writeRuleSetFolder(folder: string, ruleSet: RuleSet): Promise<void> {
  await withFileErrors('write the rule set to', folder, async () => {
    const listsFolder = join(folder, names.lists);
    await makeDirectory(folder);
    await makeOwnFolder(listsFolder);
    if ((await kindOf(join(folder, names.oldLists))) !== undefined) {
      throw new UsageError(
        `\`${folder}\` holds ${names.oldLists}, lists in an older form; move it away, or choose another`,
      );
    }
    const earlier = await writtenEarlier(join(folder, names.rules));
    const { lists, texts } = await partsOf(ruleSet, listsFolder);
    const { rules, missing, truncated, revision, semantics, pulled, lint = earlier.lint } = ruleSet;
    const unread = new Set(lists.map((list) => (list as Fields | null)?.id));
    const lost = new Set(lostLists(ruleSet).flatMap(({ listId }) => (unread.has(listId) ? [] : [listId])));
    const left = earlier.written.filter((id) => lost.has(id) && !texts.has(id));
    const written = [...texts.keys(), ...left];
    const files = new Map([...texts.keys()].map((id) => [join(listsFolder, listFileName(id)!), texts.get(id)!]));
    if (semantics !== undefined) files.set(join(folder, names.semantics), json(semantics, folder));
    const kept = semantics === undefined && earlier.semantics !== undefined && { semantics: earlier.semantics };
    const stay = Object.entries(earlier.pulled?.lists ?? {}).filter(([id]) => left.includes(id));
    const digests = pulled && { ...pulled, lists: Object.fromEntries([...stay, ...Object.entries(pulled.lists)]) };
    const whole = { rules, lists, missing, truncated, revision, written };
    const own = { ...kept, ...(lint && { lint }), ...(digests && { pulled: digests }) };
    files.set(join(folder, names.rules), json({ ...whole, ...own }, folder));
    await replaceAll(files);
    for (const id of earlier.written.filter((id) => !written.includes(id))) {
      const name = listFileName(id);
      if (name !== undefined) await removeOwn(join(listsFolder, name));
    }
  });
}

/**
 * Throws `UsageError` if a folder holds rules or lists that `writeRuleSetFolder` would replace, and
 * that it did not write or that were edited since. Comments, readings and what lint leaves out do
 * not count, since they are kept. `coming` are the lists that would be written.
 */
export async function refuseEditedFolder(folder: string, coming: RuleSet['lists'] = []): Promise<void> {
  await withFileErrors('read', folder, async () => {
    const path = join(folder, names.rules);
    const { written, pulled } = await writtenEarlier(path);
    const files = await termFiles(folder);
    const foreign = coming.find(({ id }) => files.has(id) && !written.includes(id));
    const isThere = (await kindOf(path)) !== undefined;
    if (foreign === undefined && (!isThere || (await isAsPulled(folder, pulled)))) return;
    const place = foreign === undefined ? folder : join(folder, names.lists, files.get(foreign.id)!);
    throw new UsageError({
      fact: `\`${place}\` was edited since a rule set was pulled into it, or holds one that was not pulled`,
      advice: 'replace-results',
    });
  });
}

/** Reports whether all of a folder that a pull replaces is as it was pulled. */
async function isAsPulled(folder: string, pulled: RuleSet['pulled']): Promise<boolean> {
  if (pulled === undefined) return false;
  try {
    const file = (await readJsonFile(join(folder, names.rules), regular)) as Fields;
    if (Object.keys(file).some((field) => !(field in folderSchema.shape || field in writtenSchema.unwrap().shape)))
      return false;
    const ruleSet = await readRuleSetFolder(folder, true, Object.keys(pulled.lists), false);
    const [now, missing] = [digestParts(ruleSet), new Set(ruleSet.missing.map(({ listId }) => listId))];
    return (['rules', 'lists'] as const).every(
      (kind) =>
        Object.entries(now[kind]).every(([id, digest]) => digestOf(pulled[kind], id) === digest) &&
        Object.keys(pulled[kind]).every((id) => Object.hasOwn(now[kind], id) || (kind === 'lists' && missing.has(id))),
    );
  } catch {
    return false;
  }
}

function json(value: unknown, folder: string): string {
  try {
    return `${JSON.stringify(value, null, 2)}\n`;
  } catch (error) {
    throw new RuleSetError(`${folder}: the rule set cannot be written as JSON`, { cause: error });
  }
}

async function writtenEarlier(path: string): Promise<z.infer<typeof writtenSchema>> {
  const text = await readOwn(path);
  try {
    return writtenSchema.parse(text === undefined ? undefined : JSON.parse(text));
  } catch {
    return { written: [] };
  }
}

/** Divides lists into those of `rules.json` and the texts of those that are lines, by id. */
async function partsOf({ lists, comments = {} }: RuleSet, listsFolder: string) {
  const texts = new Map<string, string>();
  const taken = new Set<string>();
  const malformed = new Set(lists.map(bareId));
  const left: unknown[] = [];
  for (const list of lists as readonly unknown[]) {
    const { id, name, category, searchTerms, ...others } = { ...(list as Fields | null) };
    const file = listFileName(id);
    const isLines = Array.isArray(searchTerms) && searchTerms.every((term) => typeof term === 'string');
    // Names that differ by case alone are one file on some systems; a list without terms would be
    // read with those of its file.
    const isAlone = file !== undefined && !taken.has(file.toLowerCase()) && !malformed.has(id as string);
    if (!isLines || typeof id !== 'string' || !isAlone) {
      left.push(list);
      continue;
    }
    taken.add(file.toLowerCase());
    const path = join(listsFolder, file);
    const noted = Object.hasOwn(comments, id) ? comments[id] : undefined;
    const [inHead, owner] = [{ name, category }, fitsHead(noted?.owner) ? { owner: noted.owner } : {}];
    const fitting = Object.entries(inHead).filter(([, value]) => fitsHead(value));
    const aside = Object.entries(inHead).filter(([, value]) => value !== undefined && !fitsHead(value));
    const written = { head: { ...Object.fromEntries(fitting), ...owner }, terms: searchTerms, comments: noted?.terms };
    texts.set(id, printTermList(written, (await readOwn(path)) ?? '', path));
    left.push({ id, ...Object.fromEntries(aside), ...others });
  }
  return { lists: left, texts };
}

/** Writes all files aside, then moves them to their places. */
async function replaceAll(files: ReadonlyMap<string, string>): Promise<void> {
  const open: FileReplacement[] = [];
  try {
    for (const [path, text] of files) {
      if ((await readOwn(path)) === text) continue;
      const file = await replaceOwn(path);
      open.push(file);
      await file.append(text);
    }
    for (const file of open) await file.flush();
    for (const file of open) await file.commit();
  } finally {
    for (const file of open) await file.discard();
  }
}

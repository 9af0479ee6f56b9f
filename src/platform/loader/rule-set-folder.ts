/** A rule set as a folder for a repository, opened by Node; `rule-files.ts` says what is in it. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { makeDirectory } from '../../foundation/files/make-directory.js';
import { kindOf, makeOwnFolder, readOwn, removeOwn } from '../../foundation/files/own-entries.js';
import { readBytes, readJsonFile } from '../../foundation/files/read-file.js';
import { type FileReplacement, replaceOwn } from '../../foundation/files/replace-file.js';
import { lostLists, type RuleSet } from '../contract/rule-set.js';
import { digestOf, digestParts } from './part-form.js';
import {
  bareId,
  folderSchema,
  names,
  type RuleFiles,
  type RuleFilesOptions,
  readRuleFiles,
  termFilesOf,
  writtenSemantics,
} from './rule-files.js';
import { lintSchema, pulledSchema, semanticsSchema } from './rule-set-shape.js';
import { fitsHead, listFileName, printTermList } from './term-list.js';

export const rulesFileOf = (folder: string) => join(folder, names.rules);

/**
 * The fields of `rules.json` that a new pull keeps: the written lists, readings, and what lint
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
 * Files of a folder are read repeatedly: a pipe or device that does not answer would block all
 * reading.
 */
const regular = { isRegular: true } as const;

type Fields = Readonly<Record<string, unknown>>;

/** Opens the files of a folder. */
function filesIn(folder: string): RuleFiles {
  const pathOf = (name: string) => join(folder, name);
  return {
    folder,
    pathOf,
    has: async (name) => (await kindOf(pathOf(name))) !== undefined,
    read: (name) => readBytes(pathOf(name), undefined, regular),
    listNames: () =>
      withFileErrors(
        'read',
        pathOf(names.lists),
        async () => (await readdir(pathOf(names.lists)).catch(unlessMissing)) ?? [],
      ),
  };
}

/** Reads a rule set from a folder, as `readRuleFiles` does. Rejects as `readRuleSetFile` does. */
export function readRuleSetFolder(folder: string, options: RuleFilesOptions = {}): Promise<RuleSet> {
  return readRuleFiles(filesIn(folder), options);
}

const termFiles = (folder: string) => termFilesOf(filesIn(folder));

/**
 * Reads the readings in a folder that is to be written again; undefined if the folder has no
 * readings. Rejects as `writtenInFile` does.
 */
export function semanticsInFolder(folder: string): Promise<RuleSet['semantics']> {
  return withFileErrors(
    'keep the readings of',
    folder,
    async () =>
      (await writtenSemantics(filesIn(folder))) ?? (await writtenEarlier(join(folder, names.rules))).semantics,
  );
}

/** Resolves to the paths whose states together are the state of a rule set file or folder. */
export async function filesOfRuleSet(path: string): Promise<string[]> {
  if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) return [path];
  const lists = [...(await termFiles(path)).values()].map((name) => join(path, names.lists, name));
  return [...[names.rules, names.semantics, names.oldLists, names.lists].map((name) => join(path, name)), ...lists];
}

/**
 * Writes a rule set into a folder, which is made if necessary. Each file is replaced whole or not
 * at all, and only once all are written; a file that would stay the same is not touched. Comments
 * on terms that stay are kept, and so are other files, readings unless the rule set has some, and
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
    const ownFields = { ...kept, ...(lint && { lint }), ...(digests && { pulled: digests }) };
    files.set(join(folder, names.rules), json({ ...whole, ...ownFields }, folder));
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
    const blamed = foreign === undefined ? folder : join(folder, names.lists, files.get(foreign.id)!);
    throw new UsageError({
      fact: `\`${blamed}\` was edited since a rule set was pulled into it, or holds one that was not pulled`,
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
    const ruleSet = await readRuleSetFolder(folder, {
      verify: true,
      lists: Object.keys(pulled.lists),
      areReadingsChecked: false,
    });
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
    const { id, name, category, searchTerms, ...furtherFields } = { ...(list as Fields | null) };
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
    left.push({ id, ...Object.fromEntries(aside), ...furtherFields });
  }
  return { lists: left, texts };
}

/** Writes all files under temporary names, then renames them. */
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

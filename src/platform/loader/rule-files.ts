/**
 * A rule set in files, by their names: one file, or a folder for a repository with `rules.json`,
 * `lists/ID.txt` (term-list.ts) and `semantics.json`. `rules.json` has the order and further fields
 * of the lists, and whole lists that are not lines of text. Parsing is the same whether the files
 * are opened by Node or in a browser.
 */
import { exceptionLists, ownSemantics, type Semantics } from '../../engine/semantics.js';
import { digestInPortions } from '../../foundation/digest.js';
import { RuleSetError, ShapeError } from '../../foundation/errors.js';
import { decodeText, parseJson } from '../../foundation/files/json.js';
import { runWithPauses } from '../../foundation/portions.js';
import { parse } from '../contract/parse.js';
import type { ListComments, ListNotice, RuleSet } from '../contract/rule-set.js';
import { entries, refuseLongRules, ruleSetFileSchema, semanticsSchema } from './rule-set-shape.js';
import { listIdOf, parseTermList } from './term-list.js';

/**
 * The names in a folder. `lists.json` belongs to an older form, in which it and `rules.json` are
 * arrays.
 */
export const names = {
  rules: 'rules.json',
  lists: 'lists',
  semantics: 'semantics.json',
  oldLists: 'lists.json',
} as const;

/** The files of a folder, by names with `/` in them. */
export interface RuleFiles {
  /** The path of the folder in errors. */
  readonly folder: string;
  /** Returns the path of a file in errors. */
  pathOf(name: string): string;
  /** Resolves to whether there is a file. */
  has(name: string): Promise<boolean>;
  /** Resolves to the bytes of a file. Rejects with `UsageError` if it cannot be read. */
  read(name: string): Promise<Uint8Array>;
  /** Resolves to the names of the files in `lists/`. */
  listNames(): Promise<readonly string[]>;
}

/** Options of `readRuleFiles`. */
export interface RuleFilesOptions {
  /** Whether to reject rules and lists that are not as they were written. */
  readonly verify?: boolean | undefined;
  /** Ids of further lists to read, beside those that rules and readings name. */
  readonly lists?: readonly string[] | undefined;
  /** Whether readings are checked, and part of the result. Default: true. */
  readonly areReadingsChecked?: boolean | undefined;
}

export const folderSchema = ruleSetFileSchema.extend({ lists: entries.default([]) });

type Fields = Readonly<Record<string, unknown>>;

async function readJson(files: RuleFiles, name: string): Promise<unknown> {
  return parseJson(await files.read(name), files.pathOf(name));
}

/**
 * Parses the text of a rule set file without the digest, which takes as long as everything else;
 * `snapshot` is the unchecked section of that name. Throws `ShapeError` if the text is not JSON or
 * not a rule set, and `RuleSetError` for wrong readings.
 */
export function parseRuleFile(
  path: string,
  text: string,
): { readonly content: Omit<RuleSet, 'revision'>; readonly snapshot: unknown } {
  const file = parse(ruleSetFileSchema, parseJson(text.replace(/^\ufeff/, ''), path, 'must be JSON, and is not'), path);
  const { rules, lists } = file as Pick<RuleSet, 'rules' | 'lists'>;
  refuseLongRules(path, file.rules);
  const { missing, truncated, snapshot } = file;
  return { content: { rules, lists, missing, truncated, ...ownOf(file) }, snapshot };
}

/** The fields of a rule set that are not rules, lists, or facts about these. */
const ownFields = ['semantics', 'lint', 'comments', 'pulled', 'before'] as const;

/** Returns those of these fields that a rule set has. */
export function ownOf(ruleSet: Pick<RuleSet, (typeof ownFields)[number]>): Pick<RuleSet, (typeof ownFields)[number]> {
  return Object.fromEntries(ownFields.flatMap((name) => (ruleSet[name] ? [[name, ruleSet[name]]] : [])));
}

/**
 * Reads a rule set from a folder: the lists that `rules.json` names, in its order, then further
 * files of `lists/` that rules, the exceptions of its readings or the options name. Rejects with
 * `ShapeError` for what does not have the shape of a rule set, and with `RuleSetError` for wrong
 * readings.
 */
export async function readRuleFiles(
  folder: RuleFiles,
  { verify = false, lists: moreLists = [], areReadingsChecked = true }: RuleFilesOptions = {},
): Promise<RuleSet> {
  const path = folder.pathOf(names.rules);
  const value = await readJson(folder, names.rules);
  const whole = rowsOf(value) === undefined ? value : { rules: rowsOf(value), lists: await readOldLists(folder) };
  const file = parse(folderSchema, whole, path);
  refuseLongRules(path, file.rules);
  const notices: ListNotice[] = [];
  const files = await termFilesOf(folder, notices);
  const comments: Record<string, ListComments> = { ...file.comments };
  const read = (id: string, fields: Fields) => readList(folder, id, fields, { files, notices, comments });
  const bare = new Set(file.lists.map(bareId));
  const lists: unknown[] = [];
  for (const [index, list] of file.lists.entries()) {
    const [id, givenId] = [bareId(list), (list as Fields | null)?.id];
    if (typeof givenId === 'string' && files.has(givenId) && !bare.has(givenId)) {
      const both = `must have its terms here or in ${names.lists}/${files.get(givenId)}, not in both`;
      throw new ShapeError(path, `lists[${index}]`, both);
    }
    lists.push(id !== undefined && files.has(id) ? await read(id, list as Fields) : list);
  }
  const semantics = areReadingsChecked ? await checkedSemantics(folder, file.semantics) : undefined;
  const named = new Set<unknown>([...namedByRules(file.rules), ...exceptionLists(semantics), ...moreLists]);
  // A file with the name of a missing list is not that list of the platform.
  for (const { listId } of file.missing) named.delete(listId);
  for (const id of [...files.keys()].sort()) if (named.has(id)) lists.push(await read(id, {}));
  const { rules, missing, truncated, revision: written, lint, pulled } = file;
  const revision = await runWithPauses(digestInPortions({ rules, lists }));
  if (verify && revision !== written)
    throw new RuleSetError(`${folder.folder}: not as it was written, so it was edited`);
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
  folder: RuleFiles,
  id: string,
  fields: Fields,
  {
    files,
    notices,
    comments,
  }: { files: Map<string, string>; notices: ListNotice[]; comments: Record<string, ListComments> },
): Promise<Fields> {
  const name = `${names.lists}/${files.get(id)}`;
  files.delete(id);
  const listPath = folder.pathOf(name);
  const text = decodeText(await folder.read(name), listPath);
  const { head, terms, comments: noted, hashtags } = parseTermList(text, listPath);
  for (const line of hashtags) {
    const advice = 'a term that begins with `#` stands in quotation marks, and a comment has a blank behind its `#`';
    notices.push({ code: 'unread-line', listId: id, detail: `${line}, is read as a comment: ${advice}` });
  }
  const { owner, ...ownHead } = head;
  if (owner !== undefined || noted.size > 0) {
    const ofTerms = noted.size > 0 && { terms: Object.fromEntries(noted) };
    Object.defineProperty(comments, id, { value: { ...(owner && { owner }), ...ofTerms }, enumerable: true });
  }
  return { ...fields, id, ...ownHead, searchTerms: terms };
}

/** Returns the rows of the older form, an array or `{ "data": [...] }` as a platform answers. */
function rowsOf(value: unknown): unknown[] | undefined {
  const rows = Array.isArray(value) ? value : (value as Fields | null)?.data;
  return Array.isArray(rows) ? rows : undefined;
}

async function readOldLists(folder: RuleFiles): Promise<unknown> {
  if (!(await folder.has(names.oldLists))) return [];
  const value = await readJson(folder, names.oldLists);
  return rowsOf(value) ?? value;
}

/** Resolves to the readings of a folder: those of its file, else those in `rules.json`. */
async function checkedSemantics(
  folder: RuleFiles,
  given: RuleSet['semantics'],
): Promise<Partial<Semantics> | undefined> {
  const written = await writtenSemantics(folder);
  if (written !== undefined) return ownSemantics(written, folder.pathOf(names.semantics));
  return given && ownSemantics(given, `${folder.pathOf(names.rules)}: \`semantics\``);
}

/** Resolves to the readings in the file of a folder, unchecked; undefined without one. */
export async function writtenSemantics(folder: RuleFiles): Promise<RuleSet['semantics']> {
  if (!(await folder.has(names.semantics))) return undefined;
  return parse(semanticsSchema, await readJson(folder, names.semantics), folder.pathOf(names.semantics));
}

/** Returns the id of a list whose terms may be in a file. */
export function bareId(list: unknown): string | undefined {
  const { id, searchTerms } = (list ?? {}) as Fields;
  return typeof id === 'string' && searchTerms === undefined ? id : undefined;
}

/**
 * Maps ids of lists to names of files of terms; of two files of one list the last in alphabetical
 * order, which is noticed.
 */
export async function termFilesOf(folder: RuleFiles, notices: ListNotice[] = []): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const name of (await folder.listNames()).filter((name) => name.endsWith('.txt')).sort()) {
    const [listId, earlierFile] = [listIdOf(name), files.get(listIdOf(name))];
    const detail = `its terms are those of ${names.lists}/${name}: ${names.lists}/${earlierFile} is a file of the same list, and is not read`;
    if (earlierFile !== undefined) notices.push({ code: 'duplicate-list', listId, detail });
    files.set(listId, name);
  }
  return files;
}

/** Returns all values of conditions, among them the ids of lists. */
function namedByRules(rules: readonly unknown[]): readonly unknown[] {
  const conditions = rules.flatMap((rule) => ((rule as Fields | null)?.conditions ?? []) as readonly unknown[]);
  return conditions.flatMap((condition) => ((condition as Fields | null)?.value ?? []) as unknown);
}

/**
 * Reads what the service serves: the files of a data directory, a rule set as `sluice pull` writes
 * it, or plain objects.
 */
import { createReadStream } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as z from 'zod';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { inflated } from '../../foundation/files/gzip.js';
import { readNdjson } from '../../foundation/files/lines.js';
import { readJsonFile } from '../../foundation/files/read-file.js';
import { parse } from '../contract/parse.js';
import { readRuleSetFile } from '../loader/rule-set-file.js';
import { bundledMessages } from './bundled-messages.js';
import * as rows from './rows.js';
import { createConversationAssignment } from './store.js';

/** The file of each collection. */
const dataFiles = {
  users: 'users.ndjson',
  groups: 'groups.ndjson',
  messages: 'messages.ndjson',
  rules: 'rules.json',
  lists: 'lists.json',
} as const satisfies Record<keyof rows.ServiceData, string>;

type Collection = keyof typeof dataFiles;

/** Checked rows; rows of groups have their origin, for checks that need the messages. */
export type LoadedRows = Awaited<ReturnType<typeof loadRows>>;

/** Checks a row; `source` is its origin, as errors name it. */
type Check<Row> = (value: unknown, source: string) => Row;
type ReadRows = <Row>(collection: Collection, check: Check<Row>) => Promise<Row[]>;

/**
 * The fixtures that come with the package; their path is the same from `src/platform/service` and
 * from `dist/platform/service`.
 */
const bundled = fileURLToPath(new URL('../../../fixtures/data/', import.meta.url));

/**
 * Reads what is served: `data`, or else the bundled fixtures. Throws `ShapeError` that names file
 * and line (`data.messages[3]` for plain objects), and `UsageError` for a directory that cannot be
 * read or holds no such file.
 */
export async function load(data: string | rows.ServiceData = bundled): Promise<LoadedRows> {
  if (data === '' || data === null || !['string', 'object'].includes(typeof data)) {
    throw new UsageError('`data` must be the path of a data directory, or its content as an object');
  }
  if (typeof data === 'object') return loadRows(async (collection, check) => readObjects(data, collection, check));
  const isFile = await stat(data).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isFile) return loadRows((await readRuleSet(data))!);
  const files = await findFiles(data);
  const ruleSet = files.has('rules') ? await readRuleSet(data) : undefined;
  if (ruleSet !== undefined && files.has('lists')) {
    throw new UsageError(
      `the lists of \`${data}\` stand in ${dataFiles.lists} and with ${dataFiles.rules}; keep one of them`,
    );
  }
  const read: ReadRows = async (collection, check) => {
    if (ruleSet !== undefined && (collection === 'rules' || collection === 'lists')) return ruleSet(collection, check);
    const file = files.get(collection);
    if (file === undefined) {
      const isBundled = data === bundled && collection === 'messages';
      return isBundled ? Array.from(bundledMessages(), (row, index) => check(row, `${data}: messages[${index}]`)) : [];
    }
    return withFileErrors('read', file, () => (file.endsWith('.json') ? readArray : readLines)(file, check));
  };
  return loadRows(read);
}

/**
 * Reads rules and lists of a rule set, from a file or a folder; undefined for a folder whose
 * `rules.json` is an array, with the lists in `lists.json`. Throws `UsageError` and `ShapeError`.
 */
async function readRuleSet(path: string): Promise<ReadRows | undefined> {
  if ((await stat(path)).isDirectory()) {
    const value = (await readJsonFile(join(path, dataFiles.rules))) as { readonly rules?: unknown } | null;
    if (value?.rules === undefined) return undefined;
  }
  const ruleSet = await readRuleSetFile(path);
  return async (collection, check) => {
    const found: readonly unknown[] = collection === 'rules' || collection === 'lists' ? ruleSet[collection] : [];
    return found.map((row, index) => check(row, `${path}: ${collection}[${index}]`));
  };
}

async function loadRows(read: ReadRows) {
  const groups = await read('groups', withSource(unique(rows.groupRowSchema, 'guid')));
  const messageOf = unique(rows.messageRowSchema, 'id');
  const assign = createConversationAssignment(groups.map(({ row }) => row));
  return {
    users: await read('users', unique(rows.userRowSchema, 'uid')),
    groups,
    messages: await read('messages', (value, source) => assign(messageOf(value, source), source)),
    rules: await read('rules', rows.moderationRow),
    lists: await read('lists', rows.moderationRow),
  };
}

/** Returns a check of rows by a schema, and of their keys, which must be unique. */
function unique<Schema extends z.ZodType>(schema: Schema, key: keyof z.infer<Schema> & string): Check<z.infer<Schema>> {
  const seen = new Set<unknown>();
  return (value, source) => {
    const row = parse(schema, value, source);
    if (seen.has(row[key])) throw new ShapeError(source, key, 'must be unique');
    seen.add(row[key]);
    return row;
  };
}

function withSource<Row>(check: Check<Row>) {
  return (value: unknown, source: string) => ({ row: check(value, source), source });
}

/**
 * Reads rows as they would go over the wire. A value without JSON is refused now and not when it is
 * served.
 */
function readObjects<Row>(data: rows.ServiceData, collection: Collection, check: Check<Row>): Row[] {
  const given: unknown = data[collection] ?? [];
  if (!Array.isArray(given)) throw new ShapeError('data', collection, 'must be an array');
  return Array.from(given, (row: unknown, index) => {
    const source = `data.${collection}[${index}]`;
    let json: string | undefined;
    try {
      json = JSON.stringify(row);
    } catch {
      throw new ShapeError(source, 'the whole value', 'must be json');
    }
    return check(JSON.parse(json ?? 'null'), source);
  });
}

/** Finds the files of a directory, by collection. Throws `UsageError`. */
async function findFiles(directory: string): Promise<ReadonlyMap<Collection, string>> {
  const found = new Map<Collection, string>();
  for (const collection of Object.keys(dataFiles) as Collection[]) {
    const name = dataFiles[collection];
    for (const form of name.endsWith('.ndjson') ? [name, `${name}.gz`] : [name]) {
      const path = join(directory, form);
      if (!(await isThere(path))) continue;
      if (found.has(collection))
        throw new UsageError(`the data directory \`${directory}\` must hold \`${name}\` or \`${form}\`, not both`);
      found.set(collection, path);
    }
  }
  if (found.size > 0) return found;
  const names = Object.values(dataFiles).join(', ');
  throw new UsageError(`the data directory \`${directory}\` must hold at least one of ${names}`);
}

/**
 * Reports whether anything is at a path. Throws `UsageError` for anything but a file or a link to
 * one: it would pass for an empty collection.
 */
async function isThere(path: string): Promise<boolean> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return false;
  const found = await withFileErrors('read', path, () => stat(path));
  if (found.isFile()) return true;
  const kind = found.isDirectory() ? 'a directory' : 'not a regular file';
  throw new UsageError(`cannot read \`${path}\`: it is ${kind}; put a file in its place or take it away`);
}

/**
 * Reads the rows of an NDJSON file, gzipped or not, each with its origin as `file:line`. Throws
 * `ShapeError` for a line that is not JSON in UTF-8.
 */
async function readLines<Row>(file: string, check: Check<Row>): Promise<Row[]> {
  const found: Row[] = [];
  const chunks = createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
  for await (const { value, line } of readNdjson(inflated(chunks, file), file))
    found.push(check(value, `${file}:${line}`));
  return found;
}

/**
 * Reads the rows of a JSON array, or of `{ "data": [...] }`, each with its origin as `file[index]`.
 */
async function readArray<Row>(file: string, check: Check<Row>): Promise<Row[]> {
  const value = await readJsonFile(file);
  const entries: unknown = Array.isArray(value) ? value : (value as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(entries)) throw new ShapeError(file, 'the whole value', 'must be an array');
  return entries.map((entry, index) => check(entry, `${file}[${index}]`));
}

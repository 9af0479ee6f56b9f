/** Dated rule sets that stand in for the rules and lists of the data, and which of them is served. */
import { readdir, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { checkOption } from '../contract/parse.js';
import { SluiceError, UsageError } from '../errors.js';
import { withFileErrors } from '../files/file-reason.js';
import { type ReadRows, readArray, readModeration } from './data-directory.js';
import { Problem, problems } from './errors.js';
import { readBody } from './request.js';
import { moderationRow } from './rows.js';
import { createModeration, type Moderation } from './store.js';

/** The dated rule sets of a service, and which of them it serves. */
export interface Revisions {
  /** All there are, oldest first; empty when the service was started without. */
  readonly names: readonly string[];
  /** The one that requests get from now on; absent when the service was started without. */
  readonly current: string | undefined;
  /**
   * Serves another one, from the next request on; a request that has begun sees the old one to its end. Stays in force over
   * `reread`. Throws `UsageError` for a name that there is not.
   */
  readonly use: (name: string) => void;
  /**
   * Reads the directory again, all of it before anything changes. Serves the newest, or the one that was chosen. Rejects as
   * `startService` does, or when the one that was chosen is gone, and all stays as it was.
   */
  readonly reread: () => Promise<void>;
}

/** Revisions, and the rules and lists of the one that is served. */
interface ServedRevisions extends Revisions {
  readonly moderation: Moderation | undefined;
}

const path = (error: string) => z.string({ error }).min(1, { error }).optional();
const optionsSchema = z.object({
  revisions: path('must be the path of a directory of revisions'),
  revision: path('must be the name of a revision'),
});

/**
 * Reads the revisions of the directory that options name, if they do, and serves the newest, or the one that is named. Throws
 * `UsageError` and `ShapeError`, as `readRevisions` does.
 */
export async function openRevisions(options: unknown): Promise<ServedRevisions> {
  const { revisions: directory, revision } = checkOption(optionsSchema, options, 'options');
  if (directory === undefined && revision !== undefined) {
    throw new UsageError('`revision` is one of a directory of them: give that as `revisions`');
  }
  let chosen = revision;
  let served = directory === undefined ? undefined : choose(await readRevisions(directory), chosen);
  let reading: Promise<void> = Promise.resolve();
  return {
    get names() {
      return [...(served?.table.keys() ?? [])];
    },
    get current() {
      return served?.name;
    },
    get moderation() {
      return served?.moderation;
    },
    use: (name) => {
      if (served === undefined) throw new UsageError(none);
      served = choose(served.table, name);
      chosen = name;
    },
    reread: () => {
      // One after the other: of two at once, the one that began first could end last and bring old files back.
      const next = reading.then(async () => {
        if (directory === undefined) throw new UsageError(none);
        const table = await readRevisions(directory);
        served = choose(table, chosen);
      });
      reading = next.catch(() => {});
      return next;
    },
  };
}

const none = 'the service has no revisions: start it with the option `revisions`, a directory of them';

function choose(table: ReadonlyMap<string, Moderation>, chosen: string | undefined) {
  const names = [...table.keys()];
  const name = chosen ?? names.at(-1) ?? '';
  const moderation = table.get(name);
  if (moderation !== undefined) return { table, name, moderation };
  throw new UsageError(`there is no revision of that name; there are ${names.map((one) => `\`${one}\``).join(', ')}`);
}

/**
 * The control of revisions over HTTP: `GET` says which there are, `PUT` with `{ "name": "2026-01-31" }` serves another one,
 * `POST` reads the directory again. All answer `{ "data": { "current", "names" } }`. Throws a `Problem`.
 */
export async function controlRevisions(request: IncomingMessage, revisions: Revisions, most: number): Promise<object> {
  const { method } = request;
  if (method === 'PUT' || method === 'POST') {
    const { name } = await readBody(request, most);
    if (method === 'PUT' && typeof name !== 'string') throw problems.badRequest({ name: ['must be a revision'] });
    try {
      if (method === 'PUT') revisions.use(String(name));
      else await revisions.reread();
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      throw method === 'PUT'
        ? new Problem(404, 'ERR_REVISION_NOT_FOUND', error.message, 'take names from `GET /revisions`')
        : new Problem(422, 'ERR_REVISION_INVALID', error.message, 'mend it and send the request again');
    }
  }
  const { current, names } = revisions;
  return { data: { current, names } };
}

/** Throws a `Problem` (404) unless an address is one of this machine. */
export function demandFromHere(address = ''): void {
  if (address !== '::1' && !/^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)) throw problems.noSuchPath();
}

/**
 * Reads a directory of revisions. Each is a file `2026-01-31.json` with `{ rules, lists }`, as `sluice pull` writes it, or a
 * directory `2026-01-31` with `rules.json` and, if any rule names one, `lists.json`. Names begin with a date, a word may
 * follow (`2026-01-31-stricter`), and their order is that of time. Other files, and names that begin with a dot, are left
 * alone. Throws `UsageError` for a directory that cannot be read, holds no revision or has a name without a date, and
 * `ShapeError`, naming the file, for a revision that is not in its stored form.
 */
async function readRevisions(directory: string): Promise<ReadonlyMap<string, Moderation>> {
  const table = new Map<string, Moderation>();
  const entries = await withFileErrors('read', directory, () => readdir(directory));
  for (const entry of entries.filter((name) => !name.startsWith('.'))) {
    const path = join(directory, entry);
    await withFileErrors('read', path, async () => {
      const isDirectory = (await stat(path)).isDirectory();
      if (!isDirectory && !entry.endsWith('.json')) return;
      const name = isDirectory ? entry : entry.slice(0, -'.json'.length);
      if (!isDated(name)) {
        throw new UsageError(`the revision \`${path}\` must have a name that begins with a date, such as 2026-01-31`);
      }
      if (table.has(name)) throw new UsageError(`there are two revisions \`${name}\` in \`${directory}\`; rename one`);
      table.set(name, await (isDirectory ? fromDirectory(path) : fromRuleSet((await readModeration(path))!)));
    });
  }
  if (table.size === 0) {
    throw new UsageError(`\`${directory}\` must hold revisions, such as 2026-01-31.json or 2026-01-31/rules.json`);
  }
  return new Map([...table].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isDated(name: string): boolean {
  const [date] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(name) ?? [];
  const time = new Date(`${date}T00:00:00Z`);
  return date !== undefined && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}

async function fromDirectory(directory: string): Promise<Moderation> {
  const files = await readdir(directory);
  if (!files.includes('rules.json')) throw new UsageError(`the revision \`${directory}\` must hold rules.json`);
  const ruleSet = await readModeration(directory);
  if (ruleSet !== undefined) return fromRuleSet(ruleSet);
  const rules = await readArray(join(directory, 'rules.json'), moderationRow);
  const hasLists = files.includes('lists.json');
  return createModeration(rules, hasLists ? await readArray(join(directory, 'lists.json'), moderationRow) : []);
}

async function fromRuleSet(read: ReadRows): Promise<Moderation> {
  return createModeration(await read('rules', moderationRow), await read('lists', moderationRow));
}

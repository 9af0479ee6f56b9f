import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ShapeError, UsageError } from '../errors.js';
import { assignConversations, type StoredMessage } from './conversation-ids.js';
import type { GroupRow, ModerationRow, ServiceData, UserRow } from './data.js';
import { readArray, readRows } from './read-files.js';
import { groupRow, messageRow, moderationRow, userRow } from './row-checks.js';

/** Checked rows, and where each group stands, for what can be checked only against the messages. */
export interface LoadedRows {
  readonly users: readonly UserRow[];
  readonly groups: readonly GroupRow[];
  readonly groupSources: readonly string[];
  readonly messages: readonly StoredMessage[];
  readonly rules: readonly ModerationRow[];
  readonly lists: readonly ModerationRow[];
}

type Collection = Exclude<keyof LoadedRows, 'groupSources'>;
type Take = (value: unknown, source: string) => void;
type Feed = (collection: Collection, take: Take) => void | Promise<void>;

const files = {
  users: 'users.ndjson',
  groups: 'groups.ndjson',
  messages: 'messages.ndjson',
  rules: 'rules.json',
  lists: 'lists.json',
} as const satisfies Record<Collection, string>;

/** The fixtures that come with the package; the same place from `src/service` and from `dist/service`. */
const bundled = new URL('../../fixtures/data/', import.meta.url);

/**
 * Reads what is to be served: a data directory, plain objects, or the bundled fixtures. Throws `ShapeError` that names file
 * and line (`data.messages[3]` for plain objects), and `UsageError` for a directory that holds none of the files.
 */
export async function load(data: string | ServiceData | undefined): Promise<LoadedRows> {
  const feed = await feedOf(data);
  const users: UserRow[] = [];
  const groups: GroupRow[] = [];
  const groupSources: string[] = [];
  const messages: StoredMessage[] = [];
  const rules: ModerationRow[] = [];
  const lists: ModerationRow[] = [];

  const uids = uniqueIds('uid');
  await feed('users', (value, source) => users.push(uids(userRow(value, source), source)));
  const guids = uniqueIds('guid');
  await feed('groups', (value, source) => {
    groups.push(guids(groupRow(value, source), source));
    groupSources.push(source);
  });
  const ids = uniqueIds('id');
  const withConversation = assignConversations(groups);
  await feed('messages', (value, source) => {
    messages.push(withConversation(ids(messageRow(value, source), source), source));
  });
  await feed('rules', (value, source) => rules.push(moderationRow(value, source)));
  await feed('lists', (value, source) => lists.push(moderationRow(value, source)));
  return { users, groups, groupSources, messages, rules, lists };
}

async function feedOf(data: string | ServiceData | undefined): Promise<Feed> {
  if (data === undefined) return fromDirectory(fileURLToPath(bundled));
  if (typeof data === 'string' && data !== '') return fromDirectory(data);
  if (typeof data === 'object' && data !== null) return fromObjects(data);
  throw new UsageError('`data` should be the path of a data directory, or its content as an object');
}

function fromObjects(data: ServiceData): Feed {
  return (collection, take) => {
    const rows: unknown = data[collection] ?? [];
    if (!Array.isArray(rows)) throw new ShapeError('data', collection, 'should be an array');
    for (const [index, row] of rows.entries()) take(row, `data.${collection}[${index}]`);
  };
}

async function fromDirectory(directory: string): Promise<Feed> {
  const names = [...Object.values(files), 'scores.json'];
  const present = new Set<string>();
  for (const name of names) {
    if (await isFile(join(directory, name))) present.add(name);
  }
  if (present.size === 0) {
    throw new UsageError(`the data directory \`${directory}\` should hold at least one of ${names.join(', ')}`);
  }
  return async (collection, take) => {
    const name = files[collection];
    if (!present.has(name)) return;
    await (name.endsWith('.ndjson') ? readRows : readArray)(join(directory, name), take);
  };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function uniqueIds<Key extends string>(key: Key) {
  const seen = new Set<string>();
  return <Row extends { readonly [K in Key]: string }>(row: Row, source: string): Row => {
    const id = row[key];
    if (seen.has(id)) throw new ShapeError(source, key, 'should be unique');
    seen.add(id);
    return row;
  };
}

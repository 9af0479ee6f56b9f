import { fileURLToPath } from 'node:url';
import { ShapeError, UsageError } from '../errors.js';
import type { Source } from './conversation-ids.js';
import type { ConversationRow, GroupRow, ModerationRow, ServiceData, UserRow } from './data.js';
import { type Collection, findDataFiles } from './data-files.js';
import { createMessageIntake } from './message-intake.js';
import type { MessageTable } from './message-table.js';
import { type ParsedLine, readArray, readRows } from './read-files.js';
import { conversationRow, groupRow, moderationRow, userRow } from './row-checks.js';

/** A row and its place, for what can be checked only against the messages. */
export interface Placed<Row> {
  readonly row: Row;
  readonly source: string;
}

/** Checked rows. */
export interface LoadedRows {
  readonly users: readonly UserRow[];
  readonly groups: readonly Placed<GroupRow>[];
  readonly messages: MessageTable;
  readonly rules: readonly ModerationRow[];
  readonly lists: readonly ModerationRow[];
  readonly conversations: readonly Placed<ConversationRow>[];
  /** The file of scores beside them, which is not read here. */
  readonly scoresFile: string | undefined;
}

type Take = (value: unknown, source: string) => void;

/** Where rows come from. */
interface Feed {
  readonly rows: (collection: Collection, take: Take) => void | Promise<void>;
  /** Lines of their own go to `takeLine`, all others to `take`. */
  readonly messages: (
    take: (value: unknown, source: Source) => void,
    takeLine: (line: ParsedLine) => void,
  ) => void | Promise<void>;
  readonly scoresFile: string | undefined;
}

/** The fixtures that come with the package; the same place from `src/service` and from `dist/service`. */
const bundled = new URL('../../fixtures/data/', import.meta.url);

/**
 * Reads what is to be served: a data directory, plain objects, or the bundled fixtures. Throws `ShapeError` that names file
 * and line (`data.messages[3]` for plain objects), and `UsageError` for a directory that holds none of the files.
 */
export async function load(data: string | ServiceData | undefined): Promise<LoadedRows> {
  const feed = await feedOf(data);
  const users: UserRow[] = [];
  const groups: Placed<GroupRow>[] = [];
  const rules: ModerationRow[] = [];
  const lists: ModerationRow[] = [];
  const conversations: Placed<ConversationRow>[] = [];

  const uids = uniqueIds('uid');
  await feed.rows('users', (value, source) => users.push(uids(userRow(value, source), source)));
  const guids = uniqueIds('guid');
  await feed.rows('groups', (value, source) => groups.push({ row: guids(groupRow(value, source), source), source }));
  const intake = createMessageIntake(groups.map(({ row }) => row));
  await feed.messages(intake.takeValue, intake.takeLine);
  const messages = intake.finish();
  await feed.rows('rules', (value, source) => rules.push(moderationRow(value, source)));
  await feed.rows('lists', (value, source) => lists.push(moderationRow(value, source)));
  const conversationIds = uniqueIds('conversationId');
  await feed.rows('conversations', (value, source) =>
    conversations.push({ row: conversationIds(conversationRow(value, source), source), source }),
  );
  return { users, groups, messages, rules, lists, conversations, scoresFile: feed.scoresFile };
}

async function feedOf(data: string | ServiceData | undefined): Promise<Feed> {
  if (data === undefined) return fromDirectory(fileURLToPath(bundled));
  if (typeof data === 'string' && data !== '') return fromDirectory(data);
  if (typeof data === 'object' && data !== null) return fromObjects(data);
  throw new UsageError('`data` should be the path of a data directory, or its content as an object');
}

function fromObjects(data: ServiceData): Feed {
  const rows = (collection: Collection, take: Take): void => {
    const given: unknown = data[collection] ?? [];
    if (!Array.isArray(given)) throw new ShapeError('data', collection, 'should be an array');
    for (const [index, row] of given.entries()) take(row, `data.${collection}[${index}]`);
  };
  return {
    rows,
    messages: (take) => rows('messages', (value, source) => take(value, () => source)),
    scoresFile: undefined,
  };
}

async function fromDirectory(directory: string): Promise<Feed> {
  const files = await findDataFiles(directory);
  const rows = async (collection: Collection, take: Take): Promise<void> => {
    const file = files.get(collection);
    if (file === undefined) return;
    if (file.isLines) await readRows(file.path, ({ value, source }) => take(value, source()));
    else await readArray(file.path, take);
  };
  return {
    rows,
    messages: async (take, takeLine) => {
      const file = files.get('messages');
      if (file?.isLines === true) await readRows(file.path, takeLine);
      else await rows('messages', (value, source) => take(value, () => source));
    },
    scoresFile: files.get('scores')?.path,
  };
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

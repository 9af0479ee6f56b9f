/**
 * Opens the messages of a command, from files or a platform, with their names, facts and columns.
 */
import { basename } from 'node:path';
import type { BadRows, InputFacts } from '../audit/keep/manifest.js';
import { type ColumnMap, columnFields } from '../audit/source/columns.js';
import { messagesOfFiles } from '../audit/source/message-files.js';
import type { MessageFilters } from '../audit/source/message-selection.js';
import { type MessageSource, messagesOfPlatform } from '../audit/source/messages.js';
import type { FoundRows } from '../audit/source/row-format.js';
import type { ScoreTable } from '../audit/source/scores.js';
import { digest } from '../foundation/digest.js';
import { isLoopback } from '../foundation/requests/loopback.js';
import { badRowsWords } from './audit/wording.js';
import type { RunContext } from './command.js';
import { standardInput } from './input-files.js';
import type { EngineInput, Platform, PlatformPlan } from './sources.js';
import { counted } from './terminal/text.js';
import { undatedWords } from './unchecked.js';

/** The source of messages: files, or else a platform. Includes the filters. */
export interface MessagePlan {
  readonly platform: PlatformPlan | undefined;
  /** The files in the order in which they are read. Undefined for a platform. */
  readonly messageFiles: readonly string[] | undefined;
  /** The meaning of columns, if it is given. */
  readonly map?: ColumnMap | undefined;
  readonly decode?: 'html' | undefined;
  readonly filters: MessageFilters;
}

/** Messages with their name for errors, and with the facts that results depend on. */
export interface OpenedMessages {
  readonly source: MessageSource;
  readonly name: string;
  /**
   * The name for results that are shared. If only it differs, the results are the same except for
   * their `facts`.
   */
  readonly title: string;
  readonly facts: InputFacts;
  readonly scores: ScoreTable;
}

/**
 * The input of a command that judges many messages. `label` names the source of messages and rules.
 */
export interface MessageInput extends EngineInput, OpenedMessages {
  readonly label: string;
  /** The name of the rules for results that are shared. */
  readonly rulesTitle: string;
}

/**
 * Returns facts about the messages, which must be the same for a run to continue another. The
 * source is a digest of `demo`, of the address of a platform (without its port on loopback), of the
 * name of a file as it was given, or of `-`. Names of files and machines do not belong in results.
 */
export function factsOf(
  { messageFiles, map, decode, platform, filters }: MessagePlan,
  { rows }: MessageSource,
  scores: ScoreTable,
): InputFacts {
  const address = platform?.kind === 'platform' ? addressOf(platform) : ['demo'];
  const source = digest(messageFiles?.length === 1 ? messageFiles[0] : (messageFiles ?? address));
  const scored = scores.size === 0 ? undefined : digest(Object.fromEntries(scores));
  const found = [...new Set((rows ?? []).map(({ format }) => writtenColumns({ ...format.columns, ...map })))];
  const columns = found.length > 1 ? found.map((column) => column ?? 'none').join(' and ') : found[0];
  return { source, columns, decode, ...filters, scores: scored };
}

/** Returns a name for several files of messages: the only name, or the first and the last. */
export function filesName(files: readonly string[], nameOf = (path: string) => path): string {
  const [first = '', ...rest] = files.map((path) => (path === '-' ? standardInput : nameOf(path)));
  const last = rest.at(-1);
  return last === undefined ? first : `${first} to ${last} (${counted(files.length, 'file')})`;
}

/**
 * Returns a title of the messages for a page: files without their folders, or the address of a
 * platform without its port on loopback.
 */
export function titleOf({ messageFiles, platform }: Pick<MessagePlan, 'messageFiles' | 'platform'>): string {
  if (messageFiles !== undefined) return filesName(messageFiles, basename);
  if (platform?.kind !== 'platform') return 'the bundled demo';
  const [protocol, host, path] = addressOf(platform);
  return `${protocol}//${host}${path}`;
}

/** Returns the parts of the address of a platform: protocol, host, path. */
function addressOf(platform: Extract<PlatformPlan, { readonly kind: 'platform' }>): readonly string[] {
  const { protocol, host, hostname, pathname } = new URL(platform.baseUrl);
  // On this machine, the port of a service is any that was free.
  return [protocol, isLoopback(hostname) ? hostname : host, pathname.replace(/\/+$/, '')];
}

/**
 * Opens messages from files or a platform, and reports which columns are used. Rejects with
 * `UsageError` if a file cannot be opened.
 */
export async function openMessages(
  { messageFiles, map, decode, filters }: Omit<MessagePlan, 'platform'>,
  platform: Platform | undefined,
  context: RunContext,
): Promise<MessageSource> {
  if (messageFiles !== undefined) {
    const files = messageFiles.map((name) =>
      name === '-' ? { name: standardInput, chunks: context.stdin() } : { name },
    );
    const source = await messagesOfFiles(files, { map, decode, signal: context.interrupted });
    let said: string | undefined;
    for (const rows of source.rows ?? []) {
      const columnText = columnWords(rows, map);
      if (columnText !== undefined && columnText !== said) await context.reporter.note(`${rows.name}: ${columnText}`);
      said = columnText;
      const { count = 0, of = 0 } = rows.entities ?? {};
      const what = `${count} of the first ${counted(of, 'text')} have entities of HTML, such as \`&amp;\``;
      if (count > 0)
        await context.reporter.note(`warning: ${rows.name}: ${what}; \`--decode html\` reads them as characters`);
    }
    return source;
  }
  // INVARIANT: a plan has files of messages or a platform.
  return messagesOfPlatform(platform!.client.messages, filters, context.interrupted);
}

/**
 * Says that no message was judged, how many were left out because they have no time, and which rows
 * contain no message.
 */
export async function noteLeftOut(
  from: string,
  { selected, undated, bad }: { readonly selected: number; readonly undated: number; readonly bad?: BadRows },
  { reporter }: Pick<RunContext, 'reporter'>,
): Promise<void> {
  if (bad !== undefined && bad.count > 0) await reporter.note(badRowsWords(bad));
  if (selected === 0) await reporter.note(`there was no message to judge in ${from}; check it, and the filters`);
  if (undated > 0) await reporter.note(`${counted(undated, 'message')} ${undatedWords}`);
}

/** Returns columns in the form of `--map`, or undefined if there are none. */
function writtenColumns(columns: ColumnMap): string | undefined {
  const pairs = Object.entries(columns).map((pair) => pair.join('='));
  return pairs.length === 0 ? undefined : pairs.join(',');
}

/**
 * Describes how columns are used. Undefined for a file of messages, unless its times are in
 * milliseconds.
 */
function columnWords(rows: FoundRows, map: ColumnMap = {}): string | undefined {
  const { format, isInMilliseconds } = rows;
  const { columns, records } = format;
  if (columns === undefined) return isInMilliseconds ? '`sentAt` counts milliseconds, and is read as such' : undefined;
  const { delimiter = ',' } = records;
  const sign = delimiter === ',' ? '' : `, cells between ${delimiter === '\t' ? 'tabs' : `\`${delimiter}\``}`;
  const taken = columnFields.map((field) => {
    const column = columns[field];
    if (column === undefined) return `no ${field}${map[field] ? `: no \`${map[field]}\` in the first row` : ''}`;
    return `${field} from \`${column}\`${field === 'sentAt' && isInMilliseconds ? ' (in milliseconds)' : ''}`;
  });
  return taken.join(', ') + sign;
}

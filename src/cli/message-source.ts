import { basename } from 'node:path';
import type { BadRows } from '../audit/keep/audit-directory.js';
import type { InputFacts } from '../audit/keep/manifest.js';
import type { ColumnMap } from '../audit/source/columns.js';
import { messagesOfFiles } from '../audit/source/message-files.js';
import type { MessageFilters } from '../audit/source/message-selection.js';
import { type MessageSource, type MessageTally, messagesOfPlatform } from '../audit/source/messages.js';
import type { ScoreTable } from '../audit/source/scores.js';
import { isDay } from '../engine/compile/instant.js';
import { digest } from '../foundation/digest.js';
import { UsageError } from '../foundation/errors.js';
import { badRowsWords } from './audit/words.js';
import { type OptionValues, optionGroup, type RunContext } from './command.js';
import { standardInput } from './input-files.js';
import { columnWords, messagesFileOption, writtenColumns } from './message-columns.js';
import { type EngineInput, engineOptions, type Platform, type PlatformPlan, rulesOptions } from './sources.js';
import { counted } from './terminal/text.js';
import { undatedWords } from './unchecked.js';

/** Options that select messages. All but `--on-behalf-of` work for files and platforms alike. */
export const filterOptions = optionGroup('which messages', {
  conversation: { type: 'string', value: 'ID', help: 'only messages of one conversation' },
  since: { type: 'string', value: 'TIME', help: 'sent at or after: unix seconds, 2026-03-01, 2026-03-01T08:00Z' },
  until: { type: 'string', value: 'TIME', help: 'sent at or before; a day alone means to its end, all in UTC' },
  'on-behalf-of': { type: 'string', value: 'UID', help: 'messages as this user may see them; platform only' },
});

/** Options of every command with many messages. */
export const messageOptions = { ...rulesOptions, ...messagesFileOption, ...engineOptions, ...filterOptions };

/** The messages of files, or else of a platform, and their filters. */
export interface MessagePlan {
  readonly platform: PlatformPlan | undefined;
  /** The files, in the order in which they are read; undefined for the platform. */
  readonly messageFiles: readonly string[] | undefined;
  /** Which columns of the files are what, where they are named. */
  readonly map?: ColumnMap | undefined;
  readonly filters: MessageFilters;
}

/** Messages with their name for errors, and the facts on which results depend. */
export interface OpenedMessages {
  readonly source: MessageSource;
  readonly name: string;
  /** The name for results that are handed on: by it alone they differ where `facts` do. */
  readonly title: string;
  readonly facts: InputFacts;
  readonly scores: ScoreTable;
}

/** The input of a command that judges many messages; `label` names where messages and rules come from. */
export interface MessageInput extends EngineInput, OpenedMessages {
  readonly label: string;
}

/**
 * Returns the facts of the messages, which must be equal for a run to go on with another one. The source is a digest of where the
 * messages come from: `demo`, the address of a platform, without its port on loopback, a file as it was named, or `-`. Names of files and
 * machines do not belong into results.
 */
export function factsOf(
  { messageFiles, map, platform, filters }: Pick<MessagePlan, 'messageFiles' | 'map' | 'platform' | 'filters'>,
  { rows }: MessageSource,
  scores: ScoreTable,
): InputFacts {
  const address = platform?.kind === 'platform' ? addressOf(platform) : ['demo'];
  const source = digest(messageFiles?.length === 1 ? messageFiles[0] : (messageFiles ?? address));
  const scored = scores.size === 0 ? undefined : digest(Object.fromEntries(scores));
  const found = [...new Set((rows ?? []).map(({ format }) => writtenColumns({ ...format.columns, ...map })))];
  const columns = found.length > 1 ? found.map((one) => one ?? 'none').join(' and ') : found[0];
  return { source, columns, ...filters, scores: scored };
}

/** Name of the messages of files: that of one, or of the first and the last. */
export function filesName(files: readonly string[], nameOf = (path: string) => path): string {
  const [first = '', ...others] = files.map((path) => (path === '-' ? standardInput : nameOf(path)));
  const last = others.at(-1);
  return last === undefined ? first : `${first} to ${last} (${counted(files.length, 'file')})`;
}

/** Title of the messages on a page: files without their folders, the address of a platform without its port on loopback. */
export function titleOf({ messageFiles, platform }: Pick<MessagePlan, 'messageFiles' | 'platform'>): string {
  if (messageFiles !== undefined) return filesName(messageFiles, basename);
  if (platform?.kind !== 'platform') return 'the bundled demo';
  const [protocol, host, path] = addressOf(platform);
  return `${protocol}//${host}${path}`;
}

/** Returns the address of a platform in parts: protocol, host, path. */
function addressOf(platform: Extract<PlatformPlan, { readonly kind: 'platform' }>): readonly string[] {
  const { protocol, host, hostname, pathname } = new URL(platform.baseUrl);
  // On this machine a service has whatever port was free.
  const isLoopback = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return [protocol, isLoopback ? hostname : host, pathname.replace(/\/+$/, '')];
}

/**
 * Opens the messages of a plan, from its files or the platform, and reports which columns are used. Rejects with `UsageError` if a file cannot be
 * opened.
 */
export async function openMessages(
  { messageFiles, map, filters }: Pick<MessagePlan, 'messageFiles' | 'map' | 'filters'>,
  platform: Platform | undefined,
  context: RunContext,
): Promise<MessageSource> {
  if (messageFiles !== undefined) {
    const files = messageFiles.map((name) =>
      name === '-' ? { name: standardInput, chunks: context.stdin() } : { name },
    );
    const source = await messagesOfFiles(files, filters, { map, signal: context.interrupted });
    let said: string | undefined;
    for (const rows of source.rows ?? []) {
      const words = columnWords(rows, map);
      if (words !== undefined && words !== said) await context.reporter.note(`${rows.name}: ${words}`);
      said = words;
    }
    return source;
  }
  // INVARIANT: a plan without a file of messages has a platform.
  const measured = context.reporter.hasStatusLine;
  return messagesOfPlatform(platform!.client.messages, filters, context.interrupted, { measured });
}

/** Says that no message was judged, how many were left out because they have no time, and which rows hold no message. */
export async function noteLeftOut(
  from: string,
  { selected, undated, bad }: MessageTally & { readonly bad?: BadRows },
  { reporter }: Pick<RunContext, 'reporter'>,
): Promise<void> {
  if (bad !== undefined && bad.count > 0) await reporter.note(badRowsWords(bad));
  if (selected === 0) await reporter.note(`there was no message to judge in ${from}; check it, and the filters`);
  if (undated > 0) await reporter.note(`${counted(undated, 'message')} ${undatedWords}`);
}

/** Reads the filter options. Throws `UsageError`, also for an option that messages of a file do not have. */
export function readFilters(values: OptionValues<typeof filterOptions>, fromFile: boolean): MessageFilters {
  if (fromFile && values['on-behalf-of'] !== undefined)
    throw new UsageError('`--on-behalf-of` is for messages from the platform; leave it out with `--messages`');
  const since = readTime('since', values.since);
  const until = readTime('until', values.until);
  if (since !== undefined && until !== undefined && since > until) {
    throw new UsageError('`--since` is later than `--until`; no message can be both');
  }
  return {
    conversation: values.conversation,
    since,
    until,
    onBehalfOf: values['on-behalf-of'],
  };
}

const isoTime = /^\d{4}-\d{2}-\d{2}(?<clock>T\d{2}:\d{2}(:\d{2})?(?<zone>Z|[+-]\d{2}:\d{2})?)?$/;
const secondsOfDay = 86_400;

function readTime(name: 'since' | 'until', written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  if (/^\d{1,12}$/.test(written)) return Number(written);
  const { clock, zone } = isoTime.exec(written)?.groups ?? {};
  const isTime = isoTime.test(written) && isDay(written.slice(0, 'yyyy-mm-dd'.length));
  const milliseconds = isTime ? Date.parse(clock && !zone ? `${written}Z` : written) : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw new UsageError(
      `\`--${name} ${written}\` is not a time; write unix seconds, a day like \`2026-03-01\`, or \`2026-03-01T08:00Z\``,
    );
  }
  const seconds = Math.floor(milliseconds / 1000);
  return name === 'until' && clock === undefined ? seconds + secondsOfDay - 1 : seconds;
}

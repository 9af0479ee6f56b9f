/**
 * Options of commands that read many messages: the source, the selection, and how rows are read.
 */
import { type ColumnField, type ColumnMap, columnFields } from '../audit/source/columns.js';
import type { MessageFilters } from '../audit/source/message-selection.js';
import { isDay } from '../engine/compile/instant.js';
import { UsageError } from '../foundation/errors.js';
import { type OptionValues, optionGroup } from './command.js';
import { engineOptions, rulesOptions, sourceGroup } from './sources.js';

/** The options of every command that reads many messages from a file. */
export const messagesFileOption = optionGroup(sourceGroup, {
  messages: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'messages from a file of NDJSON, CSV, TSV or one JSON array, also gzipped; `-` for standard input; may be given several times',
  },
  map: {
    type: 'string',
    value: 'COLUMNS',
    needs: ['messages'],
    help: 'which of its columns are what, `text=body,sentAt=posted`; of text, id, sender, sentAt, conversationId',
  },
  decode: {
    type: 'string',
    choices: ['html'],
    needs: ['messages'],
    help: 'read entities of HTML in its texts, such as `&amp;`, as the characters that they stand for',
  },
});

/** Options that select messages. All except `--on-behalf-of` work for files and platforms. */
export const filterOptions = optionGroup('which messages', {
  conversation: { type: 'string', value: 'ID', help: 'only messages of one conversation' },
  since: { type: 'string', value: 'TIME', help: 'sent at or after: unix seconds, 2026-03-01, 2026-03-01T08:00Z' },
  until: { type: 'string', value: 'TIME', help: 'sent at or before; a day alone means to its end, all in UTC' },
  'on-behalf-of': { type: 'string', value: 'UID', help: 'messages as this user may see them; platform only' },
});

/** Options of every command with many messages. */
export const messageOptions = { ...rulesOptions, ...messagesFileOption, ...engineOptions, ...filterOptions };

/** Options of every command that judges many messages in shards. */
export const runOptions = optionGroup('which messages', {
  'on-bad-row': {
    type: 'string',
    choices: ['stop', 'skip'],
    help: 'what to do with a row that is not a message: stop the run, or skip and count it (stop)',
  },
  threads: {
    type: 'string',
    integer: { min: 0, max: 64 },
    help: 'threads that judge a file, besides the one that reads it (0; for large files on three cores or more, all but one)',
  },
});

/** How rows of a file are read. */
export interface RowOptions {
  readonly threads: number | undefined;
  readonly onBadRow: 'stop' | 'skip';
}

/**
 * Reads the options of a run. Throws `UsageError`, also for an option that does not apply to
 * messages of a platform.
 */
export function readRowOptions(values: OptionValues<typeof runOptions>, fromFile: boolean): RowOptions {
  const { threads, 'on-bad-row': onBadRow = 'stop' } = values;
  if (!fromFile && (threads !== undefined || onBadRow === 'skip')) {
    const name = threads === undefined ? 'on-bad-row' : 'threads';
    throw new UsageError(`\`--${name}\` is for messages of a file; leave it out, or give \`--messages FILE\``);
  }
  return { threads, onBadRow };
}

/** Reads `--map`. Throws `UsageError`. */
export function readColumnMap({ map }: OptionValues<typeof messagesFileOption>): ColumnMap {
  if (map === undefined) return {};
  const found: Partial<Record<ColumnField, string>> = {};
  // The name of a column may contain commas: only a comma before another field ends it.
  for (const entry of map.split(/,(?=\w+=)/)) {
    const [name = ''] = entry.split('=', 1);
    const field = columnFields.find((known) => known === name);
    if (field === undefined || !entry.includes('=') || found[field] !== undefined) {
      throw new UsageError(
        `\`--map\` must be like \`text=body,sentAt=posted\`, each once of ${columnFields.join(', ')}`,
      );
    }
    found[field] = entry.slice(name.length + 1);
  }
  if (found.text === '') throw new UsageError('`--map text=` names no column; a message needs its text');
  return found;
}

/**
 * Reads the filter options. Throws `UsageError`, also for an option that does not apply to messages
 * of a file.
 */
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

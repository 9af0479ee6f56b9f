import type { MessageDraft } from '../contract/message-draft.js';
import { type MessageQuery, pageLimit } from '../contract/message-query.js';
import { UsageError } from '../errors.js';
import type { OptionTable, OptionValues } from './command.js';

const group = 'which messages';

/** Options that choose messages; all but the last two work on files as on the platform. */
export const filterOptions = {
  conversation: { type: 'string', value: 'ID', help: 'only messages of one conversation', group },
  since: {
    type: 'string',
    value: 'TIME',
    help: 'sent at or after: unix seconds, 2026-03-01, 2026-03-01T08:00Z',
    group,
  },
  until: { type: 'string', value: 'TIME', help: 'sent at or before; a day alone means to its end, all in UTC', group },
  'on-behalf-of': { type: 'string', value: 'UID', help: 'messages as this user may see them; platform only', group },
  'page-size': { type: 'string', value: 'N', help: 'messages per request, 1 to 1000 (1000); platform only', group },
} as const satisfies OptionTable;

/** Which messages are meant. Times in seconds since the epoch, both inclusive. */
export interface MessageFilters {
  readonly conversationId: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly onBehalfOf: string | undefined;
  readonly pageSize: number;
}

/** Reads the filter options. `fromFile` is whether messages come from a file, where two of them mean nothing. */
export function readFilters(values: OptionValues<typeof filterOptions>, fromFile: boolean): MessageFilters {
  for (const name of ['on-behalf-of', 'page-size'] as const) {
    if (fromFile && values[name] !== undefined) {
      throw new UsageError(`\`--${name}\` is for messages from the platform; leave it out with \`--messages\``);
    }
  }
  const since = readTime('since', values.since);
  const until = readTime('until', values.until);
  if (since !== undefined && until !== undefined && since > until) {
    throw new UsageError('`--since` is later than `--until`; no message can be both');
  }
  return {
    conversationId: values.conversation,
    since,
    until,
    onBehalfOf: values['on-behalf-of'],
    pageSize: readPageSize(values['page-size']),
  };
}

/** The filters as a query of list messages (§4.2). `toTimestamp` counts only beside `fromTimestamp`, so it gets one. */
export function queryOf({ conversationId, since, until, pageSize }: MessageFilters): MessageQuery {
  const fromTimestamp = since ?? (until === undefined ? undefined : 1);
  return { conversationId, fromTimestamp, toTimestamp: until, limit: pageSize };
}

/** Whether a message of a file is meant. One that does not say when it was sent is in no span of time. */
export function passes({ conversationId, since, until }: MessageFilters, message: MessageDraft): boolean {
  if (conversationId !== undefined && message.conversationId !== conversationId) return false;
  if (since === undefined && until === undefined) return true;
  const { sentAt } = message;
  if (typeof sentAt !== 'number') return false;
  return sentAt >= (since ?? Number.NEGATIVE_INFINITY) && sentAt <= (until ?? Number.POSITIVE_INFINITY);
}

const isoTime = /^\d{4}-\d{2}-\d{2}(?<clock>T\d{2}:\d{2}(:\d{2})?(?<zone>Z|[+-]\d{2}:\d{2})?)?$/;
const secondsOfDay = 86_400;

function readTime(name: 'since' | 'until', written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  if (/^\d{1,12}$/.test(written)) return Number(written);
  const { clock, zone } = isoTime.exec(written)?.groups ?? {};
  const milliseconds = isoTime.test(written) ? Date.parse(clock && !zone ? `${written}Z` : written) : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw new UsageError(
      `\`--${name} ${written}\` is no time; write unix seconds, a day like \`2026-03-01\`, or \`2026-03-01T08:00Z\``,
    );
  }
  const seconds = Math.floor(milliseconds / 1000);
  return name === 'until' && clock === undefined ? seconds + secondsOfDay - 1 : seconds;
}

function readPageSize(written: string | undefined): number {
  if (written === undefined) return pageLimit.max;
  const size = /^\d{1,4}$/.test(written) ? Number(written) : 0;
  if (size >= pageLimit.min && size <= pageLimit.max) return size;
  throw new UsageError(`\`--page-size\` should be a whole number from ${pageLimit.min} to ${pageLimit.max}`);
}

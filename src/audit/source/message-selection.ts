/**
 * Selects the messages that are judged: one type of filters for files, platforms and the manifest
 * of an audit, and the one function that makes a call of list messages from them.
 */
import * as z from 'zod';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { MessageQuery } from '../../platform/contract/message-query.js';
import { isInMilliseconds } from './columns.js';

/**
 * The filters by name. Times in whole seconds since the epoch, both inclusive; `onBehalfOf` is the
 * acting user of a platform.
 */
export const filterFields = {
  conversation: z.string().optional(),
  since: z.number().optional(),
  until: z.number().optional(),
  onBehalfOf: z.string().optional(),
};

const filtersSchema = z.object(filterFields);

/** The filters of messages of a platform. */
export type MessageFilters = Readonly<z.infer<typeof filtersSchema>>;

/** The filters that also apply to messages of a file. */
export type MessageSelection = Omit<MessageFilters, 'onBehalfOf'>;

/**
 * The type of the filters that a function does not read: a forgotten filter does not type-check.
 */
type NoFilter = Record<string, never>;

/** The arguments of list messages: a query and the acting user. */
export type ListCall = readonly [
  query: MessageQuery,
  options: { readonly onBehalfOf: string | undefined; readonly signal: AbortSignal | undefined },
];

/**
 * Returns the arguments of list messages (§4.2) that list the messages which filters select.
 * `query` narrows them: by a page size, or by a window of time, which replaces that of the filters.
 * `toTimestamp` has no effect without `fromTimestamp`.
 */
export function listCallOf(filters: MessageFilters, query: MessageQuery = {}, signal?: AbortSignal): ListCall {
  const { conversation: conversationId, since, until: toTimestamp, onBehalfOf, ...rest } = filters;
  rest satisfies NoFilter;
  const fromTimestamp = since ?? (toTimestamp === undefined ? undefined : 1);
  return [
    { conversationId, fromTimestamp, toTimestamp, ...query },
    { onBehalfOf, signal },
  ];
}

/**
 * Reports whether a message has a time in seconds; milliseconds, which no window of time can be
 * compared with, do not count.
 */
export function isDated(message: MessageDraft): message is MessageDraft & { readonly sentAt: number } {
  return typeof message.sentAt === 'number' && !isInMilliseconds(message.sentAt);
}

/** Reports whether filters select a window of time, in which a message without a time cannot be. */
export function hasWindow({ since, until }: MessageSelection): boolean {
  return since !== undefined || until !== undefined;
}

/**
 * The result of filters for a message: it is selected, it is not, or it is `undated`, since this
 * cannot be decided without a time.
 */
export type Selected = 'selected' | 'other' | 'undated';

export function selectionOf(filters: MessageSelection, message: MessageDraft): Selected {
  const { conversation, since, until, ...rest } = filters;
  rest satisfies NoFilter;
  if (conversation !== undefined && message.conversationId !== conversation) return 'other';
  if (!hasWindow(filters)) return 'selected';
  if (!isDated(message)) return 'undated';
  const { sentAt } = message;
  // `until` is a whole second: what was sent within it is at or before its end.
  const isInside =
    sentAt >= (since ?? Number.NEGATIVE_INFINITY) && Math.floor(sentAt) <= (until ?? Number.POSITIVE_INFINITY);
  return isInside ? 'selected' : 'other';
}

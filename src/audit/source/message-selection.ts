/**
 * Which messages are judged: one type of filters for files, platforms and the manifest of an audit, and the one way from them to
 * a call of list messages.
 */
import * as z from 'zod';
import type { MessageDraft } from '../../contract/message-draft.js';
import type { MessageQuery } from '../../contract/message-query.js';

/** The filters by name. Times in whole seconds since the epoch, both inclusive; `onBehalfOf` is the acting user of a platform. */
export const filterFields = {
  conversation: z.string().optional(),
  since: z.number().optional(),
  until: z.number().optional(),
  onBehalfOf: z.string().optional(),
};

const filtersSchema = z.object(filterFields);

/** The filters of messages of a platform. */
export type MessageFilters = Readonly<z.infer<typeof filtersSchema>>;

/** The filters that work on messages of a file too. */
export type MessageSelection = Omit<MessageFilters, 'onBehalfOf'>;

/** What a filter is that a function makes nothing of: one that is forgotten does not type-check. */
type NoFilter = Record<string, never>;

/** The arguments of list messages: a query, and who acts. */
export type ListCall = readonly [
  query: MessageQuery,
  options: { readonly onBehalfOf: string | undefined; readonly signal: AbortSignal | undefined },
];

/**
 * The arguments of list messages (§4.2) for the messages of filters. `part` narrows them down: a page size, or a window of time, which takes the
 * place of theirs. `toTimestamp` has an effect only beside `fromTimestamp`.
 */
export function listCallOf(filters: MessageFilters, part: MessageQuery = {}, signal?: AbortSignal): ListCall {
  const { conversation: conversationId, since, until: toTimestamp, onBehalfOf, ...others } = filters;
  others satisfies NoFilter;
  const fromTimestamp = since ?? (toTimestamp === undefined ? undefined : 1);
  return [
    { conversationId, fromTimestamp, toTimestamp, ...part },
    { onBehalfOf, signal },
  ];
}

/** Whether a message is one of them. One without `sentAt` is in no window of time. */
export function selects({ conversation, since, until, ...others }: MessageSelection, message: MessageDraft): boolean {
  others satisfies NoFilter;
  if (conversation !== undefined && message.conversationId !== conversation) return false;
  if (since === undefined && until === undefined) return true;
  const { sentAt } = message;
  if (typeof sentAt !== 'number') return false;
  // `until` is a whole second: what was sent within it is at or before its end.
  return sentAt >= (since ?? Number.NEGATIVE_INFINITY) && Math.floor(sentAt) <= (until ?? Number.POSITIVE_INFINITY);
}

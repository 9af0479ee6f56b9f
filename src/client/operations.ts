import type { Operation, ResponseOf } from '../contract/endpoints.js';
import type { MessageQuery } from '../contract/message-query.js';
import { UsageError } from '../errors.js';
import type { CallOptions, MarkerOptions } from './client.js';
import { markerMessageId } from './message-id.js';
import type { Send } from './send.js';
import { writeMessageQuery, writeRuleQuery } from './write-query.js';

/** What a method answers: a page where the response has `meta`, else `data` itself. */
type Outcome<Name extends Operation> =
  ResponseOf<Name> extends { meta: infer M; data: infer D } ? { data: D; meta: M } : ResponseOf<Name>['data'];

/** One function per row of the table; a row without one does not type-check. */
type Operations = { readonly [Name in Operation]: (...input: never[]) => Promise<Outcome<Name>> };

interface Sender {
  readonly onBehalfOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options may be missing even where the types ask for them: callers write JavaScript too. */
const from = (options: Sender | undefined): Sender => ({ onBehalfOf: options?.onBehalfOf, signal: options?.signal });

/** The operations of §4 as functions over one `send`. */
export function createOperations(send: Send) {
  return {
    async updateConversation(
      uid: string,
      options: CallOptions<'updateConversation'> & { readonly tags?: readonly string[] | undefined },
    ) {
      const body = { tags: checkTags(options?.tags) };
      return (await send('updateConversation', { path: { uid }, body, ...from(options) })).data;
    },
    async listMessages(query: MessageQuery = {}, options?: CallOptions<'listMessages'>) {
      const { data, meta } = await send('listMessages', {
        path: {},
        query: writeMessageQuery(query),
        ...from(options),
      });
      return { data, meta };
    },
    async getGroup(guid: string, options?: CallOptions<'getGroup'>) {
      return (await send('getGroup', { path: { guid }, ...from(options) })).data;
    },
    async getUser(uid: string, options?: CallOptions<'getUser'>) {
      return (await send('getUser', { path: { uid }, ...from(options) })).data;
    },
    async markAsRead(guid: string, options: CallOptions<'markAsRead'> & MarkerOptions) {
      const body = { messageId: markerMessageId(options?.messageId) };
      return (await send('markAsRead', { path: { guid }, body, ...from(options) })).data;
    },
    async markAsUnread(guid: string, options?: CallOptions<'markAsUnread'> & MarkerOptions) {
      const body = { messageId: markerMessageId(options?.messageId) };
      return (await send('markAsUnread', { path: { guid }, body, ...from(options) })).data;
    },
    async listRules(options?: CallOptions<'listRules'> & { readonly limit?: number | undefined }) {
      const query = writeRuleQuery(options?.limit);
      const { data, meta } = await send('listRules', { path: {}, query, ...from(options) });
      return { data, meta };
    },
    async getRule(ruleId: string, options?: CallOptions<'getRule'>) {
      return (await send('getRule', { path: { ruleId }, ...from(options) })).data;
    },
    async getKeywordList(listId: string, options?: CallOptions<'getKeywordList'>) {
      return (await send('getKeywordList', { path: { listId }, ...from(options) })).data;
    },
  } satisfies Operations;
}

function checkTags(tags: unknown): readonly string[] | undefined {
  if (tags === undefined) return undefined;
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return tags;
  throw new UsageError('`tags` should be a list of strings');
}

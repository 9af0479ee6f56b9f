/**
 * The operations of the interface document (§4) as methods, each stated once: its name in the table, its arguments, and
 * the call that they make.
 */
import { endpoints, type Operation, type ResponseOf } from '../contract/endpoints.js';
import type { KeywordList } from '../contract/keyword-list.js';
import type { Message } from '../contract/message.js';
import type { MessageQuery } from '../contract/message-query.js';
import type { Meta } from '../contract/meta.js';
import type { Rule } from '../contract/rule.js';
import { paginate, type WalkOptions } from './paginate.js';
import { type Call, type CallOptions, writeMessageQuery, writeRuleQuery } from './request.js';
import type { Send } from './send.js';
import { validMarkerId, validResource, validTags } from './validate.js';

/** The result of an operation: a page where its response has `meta`, else the `data` of its response. */
type Result<Name extends Operation> =
  ResponseOf<Name> extends { meta: Meta; data: infer Data } ? { data: Data; meta: Meta } : ResponseOf<Name>['data'];

/** A method that sends the operation `Name`. */
export type Method<Name extends Operation, Arguments extends readonly unknown[]> = (
  ...input: Arguments
) => Promise<Result<Name>>;

/** The response of a read marker (§4.5, §4.6). */
export type Confirmation = Result<'markAsRead'>;

/** Up to which message, or after which one, a conversation is marked. A decimal string is sent as the integer it is. */
export interface MarkerOptions {
  readonly messageId?: number | string | undefined;
}

type MakeMethod = <Name extends Operation, Arguments extends readonly unknown[]>(
  name: Name,
  toCall: (...input: Arguments) => Call<Name>,
) => Method<Name, Arguments>;

/** Returns the methods of a client by resource, all over one `send`. */
export function createOperations(send: Send) {
  const operation: MakeMethod =
    (name, toCall) =>
    async (...input) => {
      const { data, meta }: { data: unknown; meta?: unknown } = await send(name, toCall(...input));
      return ('meta' in endpoints[name].response.shape ? { data, meta } : data) as Result<typeof name>;
    };
  return {
    users: userMethods(operation),
    groups: groupMethods(operation),
    messages: messageMethods(operation),
    rules: ruleMethods(operation),
    ...keywordListMethods(operation),
  };
}

function userMethods(operation: MakeMethod) {
  return {
    /** Fetches a user (§4.4). */
    get: operation('getUser', (uid: string, options?: CallOptions<'getUser'>) => ({ path: { uid }, options })),
    /** Sets the tags of a conversation of a user (§4.1). Which one, and how tags apply, the document does not show. */
    updateConversation: operation(
      'updateConversation',
      (
        uid: string,
        options: CallOptions<'updateConversation'> & { readonly tags?: readonly string[] | undefined },
      ) => ({
        path: { uid },
        body: { tags: validTags(options?.tags) },
        options,
        ownOptions: ['tags'],
      }),
    ),
  };
}

function groupMethods(operation: MakeMethod) {
  return {
    /** Fetches a group (§4.3). */
    get: operation('getGroup', (guid: string, options?: CallOptions<'getGroup'>) => ({ path: { guid }, options })),
    /** Marks a group conversation as read, up to a message when one is given (§4.5). */
    markAsRead: operation('markAsRead', (guid: string, options: CallOptions<'markAsRead'> & MarkerOptions) => ({
      path: { guid },
      body: { messageId: validMarkerId(options?.messageId) },
      options,
      ownOptions: ['messageId'],
    })),
    /** Marks a group conversation as unread, after a message when one is given (§4.6). */
    markAsUnread: operation('markAsUnread', (guid: string, options?: CallOptions<'markAsUnread'> & MarkerOptions) => ({
      path: { guid },
      body: { messageId: validMarkerId(options?.messageId) },
      options,
      ownOptions: ['messageId'],
    })),
  };
}

function messageMethods(operation: MakeMethod) {
  const listMessages = operation('listMessages', (query: MessageQuery = {}, options?: CallOptions<'listMessages'>) => ({
    path: {},
    query: writeMessageQuery(query),
    options,
  }));
  return {
    /** Fetches one page of messages (§4.2). */
    list: listMessages,
    /**
     * Iterates over all messages that a query finds, following `meta.next` (§2.7), each message once. `query.limit` is
     * the page size, 1000 by default. The next page is fetched while the consumer works on the current one.
     */
    iterate: (query: MessageQuery = {}, options: WalkOptions = {}): AsyncIterable<Message> =>
      paginate(listMessages, query, options),
  };
}

/** Options of the operations below `/moderation` that list. `limit` is beyond the document; live platforms take it. */
type ListOptions = CallOptions<'listRules'> & { readonly limit?: number | undefined };

function listCall(options?: ListOptions) {
  return { path: {}, query: writeRuleQuery(options?.limit), options, ownOptions: ['limit'] };
}

/** Returns the methods of rules. Those that write are beyond the document, and never sent twice. */
function ruleMethods(operation: MakeMethod) {
  return {
    /** Fetches the moderation rules (§4.7). */
    list: operation('listRules', listCall),
    /** Fetches the rule or the keyword list with an id (§4.8); a list has `searchTerms`. */
    get: operation('getRule', (ruleId: string, options?: CallOptions<'getRule'>) => ({ path: { ruleId }, options })),
    /** Creates a rule, and resolves with it as the platform keeps it. */
    create: operation('createRule', (rule: Rule, options?: CallOptions<'createRule'>) => ({
      path: {},
      body: validResource('rule', rule),
      options,
    })),
    /** Replaces a rule by another version: the whole of it. */
    replace: operation('replaceRule', (ruleId: string, rule: Rule, options?: CallOptions<'replaceRule'>) => ({
      path: { ruleId },
      body: validResource('rule', rule),
      options,
    })),
    /** Deletes a rule. */
    delete: operation('deleteRule', (ruleId: string, options?: CallOptions<'deleteRule'>) => ({
      path: { ruleId },
      options,
    })),
  };
}

/** Returns the methods of keyword lists. Those under `lists` are beyond the document; those of them that write are never sent twice. */
function keywordListMethods(operation: MakeMethod) {
  const getKeywordList = operation('getKeywordList', (listId: string, options?: CallOptions<'getKeywordList'>) => ({
    path: { listId },
    options,
  }));
  return {
    /** Keyword lists where live platforms have them, `/moderation/keywords`. */
    lists: {
      /** Fetches all keyword lists. */
      list: operation('listKeywordLists', listCall),
      /** Fetches a keyword list. */
      get: getKeywordList,
      /** Creates a keyword list, and resolves with it as the platform keeps it. */
      create: operation('createKeywordList', (list: KeywordList, options?: CallOptions<'createKeywordList'>) => ({
        path: {},
        body: validResource('list', list),
        options,
      })),
      /** Replaces a keyword list by another version: the whole of it. */
      replace: operation(
        'replaceKeywordList',
        (listId: string, list: KeywordList, options?: CallOptions<'replaceKeywordList'>) => ({
          path: { listId },
          body: validResource('list', list),
          options,
        }),
      ),
      /** Deletes a keyword list. */
      delete: operation('deleteKeywordList', (listId: string, options?: CallOptions<'deleteKeywordList'>) => ({
        path: { listId },
        options,
      })),
    },
    /** Messages that rules stopped, where live platforms have them, `/moderation/blocked-messages`; beyond the document. */
    blockedMessages: {
      /** Fetches one page. The platform documents no cursor: a full page may not be all. */
      list: operation('listBlockedMessages', listCall),
    },
    /** Messages that reviewers decided about, `/moderation/reviewed-messages`; beyond the document. */
    reviewedMessages: {
      /** Fetches one page. The platform documents no cursor: a full page may not be all. */
      list: operation('listReviewedMessages', listCall),
    },
    keywords: {
      /** Fetches a keyword list: another name of `lists.get`. */
      get: getKeywordList,
    },
  };
}

type Methods = ReturnType<typeof createOperations>;

/** The methods of a client by resource. */
export type Operations = { readonly [Resource in keyof Methods]: Readonly<Methods[Resource]> };

type SentBy<T> = { [Key in keyof T]: T[Key] extends Method<infer Name, never> ? Name : never }[keyof T];
type Unsent = Exclude<Operation, { [Resource in keyof Methods]: SentBy<Methods[Resource]> }[keyof Methods]>;

/** Names the rows of the table that no method sends; satisfied by anything when there are none. */
export type EveryRowHasMethod = [Unsent] extends [never] ? unknown : { readonly rowsWithoutMethod: Unsent };

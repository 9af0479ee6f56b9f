/**
 * The operations of the interface document (§4) as methods, each stated once: its name in the
 * table, its arguments, and the call that is made of them.
 */
import { UsageError } from '../../foundation/errors.js';
import { endpoints, type Operation, type PathOf, type ResponseOf } from '../contract/endpoints.js';
import type { KeywordList } from '../contract/keyword-list.js';
import type { Message } from '../contract/message.js';
import type { MessageQuery } from '../contract/message-query.js';
import type { Meta } from '../contract/meta.js';
import type { Rule } from '../contract/rule.js';
import type { Send } from './call.js';
import { paginate, type WalkOptions } from './paginate.js';
import { type Call, type CallOptions, writeMessageQuery, writeRuleQuery } from './request.js';

/**
 * The result of an operation: a page if its response has `meta`, else the `data` of its response.
 */
type Result<Name extends Operation> =
  ResponseOf<Name> extends { meta: Meta; data: infer Data } ? { data: Data; meta: Meta } : ResponseOf<Name>['data'];

/** A method that sends the operation `Name`. */
type Method<Name extends Operation, Arguments extends readonly unknown[]> = (
  ...input: Arguments
) => Promise<Result<Name>>;

/** The response of a read marker (§4.5, §4.6). */
export type Confirmation = Result<'markAsRead'>;

/**
 * The message up to which, or after which, a conversation is marked. A decimal string is sent as
 * the integer it is.
 */
export interface MarkerOptions {
  readonly messageId?: number | string | undefined;
}

type MakeMethod = <Name extends Operation, Arguments extends readonly unknown[]>(
  name: Name,
  toCall: (...input: Arguments) => Call<Name>,
) => Method<Name, Arguments>;

/**
 * Options of the operations below `/moderation` that list. `limit` is beyond the document; live
 * platforms take it.
 */
type ListOptions = CallOptions<'listRules'> & { readonly limit?: number | undefined };

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
    ...moderationMethods(operation),
  };
}

/** Returns the method of an operation that takes the id in its path, and options. */
function byId<Name extends Operation>(operation: MakeMethod, name: Name) {
  return operation(name, (id: string, options?: CallOptions<Name>) => ({ path: pathOf(name, id), options }));
}

/**
 * Returns the methods of rules and lists. Those that write are beyond the document, and never sent
 * twice.
 */
function moderationMethods(operation: MakeMethod) {
  const list = <Name extends Operation>(name: Name) =>
    operation(name, (options?: ListOptions) => ({
      path: pathOf(name, ''),
      query: writeRuleQuery(options?.limit),
      options: options as CallOptions<Name> | undefined,
      ownOptions: ['limit'],
    }));
  const create = <Name extends Operation, Resource extends object>(name: Name, kind: 'rule' | 'list') =>
    operation(name, (resource: Resource, options?: CallOptions<Name>) => {
      return { path: pathOf(name, ''), body: validResource(kind, resource), options };
    });
  const replace = <Name extends Operation, Resource extends object>(name: Name, kind: 'rule' | 'list') =>
    operation(name, (id: string, resource: Resource, options?: CallOptions<Name>) => {
      return { path: pathOf(name, id), body: validResource(kind, resource), options };
    });
  const lists = {
    /** Fetches all keyword lists. */
    list: list('listKeywordLists'),
    /** Fetches a keyword list. */
    get: byId(operation, 'getKeywordList'),
    /** Creates a keyword list, and resolves with it as the platform keeps it. */
    create: create<'createKeywordList', KeywordList>('createKeywordList', 'list'),
    /** Replaces a keyword list by another version: the whole of it. */
    replace: replace<'replaceKeywordList', KeywordList>('replaceKeywordList', 'list'),
    /** Deletes a keyword list. */
    delete: byId(operation, 'deleteKeywordList'),
  };
  const rules = {
    /** Fetches the moderation rules (§4.7). */
    list: list('listRules'),
    /** Fetches the rule or the keyword list with an id (§4.8); a list has `searchTerms`. */
    get: byId(operation, 'getRule'),
    /** Creates a rule, and resolves with it as the platform keeps it. */
    create: create<'createRule', Rule>('createRule', 'rule'),
    /** Replaces a rule by another version: the whole of it. */
    replace: replace<'replaceRule', Rule>('replaceRule', 'rule'),
    /** Deletes a rule. */
    delete: byId(operation, 'deleteRule'),
  };
  return {
    rules,
    /**
     * Keyword lists at the path at which live platforms have them, `/moderation/keywords`; beyond
     * the document.
     */
    lists,
    /**
     * Messages that rules stopped; beyond the document, which has no cursor: a full page may not be
     * all.
     */
    blockedMessages: { list: list('listBlockedMessages') },
    /** Messages that reviewers decided about; beyond the document, which has no cursor. */
    reviewedMessages: { list: list('listReviewedMessages') },
    /** Another name of `lists.get`. */
    keywords: { get: lists.get },
  };
}

function userMethods(operation: MakeMethod) {
  return {
    /** Fetches a user (§4.4). */
    get: byId(operation, 'getUser'),
    /**
     * Sets the tags of a conversation of a user (§4.1). The document does not show which
     * conversation that is, and how tags apply.
     */
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
  const marker = (guid: string, options?: MarkerOptions) => ({
    path: { guid },
    body: { messageId: validMarkerId(options?.messageId) },
    ownOptions: ['messageId'],
  });
  return {
    /** Fetches a group (§4.3). */
    get: byId(operation, 'getGroup'),
    /** Marks a group conversation as read, up to a message when one is given (§4.5). */
    markAsRead: operation('markAsRead', (guid: string, options: CallOptions<'markAsRead'> & MarkerOptions) => ({
      ...marker(guid, options),
      options,
    })),
    /** Marks a group conversation as unread, after a message when one is given (§4.6). */
    markAsUnread: operation('markAsUnread', (guid: string, options?: CallOptions<'markAsUnread'> & MarkerOptions) => ({
      ...marker(guid, options),
      options,
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
     * Iterates over all messages that a query finds, following `meta.next` (§2.7), each message
     * once. `query.limit` is the page size, 1000 by default. The next page is fetched while the
     * consumer works on the current one.
     */
    iterate: (query: MessageQuery = {}, options: WalkOptions = {}): AsyncIterable<Message> =>
      paginate(listMessages, query, options),
  };
}

/** Returns the parameter of a path that has at most one, by its name. */
function pathOf<Name extends Operation>(name: Name, id: string): PathOf<Name> {
  const [, parameter] = /\{(\w+)\}/.exec(endpoints[name].path) ?? [];
  return (parameter === undefined ? {} : { [parameter]: id }) as PathOf<Name>;
}

/**
 * Returns a message id as the body of a read marker has it (§4.5, §4.6): an integer, though
 * messages carry it as a decimal string (§2.4), so one beyond the safe integers is refused.
 */
function validMarkerId(messageId: unknown): number | undefined {
  if (messageId === undefined) return undefined;
  const number = typeof messageId === 'string' && /^\d+$/.test(messageId) ? Number(messageId) : messageId;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  const most = `a whole number up to ${Number.MAX_SAFE_INTEGER}`;
  throw new UsageError(`\`messageId\` must be ${most}, or one written as a string`);
}

function validTags(tags: unknown): readonly string[] | undefined {
  if (tags === undefined) return undefined;
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return tags;
  throw new UsageError('`tags` must be a list of strings');
}

function validResource(name: 'rule' | 'list', value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError(`\`${name}\` must be an object`);
}

type Methods = ReturnType<typeof createOperations>;

/** The methods of a client by resource. */
export type Operations = { readonly [Resource in keyof Methods]: Readonly<Methods[Resource]> };

type SentBy<T> = { [Key in keyof T]: T[Key] extends Method<infer Name, never> ? Name : never }[keyof T];
type Unsent = Exclude<Operation, { [Resource in keyof Methods]: SentBy<Methods[Resource]> }[keyof Methods]>;

/**
 * The rows of the table that no method sends, as a property that no value has; `unknown` if there
 * are no such rows.
 */
export type EveryRowHasMethod = [Unsent] extends [never] ? unknown : { readonly rowsWithoutMethod: Unsent };

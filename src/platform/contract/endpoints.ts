/**
 * The operations of §4 as one table, from which client requests and service routes are built. Both
 * are mapped types over its keys, so a row that only one of them implements does not type-check.
 */
import * as z from 'zod';
import { conversationSchema } from './conversation.js';
import { maybe } from './fields.js';
import { groupSchema } from './group.js';
import { type KeywordList, keywordListSchema } from './keyword-list.js';
import { messageSchema } from './message.js';
import { metaSchema } from './meta.js';
import { type ModeratedMessage, moderatedMessageSchema } from './moderated-message.js';
import { listBodySchema, newListBodySchema, newRuleBodySchema, ruleBodySchema } from './moderation-writes.js';
import { safeParse } from './parse.js';
import { type Rule, ruleSchema } from './rule.js';
import { userSchema } from './user.js';

/** The base path of every operation (§9). */
export const basePath = '/v3';

/** A row of the table. */
export interface Endpoint {
  /** Section of the interface document; `beyond` for operations that only live platforms have. */
  readonly section: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Path below the base URL; `{name}` is a path parameter. */
  readonly path: string;
  /** The `onBehalfOf` header (§5). */
  readonly onBehalfOf: 'required' | 'optional' | 'none';
  /**
   * Whether the operation is idempotent: reads and read markers are; a PUT of tags is not
   * documented to be. Only idempotent operations are retried.
   */
  readonly repeatable: boolean;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
}

/** Body of update user conversation (§4.1). */
const tagsBodySchema = z.looseObject({ tags: maybe(z.array(z.string())) });

/** Body of the read markers (§4.5, §4.6); `messageId` is an integer on the wire. */
const markerBodySchema = z.looseObject({ messageId: maybe(z.int()) });

/** Response of the read markers. One live variant spells the second field `Message`. */
const confirmationSchema = z
  .looseObject({ success: z.boolean(), message: maybe(z.string()), Message: maybe(z.string()) })
  .transform(({ Message, ...rest }) => ({ ...rest, message: rest.message ?? Message ?? '' }));

/** Response data of §4.1: an array; a live variant returns one object. */
const conversationsSchema = z.union([
  z.array(conversationSchema),
  conversationSchema.transform((conversation) => [conversation]),
]);

/**
 * A rule or a keyword list, distinguished by their fields: a rule has `conditions`, a keyword list
 * has `searchTerms`.
 */
const ruleOrListSchema = z.unknown().transform((value, context): Rule | KeywordList => {
  const isList = typeof value === 'object' && value !== null && 'searchTerms' in value && !('conditions' in value);
  const parsed = safeParse<z.ZodType<Rule | KeywordList>>(isList ? keywordListSchema : ruleSchema, value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  return z.NEVER;
});

const envelope = <T extends z.ZodType>(data: T) => z.looseObject({ data });

/**
 * The fields that the rows of writes share: they are beyond the interface document, and never sent
 * twice.
 */
const write = { section: 'beyond', onBehalfOf: 'none', repeatable: false } as const;
const rule = '/moderation/rules/{ruleId}';
const list = '/moderation/keywords/{listId}';

const page = <T extends z.ZodType>(data: T) =>
  z.looseObject({ data: z.array(data), meta: maybe(metaSchema).transform((meta) => meta ?? {}) });

export const endpoints = {
  updateConversation: {
    section: '§4.1',
    method: 'PUT',
    path: '/users/{uid}/conversation',
    onBehalfOf: 'required',
    repeatable: false,
    body: tagsBodySchema,
    response: envelope(conversationsSchema),
  },
  listMessages: {
    section: '§4.2',
    method: 'GET',
    path: '/messages',
    onBehalfOf: 'optional',
    repeatable: true,
    response: page(messageSchema),
  },
  getGroup: {
    section: '§4.3',
    method: 'GET',
    path: '/groups/{guid}',
    onBehalfOf: 'optional',
    repeatable: true,
    response: envelope(groupSchema),
  },
  getUser: {
    section: '§4.4',
    method: 'GET',
    path: '/users/{uid}',
    onBehalfOf: 'optional',
    repeatable: true,
    response: envelope(userSchema),
  },
  markAsRead: {
    section: '§4.5',
    method: 'POST',
    path: '/groups/{guid}/conversation/read',
    onBehalfOf: 'required',
    repeatable: true,
    body: markerBodySchema,
    response: envelope(confirmationSchema),
  },
  markAsUnread: {
    section: '§4.6',
    method: 'DELETE',
    path: '/groups/{guid}/conversation/read',
    onBehalfOf: 'optional',
    repeatable: true,
    body: markerBodySchema,
    response: envelope(confirmationSchema),
  },
  listRules: {
    section: '§4.7',
    method: 'GET',
    path: '/moderation/rules',
    onBehalfOf: 'none',
    repeatable: true,
    response: page<z.ZodType<Rule>>(ruleSchema),
  },
  getRule: {
    section: '§4.8',
    method: 'GET',
    path: '/moderation/rules/{ruleId}',
    onBehalfOf: 'none',
    repeatable: true,
    response: envelope(ruleOrListSchema),
  },
  getKeywordList: {
    section: 'beyond',
    method: 'GET',
    path: '/moderation/keywords/{listId}',
    onBehalfOf: 'none',
    repeatable: true,
    response: envelope<z.ZodType<KeywordList>>(keywordListSchema),
  },
  createRule: {
    ...write,
    method: 'POST',
    path: '/moderation/rules',
    body: newRuleBodySchema,
    response: envelope<z.ZodType<Rule>>(ruleSchema),
  },
  replaceRule: {
    ...write,
    method: 'PUT',
    path: rule,
    body: ruleBodySchema,
    response: envelope<z.ZodType<Rule>>(ruleSchema),
  },
  deleteRule: {
    ...write,
    method: 'DELETE',
    path: rule,
    response: envelope(confirmationSchema),
  },
  listKeywordLists: {
    section: 'beyond',
    method: 'GET',
    path: '/moderation/keywords',
    onBehalfOf: 'none',
    repeatable: true,
    response: page<z.ZodType<KeywordList>>(keywordListSchema),
  },
  createKeywordList: {
    ...write,
    method: 'POST',
    path: '/moderation/keywords',
    body: newListBodySchema,
    response: envelope<z.ZodType<KeywordList>>(keywordListSchema),
  },
  replaceKeywordList: {
    ...write,
    method: 'PUT',
    path: list,
    body: listBodySchema,
    response: envelope<z.ZodType<KeywordList>>(keywordListSchema),
  },
  deleteKeywordList: {
    ...write,
    method: 'DELETE',
    path: list,
    response: envelope(confirmationSchema),
  },
  listBlockedMessages: {
    section: 'beyond',
    method: 'GET',
    path: '/moderation/blocked-messages',
    onBehalfOf: 'none',
    repeatable: true,
    response: page<z.ZodType<ModeratedMessage>>(moderatedMessageSchema),
  },
  listReviewedMessages: {
    section: 'beyond',
    method: 'GET',
    path: '/moderation/reviewed-messages',
    onBehalfOf: 'none',
    repeatable: true,
    response: page<z.ZodType<ModeratedMessage>>(moderatedMessageSchema),
  },
} as const satisfies Record<string, Endpoint>;

/** Key of a row: the operation's name in code. */
export type Operation = keyof typeof endpoints;

/** The parsed response of an operation. */
export type ResponseOf<Name extends Operation> = z.infer<(typeof endpoints)[Name]['response']>;

type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Parameters<Rest>
  : never;

/** Path parameters of an operation, by name. */
export type PathOf<Name extends Operation> = Readonly<Record<Parameters<(typeof endpoints)[Name]['path']>, string>>;

/** Name of an operation in errors and logs: method and path template, never an id. */
export function operationLabel(name: Operation): string {
  return `${endpoints[name].method} ${endpoints[name].path}`;
}

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

const page = <T extends z.ZodType>(data: T) =>
  z.looseObject({ data: z.array(data), meta: maybe(metaSchema).transform((meta) => meta ?? {}) });

/** The fields that rows share: of reads, and of what is beyond the interface document. */
const read = { method: 'GET', repeatable: true } as const;
const moderation = { section: 'beyond', onBehalfOf: 'none' } as const;
const readBeyond = { ...read, ...moderation } as const;
/** Writes are never sent twice. */
const write = { ...moderation, repeatable: false } as const;
const marker = { path: '/groups/{guid}/conversation/read', repeatable: true, body: markerBodySchema } as const;
const group = envelope(groupSchema);
const rule = envelope<z.ZodType<Rule>>(ruleSchema);
const rulePage = page<z.ZodType<Rule>>(ruleSchema);
const list = envelope<z.ZodType<KeywordList>>(keywordListSchema);
const confirmation = envelope(confirmationSchema);
const moderated = page<z.ZodType<ModeratedMessage>>(moderatedMessageSchema);
const [rules, ruleById] = ['/moderation/rules', '/moderation/rules/{ruleId}'] as const;
const [lists, listById] = ['/moderation/keywords', '/moderation/keywords/{listId}'] as const;

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
  listMessages: { ...read, section: '§4.2', path: '/messages', onBehalfOf: 'optional', response: page(messageSchema) },
  getGroup: { ...read, section: '§4.3', path: '/groups/{guid}', onBehalfOf: 'optional', response: group },
  getUser: { ...read, section: '§4.4', path: '/users/{uid}', onBehalfOf: 'optional', response: envelope(userSchema) },
  markAsRead: { ...marker, section: '§4.5', method: 'POST', onBehalfOf: 'required', response: confirmation },
  markAsUnread: { ...marker, section: '§4.6', method: 'DELETE', onBehalfOf: 'optional', response: confirmation },
  listRules: { ...read, section: '§4.7', path: rules, onBehalfOf: 'none', response: rulePage },
  getRule: { ...read, section: '§4.8', path: ruleById, onBehalfOf: 'none', response: envelope(ruleOrListSchema) },
  getKeywordList: { ...readBeyond, path: listById, response: list },
  createRule: { ...write, method: 'POST', path: rules, body: newRuleBodySchema, response: rule },
  replaceRule: { ...write, method: 'PUT', path: ruleById, body: ruleBodySchema, response: rule },
  deleteRule: { ...write, method: 'DELETE', path: ruleById, response: confirmation },
  listKeywordLists: { ...readBeyond, path: lists, response: page<z.ZodType<KeywordList>>(keywordListSchema) },
  createKeywordList: { ...write, method: 'POST', path: lists, body: newListBodySchema, response: list },
  replaceKeywordList: { ...write, method: 'PUT', path: listById, body: listBodySchema, response: list },
  deleteKeywordList: { ...write, method: 'DELETE', path: listById, response: confirmation },
  listBlockedMessages: { ...readBeyond, path: '/moderation/blocked-messages', response: moderated },
  listReviewedMessages: { ...readBeyond, path: '/moderation/reviewed-messages', response: moderated },
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

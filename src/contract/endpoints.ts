/**
 * The operations of §4 as one table. The client sends by it and the service routes by it: both are mapped types over
 * its keys, so a row that only one of them knows does not type-check.
 */
import * as z from 'zod';
import { conversationSchema } from './conversation.js';
import { maybe } from './fields.js';
import { groupSchema } from './group.js';
import { keywordListSchema } from './keyword-list.js';
import { messageSchema } from './message.js';
import { metaSchema } from './meta.js';
import { ruleSchema } from './rule.js';
import { userSchema } from './user.js';

/** How a row of the table looks. */
export interface Endpoint {
  /** Section of the interface document; `beyond` for what only live platforms have. */
  readonly section: string;
  /** What it does, in a few words. */
  readonly summary: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Path below the base URL; `{name}` is a path parameter. */
  readonly path: string;
  /** The `onBehalfOf` header (§5). */
  readonly onBehalfOf: 'required' | 'optional' | 'none';
  /**
   * Whether sending it twice does what sending it once does: reads and read markers do, a PUT of tags is not documented
   * to. Only such a row is sent again after a failure.
   */
  readonly repeatable: boolean;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
}

/** Body of update user conversation (§4.1). */
const tagsBodySchema = z.looseObject({ tags: maybe(z.array(z.string())) });

/** Body of the read markers (§4.5, §4.6); `messageId` is an integer on the wire. */
const markerBodySchema = z.looseObject({ messageId: maybe(z.int()) });

/** Answer of the read markers. One live variant spells the second field `Message`. */
const confirmationSchema = z
  .looseObject({ success: z.boolean(), message: maybe(z.string()), Message: maybe(z.string()) })
  .transform(({ Message, ...rest }) => ({ ...rest, message: rest.message ?? Message ?? '' }));

/** §4.1 answers with an array; a live variant answers with one object. */
const conversationsSchema = z.union([
  z.array(conversationSchema),
  conversationSchema.transform((conversation) => [conversation]),
]);

/** Told apart by its fields: a rule has `conditions`, a keyword list has `searchTerms`. */
const ruleOrListSchema = z.unknown().transform((value, context) => {
  const isList = typeof value === 'object' && value !== null && 'searchTerms' in value && !('conditions' in value);
  const parsed = (isList ? keywordListSchema : ruleSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  return z.NEVER;
});

const answer = <T extends z.ZodType>(data: T) => z.looseObject({ data });
const page = <T extends z.ZodType>(data: T) => z.looseObject({ data: z.array(data), meta: metaSchema.default({}) });

export const endpoints = {
  updateConversation: {
    section: '§4.1',
    summary: 'Update the tags of a conversation between two users',
    method: 'PUT',
    path: '/users/{uid}/conversation',
    onBehalfOf: 'required',
    repeatable: false,
    body: tagsBodySchema,
    response: answer(conversationsSchema),
  },
  listMessages: {
    section: '§4.2',
    summary: 'List messages',
    method: 'GET',
    path: '/messages',
    onBehalfOf: 'optional',
    repeatable: true,
    response: page(messageSchema),
  },
  getGroup: {
    section: '§4.3',
    summary: 'Get a group',
    method: 'GET',
    path: '/groups/{guid}',
    onBehalfOf: 'optional',
    repeatable: true,
    response: answer(groupSchema),
  },
  getUser: {
    section: '§4.4',
    summary: 'Get a user',
    method: 'GET',
    path: '/users/{uid}',
    onBehalfOf: 'optional',
    repeatable: true,
    response: answer(userSchema),
  },
  markAsRead: {
    section: '§4.5',
    summary: 'Mark a group conversation as read',
    method: 'POST',
    path: '/groups/{guid}/conversation/read',
    onBehalfOf: 'required',
    repeatable: true,
    body: markerBodySchema,
    response: answer(confirmationSchema),
  },
  markAsUnread: {
    section: '§4.6',
    summary: 'Mark a group conversation as unread',
    method: 'DELETE',
    path: '/groups/{guid}/conversation/read',
    onBehalfOf: 'optional',
    repeatable: true,
    body: markerBodySchema,
    response: answer(confirmationSchema),
  },
  listRules: {
    section: '§4.7',
    summary: 'List moderation rules',
    method: 'GET',
    path: '/moderation/rules',
    onBehalfOf: 'none',
    repeatable: true,
    response: page(ruleSchema),
  },
  getRule: {
    section: '§4.8',
    summary: 'Get a moderation rule or the keyword list of that id',
    method: 'GET',
    path: '/moderation/rules/{ruleId}',
    onBehalfOf: 'none',
    repeatable: true,
    response: answer(ruleOrListSchema),
  },
  getKeywordList: {
    section: 'beyond',
    summary: 'Get a keyword list',
    method: 'GET',
    path: '/moderation/keywords/{listId}',
    onBehalfOf: 'none',
    repeatable: true,
    response: answer(keywordListSchema),
  },
} as const satisfies Record<string, Endpoint>;

/** Key of a row: the operation's name in code. */
export type Operation = keyof typeof endpoints;

/** What an operation answers, parsed. */
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

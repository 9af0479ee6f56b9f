/** The interface (§4) as an OpenAPI 3.1 document, made from the endpoint table and the schemas of the contract. */
import * as z from 'zod';
import { conversationSchema } from './conversation.js';
import { basePath, type Endpoint, endpoints, type Operation } from './endpoints.js';
import { groupSchema } from './group.js';
import { keywordListSchema } from './keyword-list.js';
import { messageSchema } from './message.js';
import { messageParameters, pageLimit, repeatedLists, ruleLimit, ruleParameters } from './message-query.js';
import { metaSchema } from './meta.js';
import { moderatedMessageSchema } from './moderated-message.js';
import { ruleSchema } from './rule.js';
import { userSchema } from './user.js';

/** A JSON Schema of draft 2020-12, which is what OpenAPI 3.1 has. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const tags = [
  { name: 'users', description: 'Users and their conversations (§4.1, §4.4).' },
  { name: 'messages', description: 'Messages (§4.2).' },
  { name: 'groups', description: 'Groups and their read markers (§4.3, §4.5, §4.6).' },
  {
    name: 'moderation',
    description: 'Moderation rules and keyword lists (§4.7, §4.8), and the messages that rules stopped.',
  },
];

/** Every status but 200, and when it comes. */
const problemMeanings: Readonly<Record<string, string>> = {
  '400': 'A header, the query or the body is wrong; `details` says what, by field.',
  '401': 'The api key is missing or wrong.',
  '403': 'The acting user is not a member of the group.',
  '404': 'There is no such user, group, message, conversation, rule or list.',
  '406': 'The header `accept` leaves out JSON.',
  '409': 'There is a rule or list of that id already.',
  '413': 'The body is too large.',
  '415': 'The body is not declared as JSON.',
  default: 'Any other problem, such as 429, or a 500.',
};

/** The form of every problem; the document gives none (§7), it is the one that live platforms send. */
const errorSchema = z.object({
  error: z.object({
    message: z.string().describe('What is wrong, for people.'),
    devMessage: z.string().describe('How to fix it.'),
    source: z.literal('chat-api'),
    code: z.string().describe('Stable, such as ERR_UID_NOT_FOUND.'),
    details: z.record(z.string(), z.array(z.string())).optional().describe('What is wrong with each field.'),
  }),
});

let made: OpenApiDocument | undefined;

/**
 * Returns the interface as an OpenAPI 3.1 document: plain JSON. The service serves it at `/openapi.json`, beside `/v3` and without a key; its
 * server is relative, so it holds wherever it was fetched.
 */
export function openApiDocument(): OpenApiDocument {
  made ??= makeDocument();
  return made;
}

/** The document, as far as OpenAPI 3.1 is used here. */
export type OpenApiDocument = ReturnType<typeof makeDocument>;

function makeDocument() {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const name of Object.keys(endpoints) as Operation[]) {
    const { path, method } = endpoints[name];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(name, endpoints[name]) };
  }
  const schemas = Object.entries(resources).map(([name, schema]) => [name, toJsonSchema(schema)]);
  const problems = Object.entries(problemMeanings).map(([status, description]) => [
    problemName(status),
    { description, ...json(reference('Error')) },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chat messaging and moderation rules, as served by Sluice',
      version: basePath.slice(1),
      description:
        'Users, groups, conversations, messages and moderation rules. Where the interface document is silent, this is the ' +
        "reading of Sluice's local service. Unknown query parameters are ignored, and resources may have more fields.",
    },
    servers: [{ url: basePath, description: 'The service that this document came from.' }],
    security: [{ apikey: [] }] as Record<string, string[]>[],
    tags,
    paths,
    components: {
      securitySchemes: {
        apikey: { type: 'apiKey', in: 'header', name: 'apikey', description: 'The REST API key (§5).' },
      } as Record<string, JsonSchema>,
      schemas: Object.fromEntries(schemas) as Record<string, JsonSchema>,
      responses: Object.fromEntries(problems) as Record<string, JsonResponse>,
    },
  };
}

/** An operation, as far as OpenAPI 3.1 is used here. */
export type OpenApiOperation = ReturnType<typeof operationOf>;

function operationOf(name: Operation, endpoint: Endpoint) {
  const { section, summary, path, body, response } = endpoint;
  const isInDocument = section.startsWith('§');
  const responses: Record<string, JsonResponse | { readonly $ref: string }> = {
    '200': { description: 'Done.', ...json(toJsonSchema(response)) },
  };
  for (const status of problemsOf(endpoint)) {
    responses[status] = { $ref: `#/components/responses/${problemName(status)}` };
  }
  return {
    operationId: name,
    summary,
    description: isInDocument
      ? `${section} of the interface document.`
      : 'Beyond the interface document: live platforms have it.',
    tags: [path.split('/')[1] ?? ''],
    parameters: parametersOf(name, endpoint),
    ...(body === undefined
      ? {}
      : { requestBody: { required: !body.safeParse({}).success, ...json(toJsonSchema(body)) } }),
    responses,
  };
}

/** Returns the statuses that an operation can answer with beside 200, as far as they can be told from its row. */
function problemsOf({ path, method, onBehalfOf, body }: Endpoint): readonly string[] {
  const isNamed = path.includes('{') || onBehalfOf !== 'none';
  return Object.keys(problemMeanings).filter((status) => {
    if (status === '403') return path.startsWith('/groups/') && body !== undefined;
    if (status === '404') return isNamed;
    if (status === '409') return path.startsWith('/moderation/') && method === 'POST';
    return body !== undefined || !['413', '415'].includes(status);
  });
}

function problemName(status: string): string {
  return status === 'default' ? 'Problem' : `Problem${status}`;
}

type JsonResponse = ReturnType<typeof json> & { readonly description: string };

function json(schema: JsonSchema) {
  return { content: { 'application/json': { schema } } };
}

/** A parameter. A list is repeated (`types=a&types=b`) with `explode`, and joined by commas without. */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly style?: string;
  readonly explode?: boolean;
}

const queries: { readonly [Name in Operation]?: () => readonly OpenApiParameter[] } = {
  listMessages: () => queryParameters(messageParameters, pageLimit.default),
  listRules: () => queryParameters(ruleParameters, ruleLimit),
  listKeywordLists: () => queryParameters(ruleParameters, ruleLimit),
  listBlockedMessages: () => queryParameters(ruleParameters, ruleLimit),
  listReviewedMessages: () => queryParameters(ruleParameters, ruleLimit),
};

/** Returns the parameters of an operation: those of its path, its query, and `onBehalfOf`. The api key is a security scheme. */
function parametersOf(name: Operation, { path, onBehalfOf }: Endpoint): readonly OpenApiParameter[] {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => {
    return {
      name: id,
      in: 'path',
      required: true,
      description: `${id}, case-sensitive.`,
      schema: { type: 'string', minLength: 1 },
    };
  });
  const description = 'Uid of the user on whose behalf the action is performed (§5).';
  const required = onBehalfOf === 'required';
  const actor = { name: 'onBehalfOf', in: 'header', required, description, schema: { type: 'string' } };
  return [...ids, ...(queries[name]?.() ?? []), ...(onBehalfOf === 'none' ? [] : [actor])];
}

function queryParameters(shape: Readonly<Record<string, z.ZodType>>, limit: number): readonly OpenApiParameter[] {
  return Object.entries(shape).map(([name, parameter]) => {
    const { $schema: _, description = '', ...schema } = parameter.toJSONSchema();
    const withDefault = name === 'limit' ? { ...schema, default: limit } : schema;
    const list = schema.type === 'array' ? { style: 'form', explode: repeatedLists.has(name) } : {};
    return { name, in: 'query', required: false, description, schema: withDefault, ...list };
  });
}

const resources = {
  User: userSchema,
  Group: groupSchema,
  Conversation: conversationSchema,
  Message: messageSchema,
  Rule: ruleSchema,
  KeywordList: keywordListSchema,
  ModeratedMessage: moderatedMessageSchema,
  Meta: metaSchema,
  Error: errorSchema,
} as const satisfies Record<string, z.ZodType>;

const nameOf = new Map<unknown, string>(Object.entries(resources).map(([name, schema]) => [schema, name]));

/** The one answer whose shape is decided in code, by which fields there are (§4.8, §2.5 and §2.6). */
const ruleOrList = endpoints.getRule.response.shape.data;

/**
 * Returns a schema of the contract as JSON Schema, the resources in it as references. It says what is on the wire, before the contract
 * reads a number as a numeric string and one of several forms as another.
 */
function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...converted } = schema.toJSONSchema({
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const part: unknown = zodSchema;
      const name = nameOf.get(part);
      const replaced =
        part === ruleOrList ? { anyOf: [reference('KeywordList'), reference('Rule')] } : name && reference(name);
      if (!replaced || part === schema) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, replaced);
    },
  });
  return converted;
}

function reference(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

import { type Endpoint, endpoints, type Operation } from '../contract/endpoints.js';
import { type OpenApiParameter, parametersOf } from './open-api-parameters.js';
import { errorSchema, type JsonSchema, resourceSchemas, toJsonSchema } from './open-api-schemas.js';
import { basePath } from './router.js';

interface Described {
  readonly description: string;
}

interface WithJson {
  readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
}

/** An operation object of OpenAPI 3.1, as far as it is used here. */
export interface OpenApiOperation {
  readonly operationId: Operation;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: WithJson & { readonly required: false };
  readonly responses: Readonly<Record<string, (Described & WithJson) | { readonly $ref: string }>>;
}

/** The interface of the service as an OpenAPI 3.1 document: plain JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Described & { readonly title: string; readonly version: string };
  readonly servers: readonly (Described & { readonly url: string })[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly (Described & { readonly name: string })[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Described & WithJson>>;
  };
}

const summaries: Readonly<Record<Operation, string>> = {
  updateConversation: 'Update the tags of a conversation between two users',
  listMessages: 'List messages',
  getGroup: 'Get a group',
  getUser: 'Get a user',
  markAsRead: 'Mark a group conversation as read',
  markAsUnread: 'Mark a group conversation as unread',
  listRules: 'List moderation rules',
  getRule: 'Get a moderation rule or the keyword list of that id',
  getKeywordList: 'Get a keyword list',
};

const tags = [
  { name: 'users', description: 'Users and their conversations (§4.1, §4.4).' },
  { name: 'messages', description: 'Messages (§4.2).' },
  { name: 'groups', description: 'Groups and their read markers (§4.3, §4.5, §4.6).' },
  { name: 'moderation', description: 'Moderation rules and keyword lists (§4.7, §4.8).' },
];

/** Every status but 200, and when it comes. */
const refusalMeanings: Readonly<Record<string, string>> = {
  '400': 'A header, the query or the body is wrong; `details` says what, by field.',
  '401': 'The api key is missing or wrong.',
  '403': 'The acting user is no member of the group.',
  '404': 'There is no such user, group, message, conversation, rule or list.',
  '406': 'The header `accept` leaves out JSON.',
  '408': 'The request took too long to arrive.',
  '413': 'The body is too large.',
  '415': 'The body is not declared as JSON.',
  default: 'Any other refusal, such as 429 and 431, or a 500.',
};

let made: OpenApiDocument | undefined;

/**
 * The interface (§4) as an OpenAPI 3.1 document, made from the endpoint table and the schemas of the contract. The service serves
 * it at `/openapi.json`, beside `/v3` and without a key; its server is relative, so it holds wherever it was fetched.
 */
export function openApiDocument(): OpenApiDocument {
  made ??= {
    openapi: '3.1.0',
    info: {
      title: 'Chat messaging and moderation rules, as served by Sluice',
      version: basePath.slice(1),
      description:
        'Users, groups, conversations, messages and moderation rules. Where the interface document is silent, this is the ' +
        "reading of Sluice's local service. Unknown query parameters are ignored, and resources may have more fields.",
    },
    servers: [{ url: basePath, description: 'The service that this document came from.' }],
    security: [{ apikey: [] }],
    tags,
    paths: paths(),
    components: {
      securitySchemes: {
        apikey: { type: 'apiKey', in: 'header', name: 'apikey', description: 'The REST API key (§5).' },
      },
      schemas: { ...resourceSchemas(), Error: errorSchema },
      responses: Object.fromEntries(
        Object.entries(refusalMeanings).map(([status, description]) => [
          componentName(status),
          { description, ...json({ $ref: '#/components/schemas/Error' }) },
        ]),
      ),
    },
  };
  return made;
}

function paths(): OpenApiDocument['paths'] {
  const gathered: Record<string, Record<string, OpenApiOperation>> = {};
  for (const name of Object.keys(endpoints) as Operation[]) {
    const { path, method } = endpoints[name];
    gathered[path] = { ...gathered[path], [method.toLowerCase()]: operationOf(name, endpoints[name]) };
  }
  return gathered;
}

function operationOf(name: Operation, endpoint: Endpoint): OpenApiOperation {
  const { section, path, body, response } = endpoint;
  return {
    operationId: name,
    summary: summaries[name],
    description: section.startsWith('§')
      ? `${section} of the interface document.`
      : 'Beyond the interface document: live platforms have it.',
    tags: [path.split('/')[1] ?? ''],
    parameters: parametersOf(name, endpoint),
    ...(body === undefined ? {} : { requestBody: { required: false, ...json(toJsonSchema(body)) } }),
    responses: {
      '200': { description: 'Done.', ...json(toJsonSchema(response)) },
      ...Object.fromEntries(
        refusalsOf(endpoint).map((status) => [status, { $ref: `#/components/responses/${componentName(status)}` }]),
      ),
    },
  };
}

/** The statuses that an operation can refuse with, as far as they can be told from its row. */
function refusalsOf({ path, onBehalfOf, body }: Endpoint): readonly string[] {
  const isNamed = path.includes('{') || onBehalfOf !== 'none';
  return Object.keys(refusalMeanings).filter((status) => {
    if (status === '403') return path.startsWith('/groups/') && body !== undefined;
    if (status === '404') return isNamed;
    return body !== undefined || !['408', '413', '415'].includes(status);
  });
}

function componentName(status: string): string {
  return status === 'default' ? 'Refused' : `Refused${status}`;
}

function json(schema: JsonSchema): WithJson {
  return { content: { 'application/json': { schema } } };
}

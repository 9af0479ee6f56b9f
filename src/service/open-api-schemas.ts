import { conversationSchema } from '../contract/conversation.js';
import { type Endpoint, endpoints } from '../contract/endpoints.js';
import { groupSchema } from '../contract/group.js';
import { keywordListSchema } from '../contract/keyword-list.js';
import { messageSchema } from '../contract/message.js';
import { metaSchema } from '../contract/meta.js';
import { ruleSchema } from '../contract/rule.js';
import { userSchema } from '../contract/user.js';

/** A JSON Schema of draft 2020-12, which is what OpenAPI 3.1 has. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Schema = Endpoint['response'];

const named = {
  User: userSchema,
  Group: groupSchema,
  Conversation: conversationSchema,
  Message: messageSchema,
  Rule: ruleSchema,
  KeywordList: keywordListSchema,
  Meta: metaSchema,
} as const satisfies Record<string, Schema>;

const nameOf = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));

/** The one answer whose shape is decided in code, by which fields there are (§4.8, §2.5 and §2.6). */
const ruleOrList = endpoints.getRule.response.shape.data;

/**
 * A schema of the contract as JSON Schema, the resources in it as references. It says what is on the wire, before the contract
 * reads a number as a numeric string and one of several forms as another.
 */
export function toJsonSchema(schema: Schema): JsonSchema {
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

/** The resources of §2 by name. */
export function resourceSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, toJsonSchema(schema)]));
}

/** The form of every refusal; the document gives none (§7), it is the one that live platforms send. */
export const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'devMessage', 'source', 'code'],
      properties: {
        message: { type: 'string', description: 'What is wrong, for people.' },
        devMessage: { type: 'string', description: 'How to mend it.' },
        source: { type: 'string', const: 'chat-api' },
        code: { type: 'string', description: 'Stable, such as ERR_UID_NOT_FOUND.' },
        details: {
          type: 'object',
          description: 'What is wrong with each field of headers, query or body.',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
};

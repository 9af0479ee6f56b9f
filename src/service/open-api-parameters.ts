import type { Endpoint, Operation } from '../contract/endpoints.js';
import { type MessageParameter, messageParameters, pageLimit } from '../contract/message-query.js';
import type { JsonSchema } from './open-api-schemas.js';
import { ruleLimit } from './query.js';

/** A parameter object of OpenAPI 3.1. */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly style?: 'form';
  /** Whether a list is repeated (`types=a&types=b`) or joined by commas. */
  readonly explode?: boolean;
}

/** What §4.2 says of each parameter, and the service's reading where it says too little. */
const meanings: Readonly<Record<MessageParameter, string>> = {
  searchKey: 'Messages that include the key.',
  hideMessagesFromBlockedUsers: 'Leaves out messages from users that the acting user has blocked.',
  hasAttachments: 'Messages that include attachments.',
  attachmentTypes: 'Messages with an attachment of this type.',
  hasMentions: 'Messages that include mentions.',
  mentionedUids: 'Messages that mention one of these uids.',
  hasReactions: 'Messages that include reactions.',
  hasLinks: 'Messages that include links.',
  receiverType: 'Messages to users or to groups.',
  affix: '`append`: after the reference message; `prepend`: before it. `append` when absent.',
  id: 'Reference message id for pagination.',
  category: 'Messages of one category.',
  type: 'Messages of one type.',
  sender: 'Messages of this sender; with `onBehalfOf`, only those of the conversations that both take part in.',
  mentionsWithBlockedInfo: 'For mentioned users, adds blocked information relative to the acting user.',
  mentionsWithTagInfo: 'Adds the tags of mentioned users.',
  hideDeleted: 'Hides deleted messages.',
  onlyDeleted: 'Only deleted messages.',
  hideReplies: 'Skips replies in message threads.',
  count: 'Includes the count of unread messages.',
  unread: 'Only unread messages; must be used together with `count`.',
  sentAt: 'Messages after this timestamp, in seconds; with `id` it belongs to the cursor and filters nothing.',
  limit: 'Records to fetch.',
  conversationId: 'Messages of one conversation.',
  withTags: 'Includes tags with messages.',
  tags: 'Only messages with these tags.',
  categories: 'Messages of several categories.',
  types: 'Messages of several types.',
  fromTimestamp: 'Messages from this timestamp, in seconds.',
  toTimestamp: 'Messages up to this timestamp, in seconds; ignored without `fromTimestamp`.',
};

/** The parameters of an operation: those of its path, its query, and `onBehalfOf`. The api key is a security scheme. */
export function parametersOf(name: Operation, { path, onBehalfOf }: Endpoint): readonly OpenApiParameter[] {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => pathParameter(parameter)),
    ...(queries[name]?.() ?? []),
    ...(onBehalfOf === 'none' ? [] : [actingUser(onBehalfOf === 'required')]),
  ];
}

const queries: { readonly [Name in Operation]?: () => readonly OpenApiParameter[] } = {
  listMessages: () => (Object.keys(messageParameters) as MessageParameter[]).map(messageParameter),
  listRules: () => [query('limit', 'Records to fetch. The document states no bounds (§4.7).', limited(ruleLimit))],
};

const pathMeanings: Readonly<Record<string, string>> = {
  uid: 'Uid of a user, case-sensitive.',
  guid: 'Guid of a group, case-sensitive.',
  ruleId: 'Id of a rule or of a keyword list.',
  listId: 'Id of a keyword list.',
};

function pathParameter(name: string): OpenApiParameter {
  const description = pathMeanings[name] ?? `The ${name}.`;
  return { name, in: 'path', required: true, description, schema: { type: 'string', minLength: 1 } };
}

function actingUser(required: boolean): OpenApiParameter {
  const description = 'Uid of the user on whose behalf the action is performed (§5).';
  return { name: 'onBehalfOf', in: 'header', required, description, schema: { type: 'string' } };
}

function messageParameter(name: MessageParameter): OpenApiParameter {
  const parameter = messageParameters[name];
  const meaning = meanings[name];
  switch (parameter.kind) {
    case 'list': {
      const schema = { type: 'array', items: { type: 'string' } };
      return { ...query(name, meaning, schema), style: 'form', explode: parameter.style === 'repeat' };
    }
    case 'enum':
      return query(name, meaning, { type: 'string', enum: parameter.values });
    default:
      return query(name, meaning, name === 'limit' ? limited(pageLimit) : { type: parameter.kind });
  }
}

function query(name: string, description: string, schema: JsonSchema): OpenApiParameter {
  return { name, in: 'query', required: false, description, schema };
}

function limited({ min, max, ...rest }: { readonly default: number; readonly min: number; readonly max: number }) {
  return { type: 'integer', minimum: min, maximum: max, default: rest.default };
}

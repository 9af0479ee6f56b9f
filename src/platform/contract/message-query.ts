/**
 * The query of list messages (§4.2) as a schema: the client checks and writes by it, the service reads by it, and OpenAPI
 * describes it. Its messages say what a value should be; its descriptions what §4.2 says of a parameter, and how the service
 * reads it where §4.2 says too little. `hasLinks` is the name that the document leaves out.
 */
import * as z from 'zod';

/** Page size of §4.2 and §8. */
export const pageLimit = { default: 10, min: 1, max: 1000 } as const;

const textAdvice = 'must be a string with at least one character; leave it out for no filter';
const listAdvice = 'must be a list of strings with at least one item; leave it out for no filter';

const flag = (description: string) => z.boolean({ error: 'must be true or false' }).describe(description);
const textValue = z
  .string({ error: textAdvice })
  .min(1, { error: textAdvice })
  .refine((value) => value.isWellFormed(), { error: 'holds half of a surrogate pair, which cannot be sent' });
const text = (description: string) => textValue.describe(description);
const choice = <const Values extends readonly string[]>(values: Values, description: string) =>
  z.enum(values, { error: `must be one of ${values.map((value) => `\`${value}\``).join(', ')}` }).describe(description);
const integer = (description: string) => z.int({ error: 'must be a whole number' }).describe(description);
const list = (description: string) =>
  z.array(textValue, { error: listAdvice }).min(1, { error: listAdvice }).describe(description);

/** A page size within bounds, as a parameter `limit`. */
function limitParameter(min: number, max: number, description: string) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).describe(description);
}

/** The page of list moderation rules. The document shows a 50 and no bounds (§8), so those of list messages hold here as well. */
export const ruleLimit = 50;

/** The query of list moderation rules; the document does not show one. */
export const ruleParameters = {
  limit: limitParameter(pageLimit.min, pageLimit.max, 'Records to fetch. The document states no bounds (§4.7).'),
};

/** The types of attachments that can be listed; one of no other type is a `file`. */
export const attachmentTypes = ['image', 'video', 'audio', 'file'] as const;

/** The parameters by name, with their types in code; in an address they are text. */
export const messageParameters = {
  searchKey: text('Messages that include the key.'),
  hideMessagesFromBlockedUsers: flag('Leaves out messages from users that the acting user has blocked.'),
  hasAttachments: flag('Messages that include attachments.'),
  attachmentTypes: choice(attachmentTypes, 'Messages with an attachment of this type.'),
  hasMentions: flag('Messages that include mentions.'),
  mentionedUids: list('Messages that mention one of these uids.'),
  hasReactions: flag('Messages that include reactions.'),
  hasLinks: flag('Messages that include links.'),
  receiverType: choice(['user', 'group'], 'Messages to users or to groups.'),
  affix: choice(
    ['append', 'prepend'],
    '`append`: after the reference message; `prepend`: before it. `append` when absent.',
  ),
  id: text('Reference message id for pagination.'),
  category: choice(['message', 'action', 'custom'], 'Messages of one category.'),
  type: text('Messages of one type.'),
  sender: text('Messages of this sender; with `onBehalfOf`, only those of the conversations that both take part in.'),
  mentionsWithBlockedInfo: flag('For mentioned users, adds blocked information relative to the acting user.'),
  mentionsWithTagInfo: flag('Adds the tags of mentioned users.'),
  hideDeleted: flag('Hides deleted messages.'),
  onlyDeleted: flag('Only deleted messages.'),
  hideReplies: flag('Skips replies in message threads.'),
  count: flag('Includes the count of unread messages.'),
  unread: flag('Only unread messages; must be used together with `count`.'),
  sentAt: integer('Messages after this timestamp, in seconds; with `id` it belongs to the cursor and filters nothing.'),
  limit: limitParameter(pageLimit.min, pageLimit.max, 'Records to fetch.'),
  conversationId: text('Messages of one conversation.'),
  withTags: flag('Includes tags with messages.'),
  tags: list('Only messages with these tags.'),
  categories: list('Messages of several categories.'),
  types: list('Messages of several types.'),
  fromTimestamp: integer('Messages from this timestamp, in seconds.'),
  toTimestamp: integer('Messages up to this timestamp, in seconds; ignored without `fromTimestamp`.'),
};

/** Name of a parameter of list messages. */
export type MessageParameter = keyof typeof messageParameters;

/** Lists whose items are repeated parameters (`types=a&types=b`); the items of all others are joined by commas. */
export const repeatedLists: ReadonlySet<string> = new Set<MessageParameter>(['types']);

/** Filters and cursor of list messages (§4.2), typed; all optional. Timestamps in seconds, `limit` 1..1000. */
export type MessageQuery = {
  readonly [Name in MessageParameter]?: Readonly<z.infer<(typeof messageParameters)[Name]>> | undefined;
};

/** The whole query. */
export const messageQuerySchema = z
  .object(messageParameters)
  .partial()
  .refine(({ unread, count }) => unread !== true || count === true, {
    path: ['unread'],
    error: 'must come with `count=true`',
  });

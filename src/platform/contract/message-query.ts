/**
 * The query of list messages (§4.2) as a schema: the client checks and writes by it, and the
 * service reads by it. Its messages say what a value should be. `hasLinks` is the name that the
 * document leaves out.
 */
import * as z from 'zod';

/** Page size of §4.2 and §8. */
export const pageLimit = { default: 10, min: 1, max: 1000 } as const;

const textAdvice = 'must be a string with at least one character; leave it out for no filter';
const listAdvice = 'must be a list of strings with at least one item; leave it out for no filter';

const flag = z.boolean({ error: 'must be true or false' });
const text = z
  .string({ error: textAdvice })
  .min(1, { error: textAdvice })
  .refine((value) => value.isWellFormed(), { error: 'holds half of a surrogate pair, which cannot be sent' });
const choice = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.map((value) => `\`${value}\``).join(', ')}` });
const integer = z.int({ error: 'must be a whole number' });
const list = z.array(text, { error: listAdvice }).min(1, { error: listAdvice });

const limitAdvice = `must be a whole number from ${pageLimit.min} to ${pageLimit.max}`;
const pageSize = z
  .int({ error: limitAdvice })
  .min(pageLimit.min, { error: limitAdvice })
  .max(pageLimit.max, { error: limitAdvice });

/**
 * The page size of list moderation rules. The document shows 50 and no bounds (§8), so the bounds
 * of list messages hold here as well.
 */
export const ruleLimit = 50;

/**
 * The query of list moderation rules; the document shows neither the query nor its bounds (§4.7).
 */
export const ruleParameters = { limit: pageSize };

/** The types of attachments that can be listed; an attachment of any other type is a `file`. */
export const attachmentTypes = ['image', 'video', 'audio', 'file'] as const;

/** The parameters by name, with their types in code; in an address they are text. */
export const messageParameters = {
  /** Messages that include the key. */
  searchKey: text,
  /** Leaves out messages from users that the acting user has blocked. */
  hideMessagesFromBlockedUsers: flag,
  /** Messages that include attachments. */
  hasAttachments: flag,
  /** Messages with an attachment of this type. */
  attachmentTypes: choice(attachmentTypes),
  /** Messages that include mentions. */
  hasMentions: flag,
  /** Messages that mention one of these uids. */
  mentionedUids: list,
  /** Messages that include reactions. */
  hasReactions: flag,
  /** Messages that include links. */
  hasLinks: flag,
  /** Messages to users or to groups. */
  receiverType: choice(['user', 'group']),
  /** `append`: after the reference message; `prepend`: before it. `append` when absent. */
  affix: choice(['append', 'prepend']),
  /** Reference message id for pagination. */
  id: text,
  /** Messages of one category. */
  category: choice(['message', 'action', 'custom']),
  /** Messages of one type. */
  type: text,
  /**
   * Messages of this sender; with `onBehalfOf`, only those of the conversations that both take part
   * in.
   */
  sender: text,
  /** For mentioned users, adds blocked information relative to the acting user. */
  mentionsWithBlockedInfo: flag,
  /** Adds the tags of mentioned users. */
  mentionsWithTagInfo: flag,
  /** Hides deleted messages. */
  hideDeleted: flag,
  /** Only deleted messages. */
  onlyDeleted: flag,
  /** Skips replies in message threads. */
  hideReplies: flag,
  /** Includes the count of unread messages. */
  count: flag,
  /** Only unread messages; must be used together with `count`. */
  unread: flag,
  /**
   * Messages after this timestamp, in seconds; with `id` it belongs to the cursor and filters
   * nothing.
   */
  sentAt: integer,
  /** Records to fetch. */
  limit: pageSize,
  /** Messages of one conversation. */
  conversationId: text,
  /** Includes tags with messages. */
  withTags: flag,
  /** Only messages with these tags. */
  tags: list,
  /** Messages of several categories. */
  categories: list,
  /** Messages of several types. */
  types: list,
  /** Messages from this timestamp, in seconds. */
  fromTimestamp: integer,
  /** Messages up to this timestamp, in seconds; ignored without `fromTimestamp`. */
  toTimestamp: integer,
};

/** Name of a parameter of list messages. */
export type MessageParameter = keyof typeof messageParameters;

/**
 * Lists whose items are repeated parameters (`types=a&types=b`); the items of all others are joined
 * by commas.
 */
export const repeatedLists: ReadonlySet<string> = new Set<MessageParameter>(['types']);

/**
 * Filters and cursor of list messages (§4.2), typed; all optional. Timestamps in seconds, `limit`
 * 1..1000.
 */
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

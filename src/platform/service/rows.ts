/**
 * The stored forms of §2 that the service reads, as rows of plain JSON. Rows of users, groups and
 * messages are lines of `*.ndjson`, gzipped or not; rules and lists are arrays in `*.json`, or `{
 * "data": [...] }` as in an answer of the platform. Unknown fields are kept and served; null counts
 * as absent.
 */
import * as z from 'zod';
import { maybe, numericId } from '../contract/fields.js';
import { groupSchema } from '../contract/group.js';
import { messageDataSchema, messageSchema } from '../contract/message.js';
import { parse } from '../contract/parse.js';
import { userSchema } from '../contract/user.js';

const identifierAdvice = 'must be a non-empty string';
const identifier = z.string({ error: identifierAdvice }).min(1, { error: identifierAdvice });
const integer = z.int({ error: 'must be an integer' });
const strings = z.array(z.string(), { error: 'must be an array of strings' });
const messageId = z.string().refine(isMessageId, { error: 'must be a decimal message id' });

/**
 * Reports whether a value is a message id as the service has them: decimal digits without leading
 * zeros.
 */
export function isMessageId(value: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(value);
}

/**
 * A row of `users.ndjson`: the user as served (§2.1, with `tags`), and one field that is never
 * served.
 */
export const userRowSchema = userSchema.extend({
  /** Uids that this user has blocked; never served. */
  blocked: maybe(strings),
});

/** A member of a group, as it is stored. */
const memberSchema = z.object({
  uid: identifier,
  /** Scope of the member (§2.2); `participant` when absent. */
  scope: maybe(z.string()),
  /** Seconds since the epoch. */
  joinedAt: maybe(integer),
  /** Id of the last message of the group that the member has read. */
  readUpTo: maybe(messageId),
});

/**
 * A row of `groups.ndjson`: the group of §2.2 without the fields that belong to an acting user
 * (`scope`, `joinedAt`, `hasJoined`; the service computes them). `membersCount` and
 * `conversationId` (`group_<guid>`) are derived when absent.
 */
export const groupRowSchema = groupSchema.extend({
  /** Never served. A group without it has the senders of its messages as members, actions aside. */
  members: maybe(z.array(memberSchema)),
});

/** `data` of a stored message. */
const messageDataRowSchema = messageDataSchema.extend({
  entities: maybe(z.looseObject({})),
  mentions: maybe(z.looseObject({})),
  reactions: maybe(z.array(z.unknown())),
});

/**
 * A row of `messages.ndjson`: the message of §2.4 without the parties embedded in it, which the
 * service adds. `conversationId` is derived when absent: `group_<guid>`, or `<uid>_user_<uid>` with
 * the two uids sorted. A deleted message carries `deletedAt`, and `data` or not.
 *
 * `data` of category `action` names its parties by plain id, `{ action, entities: { by, on, for }
 * }`: for type `groupMember` two uids and a guid, for type `message` a uid, the id of the message
 * acted on, and its receiver. Parties that are objects already are served as they are.
 * `data.mentions` (`{ "<uid>": { uid, name } }`), `data.reactions` (`[{ reaction, count }]`) and
 * `data.attachments` (`[{ name, extension, size, mimeType, url }]`) are in wire form.
 */
export const messageRowSchema = messageSchema.extend({
  /** Decimal, unique. */
  id: numericId.refine(isMessageId, { error: 'must be a decimal message id' }),
  sender: identifier,
  receiverType: z.enum(['user', 'group'], { error: 'must be `user` or `group`' }),
  receiver: identifier,
  data: maybe(messageDataRowSchema),
  /** Seconds since the epoch. */
  sentAt: integer,
});

/** A row of `rules.json` or `lists.json`: any object with an id, broken or not. */
const moderationRowSchema = z.looseObject({ id: identifier });

export type UserRow = Readonly<z.infer<typeof userRowSchema>>;
export type MemberRow = Readonly<z.infer<typeof memberSchema>>;
export type GroupRow = Readonly<z.infer<typeof groupRowSchema>>;
export type MessageRow = Readonly<z.infer<typeof messageRowSchema>>;
export type MessageRowData = Readonly<z.infer<typeof messageDataRowSchema>>;
export type ModerationRow = Readonly<z.infer<typeof moderationRowSchema>>;

/** Everything that the service serves, as plain objects. What is absent is empty. */
export interface ServiceData {
  readonly users?: readonly UserRow[] | undefined;
  readonly groups?: readonly GroupRow[] | undefined;
  readonly messages?: readonly MessageRow[] | undefined;
  readonly rules?: readonly ModerationRow[] | undefined;
  readonly lists?: readonly ModerationRow[] | undefined;
}

/**
 * Returns a rule or a keyword list, which is served exactly as it is, with its fields in the same
 * order. Throws `ShapeError` that names `source`.
 */
export function moderationRow(value: unknown, source: string): ModerationRow {
  parse(moderationRowSchema, value, source);
  return value as ModerationRow;
}

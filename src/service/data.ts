/**
 * What the service is fed: the stored forms of §2, as rows of plain JSON. Rows of users, groups, messages and conversations
 * stand one a line in `*.ndjson`; rules and lists are arrays in `*.json`, or `{ "data": [...] }` as an answer of the platform
 * is. Each may come in the other form, as `users.json` or `rules.ndjson`. Unknown fields are kept and served.
 */
import type { Group } from '../contract/group.js';
import type { User } from '../contract/user.js';

/** A row of `users.ndjson`: the user as served (§2.1, `tags` included), and one field that never is. */
export interface UserRow extends User {
  /** Uids that this user has blocked. Stored only. */
  readonly blocked?: readonly string[] | undefined;
}

/** One member of a group, stored only. */
export interface MemberRow {
  readonly uid: string;
  /** Scope of the member (§2.2); `participant` when absent. */
  readonly scope?: string | undefined;
  /** Seconds since the epoch. */
  readonly joinedAt?: number | undefined;
  /** Id of the last message of the group that the member has read. */
  readonly readUpTo?: string | undefined;
}

/**
 * A row of `groups.ndjson`: the group of §2.2 without the fields that belong to an acting user (`scope`, `joinedAt`,
 * `hasJoined`; the service computes them). `membersCount` and `conversationId` (`group_<guid>`) are derived when absent.
 */
export interface GroupRow extends Group {
  /** Never served. A group without it has the senders of its messages as members, actions aside. */
  readonly members?: readonly MemberRow[] | undefined;
}

/**
 * A row of `messages.ndjson`: the message of §2.4 without the parties embedded in it, which the service adds.
 * `conversationId` is derived when absent: `group_<guid>`, or `<uid>_user_<uid>` with the two uids sorted.
 * A deleted message carries `deletedAt`, and `data` or not.
 *
 * `data` of category `action` names its parties by plain id, `{ action, entities: { by, on, for } }`: for type
 * `groupMember` two uids and a guid, for type `message` a uid, the id of the message acted on, and its receiver.
 * Parties that stand there as objects already are served as they stand. `data.mentions` (`{ "<uid>": { uid, name } }`),
 * `data.reactions` (`[{ reaction, count }]`) and `data.attachments` (`[{ name, extension, size, mimeType, url }]`) are in
 * wire form.
 */
export interface MessageRow {
  /** Decimal, unique. */
  readonly id: string;
  readonly conversationId?: string | undefined;
  readonly sender: string;
  readonly receiverType: 'user' | 'group';
  readonly receiver: string;
  readonly category?: string | undefined;
  readonly type?: string | undefined;
  readonly data?: MessageRowData | undefined;
  /** Seconds since the epoch, an integer. */
  readonly sentAt: number;
  readonly updatedAt?: number | undefined;
  readonly parentId?: string | number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly editedAt?: number | undefined;
  readonly editedBy?: string | undefined;
  readonly deletedAt?: number | undefined;
  readonly deletedBy?: string | undefined;
  readonly [field: string]: unknown;
}

/** `data` of a stored message. */
export interface MessageRowData {
  readonly text?: string | undefined;
  readonly action?: string | undefined;
  readonly entities?: Readonly<Record<string, unknown>> | undefined;
  readonly mentions?: Readonly<Record<string, unknown>> | undefined;
  readonly reactions?: readonly unknown[] | undefined;
  readonly attachments?:
    | readonly { readonly mimeType?: string | undefined; readonly [field: string]: unknown }[]
    | undefined;
  readonly [field: string]: unknown;
}

/**
 * A row of `conversations.ndjson`: what operations changed in a conversation (§4.1, §4.5, §4.6), as a service that saves its
 * data writes it. Stored only; a conversation that nobody changed has none.
 */
export interface ConversationRow {
  readonly conversationId: string;
  readonly tags?: readonly string[] | undefined;
  /** When the tags were last set, in seconds since the epoch. */
  readonly tagsChangedAt?: number | undefined;
  /** By uid the id of the last message read, null for who has read none; it goes before the `readUpTo` of a member. */
  readonly readUpTo?: Readonly<Record<string, string | null>> | undefined;
}

/** A row of `rules.json` or `lists.json`: any object with an id, served exactly as it stands, broken or not. */
export interface ModerationRow {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** Everything that the service serves, as plain objects. What is absent is empty. */
export interface ServiceData {
  readonly users?: readonly UserRow[] | undefined;
  readonly groups?: readonly GroupRow[] | undefined;
  readonly messages?: readonly MessageRow[] | undefined;
  readonly rules?: readonly ModerationRow[] | undefined;
  readonly lists?: readonly ModerationRow[] | undefined;
  readonly conversations?: readonly ConversationRow[] | undefined;
}

/** Checks of stored rows: the contract's own schemas, and by hand what the stored forms have beyond the wire. */
import { groupSchema } from '../contract/group.js';
import { messageSchema } from '../contract/message.js';
import { parse } from '../contract/parse.js';
import { userSchema } from '../contract/user.js';
import { ShapeError } from '../errors.js';
import type { ConversationRow, GroupRow, MemberRow, MessageRow, ModerationRow, UserRow } from './data.js';

type Fields = Readonly<Record<string, unknown>>;

interface Check {
  readonly holds: (value: unknown) => boolean;
  readonly expected: string;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const identifier: Check = {
  holds: (value) => isString(value) && value !== '',
  expected: 'should be a non-empty string',
};
const string: Check = { holds: isString, expected: 'should be a string' };
const strings: Check = {
  holds: (value) => Array.isArray(value) && value.every(isString),
  expected: 'should be an array of strings',
};
const integer: Check = { holds: Number.isSafeInteger, expected: 'should be an integer' };
const object: Check = { holds: isObject, expected: 'should be an object' };
const array: Check = { holds: Array.isArray, expected: 'should be an array' };
const messageId: Check = { holds: isMessageId, expected: 'should be a decimal message id' };
const party: Check = {
  holds: (value) => value === 'user' || value === 'group',
  expected: 'should be `user` or `group`',
};

const markers: Check = {
  holds: (value) => isObject(value) && Object.values(value).every((id) => id === null || isMessageId(id)),
  expected: 'should be an object of message ids, or null, by uid',
};

const member = { uid: identifier };
const memberExtras = { scope: string, joinedAt: integer, readUpTo: messageId };
const message = { id: messageId, sender: identifier, receiverType: party, receiver: identifier, sentAt: integer };
const conversationExtras = { tags: strings, tagsChangedAt: integer, readUpTo: markers };
const messageDataExtras = { mentions: object, reactions: array };

/** Whether a value is a message id as the service knows them: decimal digits without leading zeros. */
export function isMessageId(value: unknown): value is string {
  return isString(value) && /^(?:0|[1-9]\d*)$/.test(value);
}

/** A user row, checked. Throws `ShapeError` that names `source`. */
export function userRow(value: unknown, source: string): UserRow {
  const row = parse(userSchema, value, source);
  allow(row, { blocked: strings }, source);
  return row as UserRow;
}

/** A group row, checked, its members too. Throws `ShapeError` that names `source`. */
export function groupRow(value: unknown, source: string): GroupRow {
  const row = parse(groupSchema, value, source);
  allow(row, { members: array }, source);
  if (!Array.isArray(row.members)) return { ...row, members: undefined };
  return { ...row, members: row.members.map((entry, index) => memberRow(entry, source, `members[${index}]`)) };
}

function memberRow(value: unknown, source: string, at: string): MemberRow {
  if (!isObject(value)) throw new ShapeError(source, at, object.expected);
  demand(value, member, source, `${at}.`);
  allow(value, memberExtras, source, `${at}.`);
  const { uid, scope, joinedAt, readUpTo } = value as unknown as MemberRow;
  return { uid, scope: scope ?? undefined, joinedAt: joinedAt ?? undefined, readUpTo: readUpTo ?? undefined };
}

/** A message row, checked. Throws `ShapeError` that names `source`. */
export function messageRow(value: unknown, source: string): MessageRow {
  const { entities, wire } = withoutEntities(value);
  const row = parse(messageSchema, wire, source);
  demand(row, message, source);
  if (row.data !== undefined) allow(row.data, messageDataExtras, source, 'data.');
  if (entities === undefined) return row as MessageRow;
  allow({ entities }, { entities: object }, source, 'data.');
  return { ...row, data: { ...row.data, entities } } as MessageRow;
}

/** A rule or a keyword list: any object with an id. Throws `ShapeError` that names `source`. */
export function moderationRow(value: unknown, source: string): ModerationRow {
  if (!isObject(value)) throw new ShapeError(source, 'the whole value', object.expected);
  demand(value, { id: identifier }, source);
  return value as ModerationRow;
}

/** What is stored of a conversation. Throws `ShapeError` that names `source`. */
export function conversationRow(value: unknown, source: string): ConversationRow {
  if (!isObject(value)) throw new ShapeError(source, 'the whole value', object.expected);
  demand(value, { conversationId: identifier }, source);
  allow(value, conversationExtras, source);
  const { conversationId, tags, tagsChangedAt, readUpTo } = value as unknown as ConversationRow;
  return {
    conversationId,
    tags: tags ?? undefined,
    tagsChangedAt: tagsChangedAt ?? undefined,
    readUpTo: readUpTo ?? undefined,
  };
}

/** Stored actions name their parties by plain id, which the wire schema rightly refuses. */
function withoutEntities(value: unknown): { readonly wire: unknown; readonly entities?: unknown } {
  if (!isObject(value) || value.category !== 'action' || !isObject(value.data)) return { wire: value };
  const { entities, ...data } = value.data;
  return { wire: { ...value, data }, entities: entities ?? undefined };
}

function demand(row: Fields, checks: Readonly<Record<string, Check>>, source: string, prefix = ''): void {
  for (const [name, check] of Object.entries(checks)) {
    if (!check.holds(row[name])) throw new ShapeError(source, prefix + name, check.expected);
  }
}

/** Null is read as absent, as the contract reads it. */
function allow(row: Fields, checks: Readonly<Record<string, Check>>, source: string, prefix = ''): void {
  for (const [name, check] of Object.entries(checks)) {
    const value = row[name] ?? undefined;
    if (value !== undefined && !check.holds(value)) throw new ShapeError(source, prefix + name, check.expected);
  }
}

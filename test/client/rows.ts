/**
 * The endpoint table (§4) as calls: for each row the call, a right answer to it, and the result of
 * that; and how calls end.
 */
import { inspect, isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { HttpError, NetworkError, ShapeError, TimeoutError } from '../../src/foundation/errors.js';
import type { Client } from '../../src/platform/client/client.js';
import { endpoints, type Operation } from '../../src/platform/contract/endpoints.js';

type Call = (client: Client, signal?: AbortSignal) => Promise<unknown>;
type Change = Readonly<Record<string, unknown>>;

/** One row of the table. */
export interface Row {
  readonly operation: Operation;
  readonly call: Call;
  /** The request, as `METHOD target body`. */
  readonly sent: string;
  /** The content of `data` in a right answer. */
  readonly data: unknown;
  /** The body of a right answer. */
  readonly body: string;
  /** The result of the call then. */
  readonly right: unknown;
  /** Changes of the resource under `data` that must be noticed. */
  readonly wrong: readonly Change[];
}

/** Long enough to be cut anywhere, and no two parts alike, so that a splice shows. */
const note = Array.from({ length: 150 }, (_, index) => index.toString(36)).join('-');

const message = { id: '101', sender: 'ann', data: { text: 'hello' }, sentAt: 1_700_000_000, note };
const rule = { id: 'r1', name: 'One', conditions: [{ id: 1, operand: 'text', value: ['l1'] }], note };
const list = { id: 'l1', name: 'List', searchTerms: ['spam'], note };
const blocked = { ruleId: 'r1', condition: rule.conditions[0], message, action: ['blockMessage'] };
const confirmation = { success: true, message: 'done', note };
const marker = { onBehalfOf: 'ann', messageId: 7 };
const conversation = { conversationId: 'group_g1', unreadMessageCount: '3', note };
const group = { guid: 'g1', name: 'Group', membersCount: 3, note };
const user = { uid: 'ann', name: 'Ann', note };

const review = { ...blocked, status: 'rejected', blockedAt: '1757955951.1' };

const wrongIds = (field: string): Change[] => [{}, [], true, null, ''].map((value) => ({ [field]: value }));
const wrongLists = [{ searchTerms: 'spam' }, { searchTerms: [7] }, { searchTerms: null }];
/** Changes of each resource that must be noticed. */
const wrong = new Map<object, readonly Change[]>([
  [conversation, [...wrongIds('conversationId'), { lastMessage: 7 }, { tags: 'a' }, { createdAt: 'today' }]],
  [message, [...wrongIds('id'), { id: 1.5 }, { id: 2 ** 53 }, { data: 'text' }, { data: { text: 7 } }]],
  [group, [...wrongIds('guid'), { membersCount: '3' }, { hasJoined: 'yes' }, { tags: [7] }]],
  [user, [...wrongIds('uid'), { name: {} }, { createdAt: '1' }]],
  [confirmation, [{ success: 'yes' }, { success: null }, { success: 1 }, { message: {} }]],
  [rule, [...wrongIds('id'), { conditions: {} }, { conditions: [7] }, { enabled: 'yes' }]],
  [list, [...wrongIds('id'), ...wrongLists]],
  [blocked, [{ message: { ...message, id: true } }, { message: 7 }, { message: null }, { ruleId: 7 }]],
  [review, [{ message: undefined }, { status: 7 }, { status: ['approved'] }, { updatedAt: 'today' }]],
]);

/**
 * Makes a row of an operation, its request and a resource, of which an operation that lists answers
 * a page.
 */
function row(request: string, call: Call, resource: object): Row {
  const [operation, ...sent] = request.split(' ') as [Operation, ...string[]];
  const isPage = operation.startsWith('list');
  const several = isPage ? [resource, { ...resource, id: 'r2' }] : [resource];
  const data = isPage || resource === conversation ? several : resource;
  const whole = isPage ? { data, meta: { current: { limit: 2, count: 2 } } } : { data };
  const right = isPage ? whole : data;
  const wrongs = wrong.get(resource)!;
  return { operation, sent: sent.join(' '), call, data, wrong: wrongs, body: JSON.stringify(whole), right };
}

const tagging = { onBehalfOf: 'ann', tags: ['a'] };
const [ruleBody, listBody] = [JSON.stringify(rule), JSON.stringify(list)];
const [conversationPath, read] = ['/v3/users/ann/conversation', '/v3/groups/g1/conversation/read'];
const [rulePath, listPath] = ['/v3/moderation/rules', '/v3/moderation/keywords'];

export const rows: readonly Row[] = [
  row(
    `updateConversation PUT ${conversationPath} {"tags":["a"]}`,
    ({ users }, signal) => users.updateConversation('ann', { ...tagging, signal }),
    conversation,
  ),
  row(
    'listMessages GET /v3/messages?limit=2',
    (client, signal) => client.messages.list({ limit: 2 }, { signal }),
    message,
  ),
  row('getGroup GET /v3/groups/g1', ({ groups }, signal) => groups.get('g1', { signal }), group),
  row('getUser GET /v3/users/ann', ({ users }, signal) => users.get('ann', { signal }), user),
  row(
    `markAsRead POST ${read} {"messageId":7}`,
    ({ groups }, signal) => groups.markAsRead('g1', { ...marker, signal }),
    confirmation,
  ),
  row(
    `markAsUnread DELETE ${read} {"messageId":7}`,
    ({ groups }, signal) => groups.markAsUnread('g1', { ...marker, signal }),
    confirmation,
  ),
  row(`listRules GET ${rulePath}`, ({ rules }, signal) => rules.list({ signal }), rule),
  row(`getRule GET ${rulePath}/r1`, ({ rules }, signal) => rules.get('r1', { signal }), rule),
  row(`createRule POST ${rulePath} ${ruleBody}`, ({ rules }, signal) => rules.create(rule, { signal }), rule),
  row(`replaceRule PUT ${rulePath}/r1 ${ruleBody}`, ({ rules }, signal) => rules.replace('r1', rule, { signal }), rule),
  row(`deleteRule DELETE ${rulePath}/r1`, ({ rules }, signal) => rules.delete('r1', { signal }), confirmation),
  row(`listKeywordLists GET ${listPath}?limit=7`, ({ lists }, signal) => lists.list({ limit: 7, signal }), list),
  row(`getKeywordList GET ${listPath}/l1`, ({ lists }, signal) => lists.get('l1', { signal }), list),
  row(`createKeywordList POST ${listPath} ${listBody}`, ({ lists }, signal) => lists.create(list, { signal }), list),
  row(
    `replaceKeywordList PUT ${listPath}/l1 ${listBody}`,
    ({ lists }, signal) => lists.replace('l1', list, { signal }),
    list,
  ),
  row(`deleteKeywordList DELETE ${listPath}/l1`, ({ lists }, signal) => lists.delete('l1', { signal }), confirmation),
  row(
    'listBlockedMessages GET /v3/moderation/blocked-messages',
    (client, signal) => client.blockedMessages.list({ signal }),
    blocked,
  ),
  row(
    'listReviewedMessages GET /v3/moderation/reviewed-messages?limit=2',
    (client, signal) => client.reviewedMessages.list({ limit: 2, signal }),
    review,
  ),
];

/** A read, a write that may be sent again, and one that may not: for what takes time. */
export const fewRows: readonly Row[] = rows.filter(({ operation }) =>
  ['getUser', 'markAsRead', 'updateConversation'].includes(operation),
);

export const isRepeatable = ({ operation }: Row): boolean => endpoints[operation].repeatable;

/** The data of a right answer with its resource, or the first of them, changed. */
export function changedData({ data }: Row, change: Change): unknown {
  if (!Array.isArray(data)) return { ...(data as object), ...change };
  return [{ ...data[0], ...change }, ...data.slice(1)];
}

/** How a call may end (P11): with the right answer, or with one of the four errors of the wire. */
export type Outcome = 'right' | 'network' | 'timeout' | 'http' | 'shape';

/** The key of the clients under faults. */
export const canaryKey = 'SECRETKEY7f3a9c51e2d84b60';

/** A dump of a buffer shows bytes, not letters. */
const canaries = ['SECRETKEY', Buffer.from('SECRETKEY').toString('base64'), '53 45 43 52 45 54', '534543524554'];

/** Everything that a logger could print of an error. */
export function everythingOf(error: unknown): string {
  const { stack, message, cause } = error as Error;
  const dump = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxArrayLength: null });
  const parts = [dump, String(error), JSON.stringify(error) ?? '', stack ?? '', message ?? ''];
  return [...parts, cause === undefined ? '' : everythingOf(cause)].join('\n');
}

/** P16: the key is in nothing that an error shows. */
export function expectNoKey(error: unknown): void {
  const everything = everythingOf(error).toLowerCase();
  expect(canaries.filter((canary) => everything.includes(canary.toLowerCase()))).toEqual([]);
}

/**
 * Waits for a call and names how it ended. A call that outlives its deadline lets the test time
 * out.
 */
export async function endOf(call: Promise<unknown>, right: unknown): Promise<{ outcome: string; error?: unknown }> {
  try {
    return { outcome: isDeepStrictEqual(await call, right) ? 'right' : 'wrong answer' };
  } catch (error) {
    expectNoKey(error);
    const classes = { network: NetworkError, timeout: TimeoutError, http: HttpError, shape: ShapeError };
    const found = Object.entries(classes).find(([, kind]) => error instanceof kind);
    return { outcome: found?.[0] ?? `another error: ${error}`, error };
  }
}

/**
 * Fails in the file that calls this for unhandled rejections, uncaught errors and warnings of Node.
 */
export function failOnStrays(): void {
  const strays: unknown[] = [];
  const note = (stray: unknown): void => void strays.push(stray);
  const events = ['unhandledRejection', 'uncaughtException', 'warning'] as const;
  beforeAll(() => {
    for (const event of events) process.on(event as 'warning', note);
  });
  afterAll(() => {
    for (const event of events) process.off(event, note);
    expect(strays).toEqual([]);
  });
}

/** The endpoint table (§4) as calls: for each row the call, a right answer to it, and the result of that; and how calls end. */
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

const wrongIds = (field: string): Change[] => [{}, [], true, null, ''].map((value) => ({ [field]: value }));
const wrongConfirmations: Change[] = [{ success: 'yes' }, { success: null }, { success: 1 }, { message: {} }];
const wrongRules: Change[] = [...wrongIds('id'), { conditions: {} }, { conditions: [7] }, { enabled: 'yes' }];
const wrongLists: Change[] = [...wrongIds('id'), { searchTerms: 'spam' }, { searchTerms: [7] }, { searchTerms: null }];
const wrongMessages: Change[] = [
  ...wrongIds('id'),
  { id: 1.5 },
  { id: 2 ** 53 },
  { data: 'text' },
  { data: { text: 7 } },
];
const wrongGroups: Change[] = [...wrongIds('guid'), { membersCount: '3' }, { hasJoined: 'yes' }, { tags: [7] }];

/** `page` is the second item of a row whose answer is a page. */
const row = (operation: Operation, call: Call, item: unknown, wrong: readonly Change[], page?: unknown): Row => {
  const data = page === undefined ? item : [item, page];
  const whole = page === undefined ? { data } : { data, meta: { current: { limit: 2, count: 2 } } };
  const right = page === undefined ? data : whole;
  return { operation, call, data, wrong, body: JSON.stringify(whole), right };
};

export const rows: readonly Row[] = [
  row(
    'updateConversation',
    (client, signal) => client.users.updateConversation('ann', { onBehalfOf: 'ann', tags: ['a'], signal }),
    [conversation],
    [...wrongIds('conversationId'), { lastMessage: 7 }, { tags: 'a' }, { createdAt: 'today' }],
  ),
  row('listMessages', (client, signal) => client.messages.list({ limit: 2 }, { signal }), message, wrongMessages, {
    ...message,
    id: '102',
  }),
  row('getGroup', (client, signal) => client.groups.get('g1', { signal }), group, wrongGroups),
  row('getUser', (client, signal) => client.users.get('ann', { signal }), user, [...wrongIds('uid'), { name: {} }]),
  row(
    'markAsRead',
    (client, signal) => client.groups.markAsRead('g1', { ...marker, signal }),
    confirmation,
    wrongConfirmations,
  ),
  row(
    'markAsUnread',
    (client, signal) => client.groups.markAsUnread('g1', { ...marker, signal }),
    confirmation,
    wrongConfirmations,
  ),
  row('listRules', (client, signal) => client.rules.list({ signal }), rule, wrongRules, { ...rule, id: 'r2' }),
  row('getRule', (client, signal) => client.rules.get('r1', { signal }), rule, wrongRules),
  row('getKeywordList', (client, signal) => client.lists.get('l1', { signal }), list, wrongLists),
  row('createRule', (client, signal) => client.rules.create(rule, { signal }), rule, wrongRules),
  row('replaceRule', (client, signal) => client.rules.replace('r1', rule, { signal }), rule, wrongRules),
  row('deleteRule', (client, signal) => client.rules.delete('r1', { signal }), confirmation, wrongConfirmations),
  row('listKeywordLists', (client, signal) => client.lists.list({ signal }), list, wrongLists, { ...list, id: 'l2' }),
  row('createKeywordList', (client, signal) => client.lists.create(list, { signal }), list, wrongLists),
  row('replaceKeywordList', (client, signal) => client.lists.replace('l1', list, { signal }), list, wrongLists),
  row('deleteKeywordList', (client, signal) => client.lists.delete('l1', { signal }), confirmation, wrongConfirmations),
  row(
    'listBlockedMessages',
    (client, signal) => client.blockedMessages.list({ signal }),
    blocked,
    [{ message: { ...message, id: true } }, { message: 7 }, { message: null }, { ruleId: 7 }],
    { ...blocked, ruleId: 'r2' },
  ),
  row(
    'listReviewedMessages',
    (client, signal) => client.reviewedMessages.list({ limit: 2, signal }),
    { ...blocked, status: 'rejected', blockedAt: '1757955951.1' },
    [{ message: undefined }, { status: 7 }, { status: ['approved'] }, { updatedAt: 'today' }],
    { message, status: 'approved' },
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

/** Waits for a call and names how it ended. A call that outlives its deadline lets the test time out. */
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

/** Fails in the file that calls this for unhandled rejections, uncaught errors and warnings of Node. */
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

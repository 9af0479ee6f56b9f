/** The endpoint table (§4) as calls: for each row, what is called, what a right peer answers, what comes back then. */
import type { Client } from '../../../src/platform/client/client.js';
import { endpoints, type Operation } from '../../../src/platform/contract/endpoints.js';

/** One row of the table. */
export interface Row {
  readonly operation: Operation;
  readonly call: (client: Client, signal?: AbortSignal) => Promise<unknown>;
  /** What stands under `data` in a right answer. */
  readonly data: unknown;
  /** The body of a right answer. */
  readonly body: string;
  /** What the call resolves with then. */
  readonly right: unknown;
  /** Whether the table lets a call be sent again. */
  readonly repeatable: boolean;
  /** Changes of the resource under `data` that must be noticed. */
  readonly wrong: readonly Readonly<Record<string, unknown>>[];
}

/** Long enough to be cut anywhere, and no two parts alike, so that a splice shows. */
const note = Array.from({ length: 150 }, (_, index) => index.toString(36)).join('-');

const message = { id: '101', sender: 'ann', data: { text: 'hello' }, sentAt: 1_700_000_000, note };
const rule = { id: 'r1', name: 'One', conditions: [{ id: 1, operand: 'text', value: ['l1'] }], note };
const list = { id: 'l1', name: 'List', searchTerms: ['spam'], note };
const blocked = {
  ruleId: 'r1',
  revisionId: 'x_r1_2',
  condition: rule.conditions[0],
  message,
  action: ['blockMessage'],
};
const marker = { onBehalfOf: 'ann', messageId: 7 };
const meta = { current: { limit: 2, count: 2 } };
const badIds = [{}, [], true, null, ''];

const wrongId = (field: string) => badIds.map((value) => ({ [field]: value }));
const wrongConfirmations = [{ success: 'yes' }, { success: null }, { success: 1 }, { message: {} }, { message: [7] }];

export const rows: readonly Row[] = [
  row('updateConversation', {
    call: (client, signal) => client.users.updateConversation('ann', { onBehalfOf: 'ann', tags: ['a'], signal }),
    data: [{ conversationId: 'group_g1', unreadMessageCount: '3', note }],
    wrong: [...wrongId('conversationId'), { lastMessage: 7 }, { tags: 'a' }, { createdAt: 'today' }],
  }),
  row('listMessages', {
    call: (client, signal) => client.messages.list({ limit: 2 }, { signal }),
    data: [message, { ...message, id: '102' }],
    meta,
    wrong: [...wrongId('id'), { id: 1.5 }, { id: 9_007_199_254_740_992 }, { data: 'text' }, { data: { text: 7 } }],
  }),
  row('getGroup', {
    call: (client, signal) => client.groups.get('g1', { signal }),
    data: { guid: 'g1', name: 'Group', membersCount: 3, note },
    wrong: [...wrongId('guid'), { guid: 7 }, { membersCount: '3' }, { hasJoined: 'yes' }, { tags: [7] }],
  }),
  row('getUser', {
    call: (client, signal) => client.users.get('ann', { signal }),
    data: { uid: 'ann', name: 'Ann', note },
    wrong: [...wrongId('uid'), { uid: 7 }, { name: {} }, { createdAt: '1' }],
  }),
  row('markAsRead', {
    call: (client, signal) => client.groups.markAsRead('g1', { ...marker, signal }),
    data: { success: true, message: 'read', note },
    wrong: wrongConfirmations,
  }),
  row('markAsUnread', {
    call: (client, signal) => client.groups.markAsUnread('g1', { ...marker, signal }),
    data: { success: true, message: 'unread', note },
    wrong: wrongConfirmations,
  }),
  row('listRules', {
    call: (client, signal) => client.rules.list({ signal }),
    data: [rule, { ...rule, id: 'r2' }],
    meta,
    wrong: [...wrongId('id'), { conditions: {} }, { conditions: null }, { conditions: [7] }, { enabled: 'yes' }],
  }),
  row('getRule', {
    call: (client, signal) => client.rules.get('r1', { signal }),
    data: rule,
    wrong: [...wrongId('id'), { conditions: 'none' }, { conditions: [{ value: 7 }] }, { action: 7 }],
  }),
  row('getKeywordList', {
    call: (client, signal) => client.keywords.get('l1', { signal }),
    data: list,
    wrong: [...wrongId('id'), { searchTerms: 'spam' }, { searchTerms: [7] }, { searchTerms: null }, { isCSV: 'no' }],
  }),
  row('createRule', {
    call: (client, signal) => client.rules.create(rule, { signal }),
    data: rule,
    wrong: [...wrongId('id'), { conditions: 'none' }],
  }),
  row('replaceRule', {
    call: (client, signal) => client.rules.replace('r1', rule, { signal }),
    data: rule,
    wrong: wrongId('id'),
  }),
  row('deleteRule', {
    call: (client, signal) => client.rules.delete('r1', { signal }),
    data: { success: true, message: 'deleted', note },
    wrong: wrongConfirmations,
  }),
  row('listKeywordLists', {
    call: (client, signal) => client.lists.list({ signal }),
    data: [list, { ...list, id: 'l2' }],
    meta,
    wrong: [...wrongId('id'), { searchTerms: [7] }],
  }),
  row('createKeywordList', {
    call: (client, signal) => client.lists.create(list, { signal }),
    data: list,
    wrong: [...wrongId('id'), { searchTerms: 'spam' }],
  }),
  row('replaceKeywordList', {
    call: (client, signal) => client.lists.replace('l1', list, { signal }),
    data: list,
    wrong: wrongId('id'),
  }),
  row('deleteKeywordList', {
    call: (client, signal) => client.lists.delete('l1', { signal }),
    data: { success: true, message: 'deleted', note },
    wrong: wrongConfirmations,
  }),
  row('listBlockedMessages', {
    call: (client, signal) => client.blockedMessages.list({ signal }),
    data: [blocked, { ...blocked, ruleId: 'r2' }],
    meta,
    wrong: [...badIds.map((id) => ({ message: { ...message, id } })), { message: 7 }, { message: null }, { ruleId: 7 }],
  }),
  row('listReviewedMessages', {
    call: (client, signal) => client.reviewedMessages.list({ limit: 2, signal }),
    data: [
      { ...blocked, status: 'rejected', blockedAt: '1757955951.1' },
      { message, status: 'approved' },
    ],
    meta,
    wrong: [{ message: undefined }, { status: 7 }, { status: ['approved'] }, { updatedAt: 'today' }],
  }),
];

/** For what takes time: a read, a write that may be sent again, and one that may not. */
export const fewRows: readonly Row[] = rows.filter(({ operation }) =>
  ['getUser', 'markAsRead', 'updateConversation'].includes(operation),
);

/** The body of a right answer with its resource, or the first of them, changed. */
export function changedData(row: Row, change: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(row.data)) return { ...(row.data as object), ...change };
  const [first, ...others] = row.data as object[];
  return [{ ...first, ...change }, ...others];
}

interface RowParts extends Pick<Row, 'call' | 'data' | 'wrong'> {
  readonly meta?: unknown;
}

function row(operation: Operation, { call, data, wrong, meta: pageMeta }: RowParts): Row {
  const whole = pageMeta === undefined ? { data } : { data, meta: pageMeta };
  return {
    operation,
    call,
    data,
    wrong,
    body: JSON.stringify(whole),
    right: pageMeta === undefined ? data : whole,
    repeatable: endpoints[operation].repeatable,
  };
}

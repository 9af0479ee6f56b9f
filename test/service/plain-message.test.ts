import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainMessage } from '../../src/service/plain-message.js';
import { messageRow } from '../../src/service/row-checks.js';
import { messages } from './sample-data.js';

const full = process.env.SLUICE_FULL === '1';

const odd = fc.oneof(
  fc.constantFrom(
    null,
    '',
    0,
    -1,
    1.5,
    Number.POSITIVE_INFINITY,
    true,
    'text',
    '7',
    '007',
    [],
    {},
    [null],
    ['a'],
    [{}],
    { a: null },
  ),
  fc.constantFrom(
    [{ url: 1 }],
    [{ mimeType: null }],
    [{ name: 'x' }],
    { text: 1 },
    { entities: 1 },
    { sender: { entity: {} } },
  ),
);
const good = fc.constantFrom(
  ...messages.map((message) => JSON.parse(JSON.stringify(message)) as Record<string, unknown>),
);
const fields = [
  'id',
  'conversationId',
  'sender',
  'receiverType',
  'receiver',
  'category',
  'type',
  'data',
  'sentAt',
  'updatedAt',
];
const rareFields = ['editedAt', 'deletedAt', 'parentId', 'tags', 'receipts', 'editedBy', 'whatever'];
const dataFields = ['text', 'action', 'entities', 'mentions', 'reactions', 'attachments', 'metadata', 'customData'];

/** A good row with up to three fields that are odd or missing, in the row or in its `data`. */
const almostGood = fc
  .tuple(
    good,
    fc.dictionary(fc.constantFrom(...fields, ...rareFields), fc.option(odd, { nil: undefined }), { maxKeys: 2 }),
    fc.dictionary(fc.constantFrom(...dataFields), fc.option(odd, { nil: undefined }), { maxKeys: 1 }),
  )
  .map(([row, changes, inside]): unknown => {
    const data = typeof row.data === 'object' && Object.keys(inside).length > 0 ? { ...row.data, ...inside } : row.data;
    return JSON.parse(
      JSON.stringify({ ...row, ...(data === undefined ? {} : { data }), ...changes }, keepInfinity),
      infinity,
    );
  });
const keepInfinity = (_: string, value: unknown) => (value === Number.POSITIVE_INFINITY ? '1e999' : value);
const infinity = (_: string, value: unknown) => (value === '1e999' ? Number.POSITIVE_INFINITY : value);

const checked = (value: unknown): unknown => {
  try {
    return messageRow(value, 'here');
  } catch {
    return 'refused';
  }
};

describe('the quick check of message rows', () => {
  it('never takes what the schema refuses or changes', () => {
    let taken = 0;
    fc.assert(
      fc.property(almostGood, (value) => {
        if (!isPlainMessage(value)) return;
        taken += 1;
        expect(checked(value)).toEqual(value);
      }),
      { numRuns: full ? 50_000 : 2_000 },
    );
    expect(taken).toBeGreaterThan(500);
    fc.assert(fc.property(fc.jsonValue(), (value) => !isPlainMessage(value) || checked(value) === value));
  });

  it('takes every row of the sample, so that the schema is not asked', () => {
    expect(messages.filter((message) => !isPlainMessage(JSON.parse(JSON.stringify(message))))).toEqual([]);
  });
});

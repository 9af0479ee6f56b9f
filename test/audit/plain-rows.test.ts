/**
 * Rows that are judged on their bytes: `JSON.parse` is the oracle of their reader, and judging
 * every row by its message that of the counts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditCounting } from '../../src/audit/count/counters.js';
import { openEngines } from '../../src/audit/engines.js';
import { judgeBlock } from '../../src/audit/judge-block.js';
import { Field, NOTED, notesOf, REFUSED, readRow, spans, UNKNOWN } from '../../src/audit/source/row-bytes.js';
import { plainFormat } from '../../src/audit/source/rows.js';
import { anyReadings, anyRuleSet } from '../support/arbitrary.js';
import { anyMessage } from '../support/arbitrary-message.js';
import { runs } from '../support/runs.js';

const notes = notesOf(['role', 'tags'])!;
const noted = {
  id: Field.ID,
  sender: Field.SENDER,
  conversationId: Field.CONVERSATION_ID,
  receiver: Field.RECEIVER,
  receiverType: Field.RECEIVER_TYPE,
  category: Field.CATEGORY,
  type: Field.TYPE,
  sentAt: Field.SENT_AT,
  text: Field.OUTER_TEXT,
  data: Field.DATA,
  'data.text': Field.TEXT,
  'data.entities': Field.ENTITIES,
  'data.attachments': Field.ATTACHMENTS,
  'data.entities.sender.entity': Field.SENDER_ENTITY,
  'data.entities.sender.entity.role': 18,
  'data.entities.receiver.entity.tags': 21,
};

/** The value at a path of objects. */
function valueAt(row: unknown, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }, row);
}

/** Holds a row against `JSON.parse`; returns what its reader said. */
function compare(row: string | Buffer): number {
  const bytes = Buffer.concat([Buffer.from('x'), Buffer.from(row), Buffer.from('\n')]);
  const read = readRow(bytes, 1, bytes.length - 1, notes);
  let value: unknown;
  let isJson = true;
  try {
    value = JSON.parse(bytes.toString('utf8', 1, bytes.length - 1));
  } catch {
    isJson = false;
  }
  if (read === UNKNOWN) return read;
  expect([String(row), read]).toEqual([String(row), isJson ? NOTED : REFUSED]);
  if (read !== NOTED) return read;
  for (const [path, field] of Object.entries(noted)) {
    const [from, to] = [spans[2 * field]!, spans[2 * field + 1]!];
    const found = from === -1 ? undefined : JSON.parse(bytes.toString('utf8', from, to));
    expect([path, found]).toEqual([path, valueAt(value, path)]);
  }
  return read;
}

const anyKey = fc.constantFrom(...new Set(Object.keys(noted).flatMap((path) => path.split('.'))), 'x', '\ud83d', 'é"');
const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom('', 'text', 'a "b" \\ \n\u2028é😀', 0, -0.5, 1e300, 1e-7, true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 5 }),
  ),
})).value;
const entity = { uid: 'ann', role: 'x', tags: ['a'] };
const message = {
  ...{ id: '1', sender: 'ann', receiverType: 'user', receiver: 'bob', category: 'message', type: 'text', sentAt: 5 },
  data: { text: 'a "é" 😀', entities: { sender: { entity }, receiver: { entity } }, attachments: [] },
};
/** Text that may replace a character of a row. */
const slip = fc.constantFrom(
  ...'{}[]",:\\ 0e-+.tfnu\t\r\u0001\u00e9',
  '"data":{},',
  '"\\u0074ext":1,',
  '\\u00zz',
  '[['.repeat(600),
);
const anyRow = fc.oneof(anyValue, fc.constant(message)).map((value) => JSON.stringify(value));
const mutated = fc.tuple(anyRow, fc.array(fc.tuple(fc.nat(), slip, fc.nat(2)), { maxLength: 3 })).map(([row, slips]) =>
  slips.reduce((text, [at, added, gone]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + added + text.slice(from + gone);
  }, row),
);

describe('rows read on their bytes', () => {
  it('are accepted and refused as JSON.parse does, and have their fields where it has them', () => {
    fc.assert(
      fc.property(mutated, (row) => {
        fc.pre(!row.includes('\n'));
        compare(row.toWellFormed());
      }),
      { numRuns: runs(1500, 150_000) },
    );
  });

  const brokenAndWhole = String.raw`
    0 - -0 01 1. .5 1e 1e+ 1E-2 +1 0x1 nul nulll NaN " "\" "" "\x" "\u12" "\u12G4" { } {} [] [,] [1,] {"a"} {"a":}
    {"a":1,} {,} {"a":1}{ {"a":1] [} {a:1} {'a':1} [1]x {"":0} {"sentAt":1e3} {"__proto__":{"data":1}}
    {"data":{"text":"a"},"data":{}} {"data":{"text":"a","text":5}} {"data":{"text":"a"},"data":null}
    {"data":[{"text":"a"}]} {"data":{"x":{"text":"a"}}} [{"data":{"text":"a"}}] {"data":{"entities":[{"sender":1}]}}
    {"text":"x","data":{"text":"\ud800"}}`;
  it.each([
    ...brokenAndWhole.trim().split(/\s+/),
    ...['', ' ', '"\t"', '[1 2]', '1 2', '{"a":1 "b":2}', '\u00a01', '\ufeff1', '\u0000', '{"a":"\u007f"}'],
  ])('%j', (row) => {
    compare(row);
  });

  it('leaves a name with escapes and deep brackets to JSON.parse', () => {
    for (const row of ['{"d\\u0061ta":{}}', '{"data":{"\\u0074ext":""}}', '['.repeat(2000)])
      expect(compare(row)).toBe(UNKNOWN);
  });
});

/** Rows that are no messages, or messages with more than a plain one has. */
const oddRows = [
  ...['{', '', ' ', '5', '"kill"', '{"body":"a"}', '{"data":{"text":"\ufffd"}}'],
  ...`
    {"data":{"text":5}} {"id":7,"data":{"text":"a"}} {"id":"","data":{"text":"a"}}
    {"data":{"text":"a"},"sentAt":1772352000000} {"data":{"text":"a"},"sentAt":1e999} {"text":"a","data":{"text":"b"}}
    {"data":{"text":"a"},"category":null} {"data":{"text":"a"},"type":"image"} {"data":{"text":"a"},"sender":{}}
    {"data":{"text":"a","attachments":[{"url":"u"}]}} {"data":{"text":"a"},"sentAt":"2026-03-01"}`
    .trim()
    .split(/\s+/),
];

describe('messages that are judged on their bytes', () => {
  const selections = fc.record({
    since: fc.constantFrom(undefined, 1_700_000_000),
    conversation: fc.constantFrom(undefined, 'x'),
  });
  const anyScores = fc.constantFrom(new Map(), new Map([['kill', { toxicity: 90 }]]));

  it('are counted, and written, as if each had been parsed', async () => {
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(
        anyRuleSet,
        anyReadings,
        fc.array(
          fc.oneof(
            { weight: 4, arbitrary: anyMessage.map((given) => JSON.stringify(given)) },
            { weight: 1, arbitrary: fc.constantFrom(...oddRows) },
          ),
          { maxLength: 12 },
        ),
        selections,
        anyScores,
        async (ruleSet, semantics, rows, selection, scores) => {
          const engines = await openEngines({ ruleSet, semantics });
          const bad = Buffer.from('\u00ff', 'latin1');
          const bytes = Buffer.concat([
            Buffer.from(rows.join('\n').toWellFormed()),
            rows.length % 3 === 0 ? bad : Buffer.alloc(0),
          ]);
          const judged = ({ plainTexts, ...others }: typeof engines, isWith: boolean) => {
            const used = isWith ? { ...others, plainTexts } : others;
            const start = auditCounting({ summary: { by: ['sender'] }, examples: 'text' }).prepare(used);
            const options = { selection, scores, onBadRow: 'skip', rows: 'findings' } as const;
            const block = { bytes, firstLine: 1, source: 'x', format: plainFormat, before: 0 };
            return judgeBlock(block, { engines: used, start }, options);
          };
          if (engines.plainTexts !== undefined) plain += 1;
          expect(judged(engines, true)).toEqual(judged(engines, false));
          engines.close();
        },
      ),
      { numRuns: runs(75, 7_500) },
    );
    expect(plain).toBeGreaterThan(10);
  });
});

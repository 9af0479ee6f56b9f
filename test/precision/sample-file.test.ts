/** The file of a sample as spreadsheets save it. */
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import type { SampledStratum } from '../../src/audit/sample/sample.js';
import {
  decodeSpreadsheet,
  isSampleCsv,
  labelsOfSample,
  readSampleCsv,
  sampleCsv,
} from '../../src/audit/sample/sample-file.js';
import type { Match, RuleHit } from '../../src/engine/evaluate/decision.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import { decision, hit, score, word } from '../audit/decisions.js';
import { runs } from '../support/runs.js';

interface Drawn {
  readonly id: string;
  readonly message?: MessageDraft;
  readonly hits?: readonly RuleHit[];
}

function stratum(which: SampledStratum['stratum'], drawn: readonly Drawn[]): SampledStratum {
  const rows = drawn.map(({ id, message = { data: { text: `text ${id}` } }, hits = [] }) => ({
    messageId: id,
    message,
    stratum: { kind: which.kind, ruleId: which.ruleId },
    decision: decision({ verdict: which.kind === 'allowed' ? 'allow' : 'blockMessage', matched: hits }),
  }));
  return { stratum: which, rows };
}

const ids = ['12345678901234567890', '007', '=1+1', '1e5', '#3', "'quoted", 'a;=b', "a;'=b", '3/4', '-5', 'ö', 'a"b,c'];
const strata = [
  stratum(
    { kind: 'rule', ruleId: '=SUM(1)', ruleName: '@all, "quoted"; ok', size: 40 },
    ids.map((id) => ({ id })),
  ),
  stratum({ kind: 'stopped', size: 50 }, [{ id: '007' }]),
  stratum({ kind: 'allowed', size: 900 }, [{ id: '1' }, { id: '2' }]),
];
const source = [1, 'rules', 'messages'];
const { text: written } = sampleCsv(strata, source);
const rowsOf = (text: string) =>
  Papa.parse<string[]>(text.replace(/^\u{feff}/u, ''), { delimiter: ',' }).data.slice(0, -1);
const [titles = []] = rowsOf(written);
const indexOf = (name: string) => titles.indexOf(name);

/**
 * The rows with outcomes, as somebody fills them in: of the first rows right, wrong, unsure and
 * none, in turns.
 */
const filled = rowsOf(written).map((cells, at) =>
  at === 0 ? cells : cells.with(indexOf('outcome'), ['right', 'Wrong ', 'U', ''][at % 4]!),
);
const csv = (rows: readonly (readonly string[])[], options: Papa.UnparseConfig = {}) =>
  Papa.unparse(
    rows.map((cells) => [...cells]),
    { newline: '\r\n', ...options },
  );
const read = (text: string) => readSampleCsv(text, 's.csv');
const expected = read(csv(filled));

describe('the file of a sample', () => {
  it('has verdict, rule, marked text and an empty outcome, and ids that no spreadsheet takes for numbers', () => {
    expect(written.startsWith('\u{feff}verdict,rule,text,outcome,scores,messageId,ruleId,draw\r\n')).toBe(true);
    expect(rowsOf(written)[1]).toEqual([
      ...['blockMessage', '\'@all, "quoted"; ok', 'text 12345678901234567890', '', '', "'12345678901234567890"],
      ...["'=SUM(1)", expect.stringMatching(/^rule 1\/12\/40 1\/15 [\da-f]{8}-[\da-f]{8}$/)],
    ]);
    for (const cells of rowsOf(written).slice(1)) for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });

  it('marks what the rule matched, of a row of all rules what any did, and names scores and files', () => {
    const data = {
      text: 'damn, what the HECK',
      attachments: [{ url: 'https://x.test/a.jpg', mimeType: 'image/jpeg' }],
    };
    const at = (start: number, end: number): Match => ({ ...word('heck', 'list', start), span: { start, end } });
    const hits = [
      hit('a', [at(15, 19), at(15, 17), score('gore', 91.5), score('blood', 40)]),
      hit('b', [at(0, 4), { ...at(0, 2), path: 'data.customData.title' }]),
      hit('c', [at(6, 10)], { determining: false }),
    ];
    const message = { data: { ...data, customData: { title: 'of it' } } };
    const { text } = sampleCsv(
      [
        stratum({ kind: 'rule', ruleId: 'a', size: 1 }, [{ id: '1', message, hits }]),
        stratum({ kind: 'stopped', size: 1 }, [{ id: '1', message, hits }]),
        stratum({ kind: 'allowed', size: 2 }, [{ id: '2', message: { data: { customData: { a: 1 }, entities: {} } } }]),
      ],
      source,
    );
    const [, ofRule = [], ofAll = [], allowed = []] = rowsOf(text);
    expect(ofRule.slice(1, 5)).toEqual([
      ...['a', 'damn, what the [[HECK]]\nhttps://x.test/a.jpg', '', 'AnyOf_greaterThan_30: 91.5'],
    ]);
    expect(ofAll[2]).toBe('[[damn]], what the [[HECK]]\n[[of]] it\nhttps://x.test/a.jpg');
    expect([ofAll[4], allowed[2]]).toEqual(['', '{"customData":{"a":1}}']);
    expect(read(text).strata[0]!.rows[0]!.scores).toEqual(new Map([['AnyOf_greaterThan_30', 91.5]]));
  });

  it('has the part of a long text that matched: spreadsheets cut cells', () => {
    const text = `${'x '.repeat(30_000)}heck${' y'.repeat(30_000)}`;
    const hits = [hit('a', [{ ...word('heck', 'list', 60_000), span: { start: 60_000, end: 60_004 } }])];
    const drawn = [{ id: '1', message: { data: { text } }, hits }];
    const cell = rowsOf(sampleCsv([stratum({ kind: 'rule', ruleId: 'a', size: 1 }, drawn)], source).text)[1]![2]!;
    expect([cell.length, cell.includes('x [[heck]] y')]).toEqual([10_004, true]);
  });

  it('is read back with its outcomes, by rule and with the rows that have none', () => {
    expect(expected.drawn).toBe(15);
    expect(expected.strata.map(({ rows: _, ...own }) => own)).toEqual([
      { kind: 'rule', ruleId: '=SUM(1)', ruleName: '@all, "quoted"; ok', size: 40, drawn: 12 },
      { kind: 'stopped', ruleId: undefined, ruleName: undefined, size: 50, drawn: 1 },
      { kind: 'allowed', ruleId: undefined, ruleName: undefined, size: 900, drawn: 2 },
    ]);
    const [ofRule] = expected.strata;
    expect(ofRule!.rows.map(({ messageId }) => messageId)).toEqual(ids);
    expect(ofRule!.rows.slice(0, 4).map(({ outcome, line }) => [outcome, line])).toEqual([
      ...[
        ['wrong', 2],
        ['unsure', 3],
        [undefined, 4],
        ['right', 5],
      ],
    ]);
    expect(labelsOfSample(expected).slice(-2)).toEqual([
      { messageId: '007', ruleId: undefined, outcome: 'wrong' },
      { messageId: '1', ruleId: undefined, outcome: 'unsure' },
    ]);
  });

  it.each([
    ['semicolons, as where the comma is decimal', csv(filled, { delimiter: ';' })],
    ['tabs', csv(filled, { delimiter: '\t' })],
    ['every cell in quotes', csv(filled, { quotes: true })],
    ['a byte order mark and a title in quotes', `\u{feff}${csv(filled, { quotes: true, delimiter: ';' })}`],
    ['lines that end as on Unix', csv(filled, { newline: '\n' })],
    [
      'blank rows behind and between',
      `${csv([...filled.slice(0, 3), filled[0]!.map(() => ''), ...filled.slice(3)])}\r\n,,,\r\n`,
    ],
    [
      'other columns first, and one more',
      csv(filled.map((cells, at) => [at === 0 ? 'notes' : '=1', ...cells.toReversed()])),
    ],
    ['guards that were dropped', csv(filled.map((cells) => cells.map((cell) => cell.replace(/^'/, ''))))],
    ['rows in another order', csv([filled[0]!, ...filled.slice(1).toReversed()])],
  ])('is read as a spreadsheet saves it: %s', (_, text) => {
    const byPlace = (sample: typeof expected) =>
      sample.strata
        .map(({ rows, ruleName, ...own }) => {
          const plain = rows.map(({ line: _line, ...row }) => row).sort((one, other) => one.place - other.place);
          return { ...own, rows: plain };
        })
        .sort((one, other) => one.size - other.size);
    expect(byPlace(read(decodeSpreadsheet(Buffer.from(text))))).toEqual(byPlace(expected));
  });

  it('is read in the code page of Excel, and in UTF-16', () => {
    const text = csv(
      filled.filter((cells) => !cells.includes("'ö")),
      { delimiter: '\t' },
    );
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    for (const bytes of [utf16, Buffer.from(text.replaceAll('text 007', 'Größe'), 'latin1')])
      expect(labelsOfSample(read(decodeSpreadsheet(bytes)))).toEqual(labelsOfSample(read(text)));
  });

  const changed = (name: string, cell: string, row = 2) =>
    csv(filled.map((cells, at) => (at === row ? cells.with(indexOf(name), cell) : cells)));

  it.each([
    ['an id as a number', changed('messageId', '1.23457E+19'), 's.csv, row 3: the whole row was not drawn'],
    ['an id of another row', changed('messageId', "'12345678901234567890"), 'row 3: the whole row was not drawn'],
    ['another rule', changed('ruleId', "'other"), 'row 3: the whole row was not drawn'],
    ['another score', changed('scores', 'gore_greaterThan_30: 99'), 'row 3: the whole row was not drawn'],
    ['another size', changed('draw', filled[2]![7]!.replace('/40', '/41')), 'row 3: the whole row was not drawn'],
    ['no place', changed('draw', ''), 'row 3: the whole row was not drawn'],
    ['a row twice', csv([...filled, filled[2]!]), 'row 17: the whole row is that of row 3 again; keep one of them'],
    [
      'a row of another sample',
      csv([...filled.slice(0, 4), ...rowsOf(sampleCsv(strata, [2]).text).slice(5)]),
      'row 5: `draw` is of another sample',
    ],
    ['another outcome', changed('outcome', 'maybe'), 'row 3: `outcome` must be one of right, wrong, unsure, or empty'],
    [
      'no column of outcomes',
      csv(filled.map((cells) => cells.toSpliced(3, 1))),
      's.csv: the first row must name the columns',
    ],
    ['no row', csv(filled.slice(0, 1)), 's.csv: the whole file has no row of a sample'],
    ['another file', '{"messageId":"1","outcome":"right"}\n', 's.csv: the first row must name the columns'],
  ])('is refused with the row: %s', (_, text, words) => {
    expect(() => read(text)).toThrow(words);
  });

  it('is told from other files', () => {
    expect(
      [csv(filled, { delimiter: ';' }), '[{"messageId":"1"}]', 'messageId,outcome\n1,right\n', ''].map(isSampleCsv),
    ).toEqual([true, false, false, false]);
  });

  it('keeps the outcomes of a smaller one, at the same places alone', () => {
    const [rule, ...others] = strata;
    const larger = [
      { stratum: { ...rule!.stratum, size: 41 }, rows: [...rule!.rows, ...rule!.rows.slice(0, 1)] },
      ...others,
    ];
    const { text, kept } = sampleCsv(larger, source, expected);
    expect(kept).toBe(labelsOfSample(expected).length);
    expect(labelsOfSample(read(text))).toEqual(labelsOfSample(expected));
    const shifted = [{ ...rule!, rows: rule!.rows.slice(1) }, ...others];
    expect(sampleCsv(shifted, source, expected).kept).toBe(2);
  });

  it('gives back every id, whatever is in it, whether guards are kept or not', () => {
    const id = fc.string({ unit: fc.constantFrom(...'\'=+-@;|%\t\n"a13B, \u{feff}ö'), maxLength: 8 });
    fc.assert(
      fc.property(id, id, fc.boolean(), (messageId, ruleId, isKept) => {
        const { text } = sampleCsv([stratum({ kind: 'rule', ruleId, size: 9 }, [{ id: messageId }])], source);
        const [first = [], cells = []] = rowsOf(text);
        const bare = cells.map((cell) => (isKept ? cell : cell.replace(/^'/, '')));
        const [own] = read(csv([first, bare])).strata;
        expect([own!.ruleId, own!.rows[0]!.messageId]).toEqual([ruleId, messageId]);
      }),
      { numRuns: runs(300) },
    );
  });
});

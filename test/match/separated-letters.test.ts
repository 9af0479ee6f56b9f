import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayBeSeparated, withoutSeparators } from '../../src/engine/match/separated-letters.js';
import { createEngine } from '../../src/index.js';
import { asAnswer } from '../support/compare.js';
import { judge } from '../support/oracle.js';
import { separatorsIn } from '../support/oracle-separated.js';
import { defaultReadings } from '../support/oracle-world.js';
import { isFull, runs } from '../support/runs.js';

const read = (text: string) => withoutSeparators(text)?.text ?? text;

describe('withoutSeparators', () => {
  it.each([
    ['操 你 妈', '操你妈'],
    ['我要买大*麻啊', '我要买大麻啊'],
    ['我操.你.妈的', '我操你妈的'],
    ['操🙂你🙂妈', '操你妈'],
    ['死|ね', '死ね'],
    ['เ ห ี้ ย', 'เหี้ย'],
    ['시.발', '시발'],
    ['𠮷*𠮷', '𠮷𠮷'],
  ])('%s is %s', (text, read_) => expect(read(text)).toBe(read_));

  it.each([
    ['很大 麻烦', 'a space between words'],
    ['很大.麻烦', 'a full stop'],
    ['很大🙂麻烦', 'an emoji between clauses'],
    ['唉，好，我来', 'commas'],
    ['ジョン・スミス', 'a name'],
    ['김 씨 발', 'syllables that are words'],
    ['바.보야', 'a syllable in a word'],
    ['大****麻', 'four signs'],
    ['大 *麻', 'two separators'],
    ['kill*ed', 'Latin letters'],
  ])('%s stays: %s', (text) => expect(withoutSeparators(text)).toBeUndefined());

  it('removes what the oracle says, and keeps offsets', () => {
    const piece = fc.constantFrom(
      '大',
      '麻',
      'ね',
      'ガ',
      'ー',
      'เ',
      'ี้',
      'ห',
      '𠮷',
      '바',
      '보',
      'a',
      '1',
      '*',
      '.',
      '·',
      '・',
      '🙂',
      ' ',
      '　',
      '，',
      '|',
      '\u3099',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const removed = separatorsIn(text);
        let expected = text;
        for (const { start, end } of removed.toReversed()) expected = expected.slice(0, start) + expected.slice(end);
        const made = withoutSeparators(text);
        expect(made?.text ?? text).toBe(expected);
        expect(made?.changes.map(({ start, end }) => ({ start, end })) ?? []).toEqual(removed);
      }),
      { numRuns: runs(750, 75_000) },
    );
  });
});

it('a term may be separated where two letters or two syllables follow each other', () => {
  expect(['大麻', 'お前', '바보', 'a大麻b', '大 麻 烦 人', 'เหี้ย'].filter((term) => !mayBeSeparated(term))).toEqual([
    '大 麻 烦 人',
  ]);
  expect(['kill', '大', '바', 'a大b', 'ab보'].filter(mayBeSeparated)).toEqual([]);
});

it('an engine finds what the oracle finds, through separators, formatting and disguises', () => {
  const terms = ['大麻', '操你妈', '死ね', '바보', 'เหี้ย', 'kill', '大 麻', 'a大麻'];
  const letters = [...'大麻操你妈死ね바보', 'เ', 'ห', 'ี้', 'ย', 'k', 'i', 'l'];
  const piece = fc.constantFrom(
    ...letters,
    ...terms,
    '*',
    '*',
    '.',
    '.',
    '|',
    ' ',
    ' ',
    '**',
    '，',
    '🙂',
    '\u200b',
    '_',
  );
  const words = fc.constantFrom('word' as const, 'substring' as const, 'prefix' as const);
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.subarray(terms, { minLength: 1 }),
      words,
      (pieces, own, reading) => {
        const rules = [{ id: 'r', action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', value: own }] }];
        const semantics = { folding: 'hardened', words: reading } as const;
        const message = { data: { text: pieces.join('') } };
        const expected = judge({
          rules,
          lists: [],
          message,
          media: [],
          readings: { ...defaultReadings, ...semantics },
        });
        const engine = createEngine({ rules, lists: [] }, semantics);
        expect(asAnswer(engine.explain(message))).toEqual(expected);
        expect(engine.decide(message)).toBe(expected.verdict);
      },
    ),
    { numRuns: runs(100, 10_000) },
  );
});

it('reads texts of separators in linear time', () => {
  for (const piece of ['大 ', '大*', '大.', '大...麻', '바.', 'เ ', '🙂大', '* ', '大，']) {
    const text = piece.repeat(Math.ceil((isFull ? 1_000_000 : 100_000) / piece.length));
    const engine = createEngine(
      {
        rules: [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['操你妈'] }] }],
        lists: [],
      },
      { folding: 'hardened' },
    );
    expect(engine.decide(text)).toBe('allow');
    expect(engine.decide(`${text}!操*你*妈`)).toBe('blockMessage');
  }
});

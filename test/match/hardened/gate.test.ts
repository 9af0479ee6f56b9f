/** The gate may open for nothing, never stay closed: where the thorough scan finds a term, it has to open. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../fixtures/random.js';
import { foldCodePoint, WHITE } from '../../../src/match/folding.js';
import { HardenedGate } from '../../../src/match/hardened/hardened-gate.js';
import { createHardenedTerms } from '../../../src/match/hardened/hardened-terms.js';
import { classOf } from '../../../src/match/hardened/likeness.js';
import { readingOf } from '../../../src/match/hardened/readings.js';
import { createHardenedSubstringScan } from '../../../src/match/hardened/substring-scan.js';
import { createHardenedWordScan } from '../../../src/match/hardened/word-scan.js';
import { Advice, createKeywordMatcher } from '../../../src/match/keyword-matcher.js';
import { re2js } from '../../../src/match/re2js.js';
import { evade } from '../../promises/evasions.js';
import { isFull, runs } from '../../support/runs.js';

const terms = [
  ...['kill', 'scam', 'idiot', 'ass', 'hate', 'moron', 'buy now', 'kkk', 'straße', 'café', 'né', 'дурак', 'асс'],
  ...[
    '白痴',
    'ばか',
    '🖕',
    '👇👇',
    'e\u0323\u0301',
    '\ufe0f\u20e3 \ufe0f\u20e3',
    ' oi ',
    'a*s',
    '\u0301ok',
    'l.m.a.o',
    'f4ke',
  ],
];
const patterns = re2js.compile([{ source: 'k.ll|[0-9]{3}', insensitive: false, whole: false }]);

function gateOf(written: readonly string[], words: 'word' | 'substring', rows?: number) {
  const read = createHardenedTerms(written);
  const thorough = words === 'word' ? createHardenedWordScan(read) : createHardenedSubstringScan(read);
  const plain = createKeywordMatcher(written, { folding: 'case', words });
  const gate = new HardenedGate(written, read, words, rows);
  const holds = (text: string) => {
    let found = false;
    for (const scanner of [thorough, plain]) {
      scanner.scan(text, () => {
        found = true;
        return Advice.STOP;
      });
    }
    return found;
  };
  return { gate, holds, hasFewRows: rows !== undefined };
}

/** Lists that shut what the gate may leave out: words of one letter, digits, or neither. */
const lists = [
  terms,
  ['o kill', '5 stars', 'ss'],
  ['kill', 'scam', 'buy now', 'ass', 'café'],
  ['1111f', 'ils', 'ill', 'lila', 'abta', 'ii as', '455a', 'かかば', 'アーか', 'ассa', 's5s', 'a.k', 'a 4', 'kⅼӏk'],
  ['🤑🤑', 'a🖕', '🖕 ass', 'clown 🤡', '🝌lown', '_', 'kill_', '_kk', '\ud83d', '\udd95a', 'las'],
  ['🍑', 'a🍆', '🎉🎉', 'flag 🇺🇸', '🅰ss', 'k', '\ud83c', '\udf89s'],
  ['الس', 'tاs', 'ااب', 'iا', 'ass', 'k'],
  ['kil', 'л❤️', '❤️', 'gn\u0345', 'з', 'oh \u0308', 'oh \u200b ', 'id\ufe0f', '5з ok'],
  ['á ', 'a b', '4 ', 'a team', 'foo™', '5㎏', 'あ\u3099', 'buy \u200b now', 'q\u0340', 'ззз', 'а\u0301l', 'foo'],
];
/** So few that a gate has to do without those that it needs, and to make them anew. */
const FEW_ROWS = 9;
const gates = (['word', 'substring'] as const).flatMap((words) => [
  ...lists.map((list) => ({ words, ...gateOf(list, words) })),
  { words, ...gateOf(lists[0]!, words, FEW_ROWS) },
]);

function checks(text: string): void {
  for (const { words, gate, holds, hasFewRows } of gates) {
    const opens = gate.opensFor(text);
    const answer = gate.opensWith(text, patterns.dfa!);
    if (holds(text)) expect([words, text, opens, answer]).toEqual([words, text, true, 'open']);
    // Where a row is missing the gate may open for nothing, and it is not missing twice.
    if (!hasFewRows) expect([words, text, answer]).toEqual([words, text, opens ? 'open' : 'clear']);
    if (answer === 'open') continue;
    const matched = [...patterns.dfa!.matched.subarray(0, patterns.dfa!.matchedCount)];
    expect(matched).toEqual(/k[^\n]ll|[0-9]{3}/u.test(text) ? [0] : []);
  }
}

const piece = fc.constantFrom(
  ...[
    'a',
    's',
    'S',
    'k',
    'i',
    'l',
    'e',
    'ß',
    'ſ',
    'а',
    'ѕ',
    'і',
    'ａ',
    '𝐬',
    'ⓢ',
    'á',
    '4',
    '5',
    '1',
    '$',
    '@',
    '!',
    '|',
    '+',
  ],
  ...[
    '\u200b',
    '\u00ad',
    '\u0301',
    '\u0323',
    '\u20e3',
    '\ufe0f',
    '\ufeff',
    ' ',
    ' ',
    '\n',
    '.',
    '-',
    '_',
    '*',
    '·',
    "'",
    '中',
    'ば',
  ],
  ...[
    'か',
    '🖕',
    '🎉',
    '🏽',
    '🍑',
    '🇸',
    '🅰',
    '\ud83c',
    '€',
    '！',
    '👇',
    '🤑',
    '🤡',
    '🝌',
    '🯰',
    '\udd95',
    '\ud83d',
    'é',
    'n',
    'o',
    'kk',
    'ill',
    'ﬁ',
    'ass',
    'k i l',
    'A.S.',
    '3 3',
    'ooo',
    '555',
    ' stars',
    'a 4',
    '4 5 5',
    'か',
    'が',
    '·',
    '|',
    't',
    'b',
    '3e3',
    '444',
    ...['™', '㎏', '\u3099', '  ', '\u0340', 'buy', 'now', 'foo', 'team', 'з', '333', 'á', 'q', 'あ'],
    'www',
    '!!!',
    ...['🐢', '𝐢', '...', '❤', 'gn', 'ι', 'Ι', '\u0345', '\u0308', 'oh', '33333', '5', 'id', 'л', 'kil'],
  ],
);

describe('the gate', () => {
  it('opens for a term in disguise, anywhere', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...terms.slice(0, 8), 'o kill'),
        fc.nat(),
        fc.array(piece, { maxLength: 6 }),
        fc.array(piece, { maxLength: 6 }),
        (term, seed, before, after) => {
          checks(`${before.join('')} ${evade(term, createRandom(seed, 'gate'))} ${after.join('')}`);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('opens for whatever else the thorough scan finds', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => checks(pieces.join(''))),
      { numRuns: runs(400) },
    );
  });

  it('opens for any character that is read as a letter of a term', () => {
    const step = (code: number) => (isFull ? (code < 0x2000 ? 1 : 29) : code < 0x180 ? 1 : code < 0x2000 ? 31 : 499);
    for (let code = 0; code < 0x1f200; code += step(code)) {
      const character = String.fromCodePoint(code);
      for (const text of [`k${character}ll`, `oh ${character}ss`, `k i ${character} l`]) checks(text);
    }
  });

  it('stays closed for clean texts', () => {
    const texts = [
      'I am still here, it is a list of 33.',
      'Straßenbahn um 8, ja?',
      'see example.com/2026',
      "I'm a bit late!!!",
    ];
    for (const text of [
      ...texts,
      'push it',
      'it will still sell',
      'ههههه',
      '9 a 4, com',
      'shiitake',
      'Скоро буду, я дома',
      'où es-tu ?',
      '今日はいい天気',
      '😀❤️ yes',
    ]) {
      expect([text, gates[0]!.gate.opensFor(text)]).toEqual([text, false]);
    }
  });
});

it('is read alike whatever its case: what case folding finds is seen by letters', () => {
  const classesOf = (code: number) =>
    readingOf(code).letters.map((letter) => (letter === WHITE ? WHITE : classOf(letter)));
  const otherwise: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const folded = foldCodePoint(code, 'case');
    if (folded !== code && String(classesOf(code)) !== String(classesOf(folded))) otherwise.push(code.toString(16));
  }
  expect(otherwise).toEqual([]);
});

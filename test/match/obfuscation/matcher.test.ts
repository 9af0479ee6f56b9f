/** The automaton stops wherever a term ends: the matcher finds what comparing every letter of a text with all terms finds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../fixtures/random.js';
import { foldCodePoint } from '../../../src/engine/match/folding.js';
import { Advice } from '../../../src/engine/match/keyword-scan.js';
import { Alignment } from '../../../src/engine/match/obfuscation/alignment.js';
import { decompositionOf } from '../../../src/engine/match/obfuscation/decompositions.js';
import {
  isSpaced,
  passageEnd,
  passageStart,
  runsOfPassage,
} from '../../../src/engine/match/obfuscation/isolated-runs.js';
import { LetterReader } from '../../../src/engine/match/obfuscation/letters.js';
import { Lexicon } from '../../../src/engine/match/obfuscation/lexicon.js';
import { createObfuscationMatcher } from '../../../src/engine/match/obfuscation/obfuscation-matcher.js';
import { hasSeveralForms } from '../../../src/engine/match/obfuscation/text-forms.js';
import { TokenScan } from '../../../src/engine/match/obfuscation/tokens.js';
import { re2js } from '../../../src/engine/match/patterns/re2js.js';
import { isPairBefore } from '../../../src/engine/match/surrogates.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { evade } from '../../promises/evasions.js';
import { listReadings, readingsOf } from '../../support/readings.js';
import { isFull, runs } from '../../support/runs.js';

/** Lists without terms that case folding alone finds; between them columns are shared otherwise. */
const lists = [
  ['kill', 'scam', 'idiot', 'ass', 'hate', 'moron', 'buy now', 'kkk', 'straße', 'café', 'né', 'дурак', 'асс'],
  ['o kill', '5 stars', 'ss'],
  ['1111f', 'ils', 'ill', 'lila', 'abta', 'ii as', '455a', 'かかば', 'アーか', 'ассa', 's5s', 'a.k', 'a 4', 'kⅼӏk'],
  ['🤑🤑', 'a🖕', '🖕 ass', 'clown 🤡', '_', 'kill_', '_kk', 'las', 'læs'],
  ['الس', 'tاs', 'ااب', 'iا', 'ass', 'k', 'з', 'ззз'],
  ['á', 'aá', 'áaáx', 'baá', 'foo', 'しね', '死ね', 'はか'],
];
const pieces = [
  ...'a s S k i l e ß ſ а ѕ і ａ 𝐬 ⓢ á 4 5 1 3 $ @ ! | +'.split(' '),
  ...[
    '\u200b',
    '\u00ad',
    '\u0301',
    '\u0323',
    '\u20e3',
    '\ufe0f',
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
    'か',
    'は',
  ],
  ...[
    '🖕',
    '🎉',
    '🤑',
    '🤡',
    '🍑',
    '🇸',
    '🅰',
    '€',
    '！',
    'é',
    'n',
    'o',
    'f',
    'kk',
    'ill',
    'ﬁ',
    'ass',
    'k i l',
    'a(s)s',
    's-t',
    'f*o',
    'k##l',
    'st**s',
    '#',
    '(',
    ')',
    'A.S.',
    '3 3',
    'ooo',
  ],
  ...['555', ' stars', 'a 4', '444', 'i l ', '|І', 'foo', '死', 'æ', 'з', 'з', 'buy', 'now', 'ا', 'ب'],
];
const patterns = re2js.compile([
  { source: 'k[^\\n]ll', insensitive: false, whole: false },
  { source: '[0-9]{3}', insensitive: false, whole: false },
]);

const matchers = listReadings.flatMap((reading) =>
  lists.map((list) => {
    const words = readingsOf(reading, list.length);
    return {
      words,
      lexicon: runAtOnce(Lexicon.of(list, words)),
      matcher: runAtOnce(createObfuscationMatcher(list, { words })),
    };
  }),
);

function foundByAll(lexicon: Lexicon, text: string): string[] {
  const work = { steps: 0 };
  const reader = new LetterReader(text, work, 0);
  const joined = new Alignment(lexicon, text, reader, 'text', { work });
  const found = new Set<string>();
  const spacedOut = new Set<string>();
  const before = new Set<string>();
  for (let at = 0; reader.at(at) !== undefined; at++) {
    for (const { term, start, end } of joined.from(at)) {
      found.add(`${term} ${start} ${end}`);
      before.add(`${term} ${start}`);
    }
  }
  for (let at = 0; at <= text.length; at++) {
    if (isPairBefore(text, at + 1)) continue;
    for (const run of runsOfPassage(text, work, passageStart(text, at, 0), passageEnd(text, at))) {
      const spaced = new Alignment(lexicon, text, run, 'spaced', { work });
      for (let first = 0; first < run.length; first++)
        for (const occurrence of spaced.from(first)) {
          const { term, start, end } = occurrence;
          if (isSpaced(lexicon, run, first, occurrence) && !before.has(`${term} ${start}`))
            spacedOut.add(`${term} ${start} ${end}`);
        }
    }
  }
  for (const one of spacedOut) {
    found.add(one);
    before.add(one.replace(/ \d+$/, ''));
  }
  for (const { term, start, end } of new TokenScan(lexicon, text, 0, { work }).before(text.length)) {
    if (!before.has(`${term} ${start}`)) found.add(`${term} ${start} ${end}`);
    before.add(`${term} ${start}`);
  }
  return [...found].sort();
}

function checks(text: string): void {
  for (const { words, lexicon, matcher } of matchers) {
    const found: string[] = [];
    const note = (term: number, start: number, end: number) => {
      found.push(`${term} ${start} ${end}`);
    };
    matcher.scan(text, note);
    expect([words, text, found.sort()]).toEqual([words, text, foundByAll(lexicon, text)]);
    const alone = found.splice(0);
    const dfa = patterns.dfa!;
    if (!matcher.scanWith(text, note, dfa)) continue;
    expect([words, text, found.sort()]).toEqual([words, text, alone]);
    const matched = [...dfa.matched.subarray(0, dfa.matchedCount)].sort();
    const expected = [/k[^\n]ll/u, /[0-9]{3}/u].flatMap((pattern, index) => (pattern.test(text) ? [index] : []));
    expect([text, matched]).toEqual([text, expected]);
  }
}

describe('the matcher of obfuscated terms', () => {
  it('stops at a term in disguise, anywhere', () => {
    const beside = fc.array(fc.constantFrom(...pieces), { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...lists[0]!.slice(0, 7)), fc.nat(), beside, beside, (term, seed, before, after) => {
        checks(
          `${before.join('')} ${evade(term, createRandom(seed, 'matcher')).replaceAll('\ufeff', '')} ${after.join('')}`,
        );
      }),
      { numRuns: runs(100) },
    );
  });

  it('stops wherever a term ends', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (some) => checks(some.join(''))),
      { numRuns: runs(200) },
    );
  });

  it('stops for any character that is read as a letter of a term', () => {
    const step = (code: number) => (isFull ? (code < 0x2000 ? 1 : 29) : code < 0x180 ? 1 : code < 0x2000 ? 127 : 1999);
    for (let code = 0; code < 0x1f200; code += step(code)) {
      const character = String.fromCodePoint(code);
      if (hasSeveralForms(code)) continue;
      for (const text of [`k${character}ll`, `oh ${character}ss`, `k i ${character} l`]) checks(text);
    }
  });

  it('compares no letters of clean texts', () => {
    const { matcher } = matchers[0]!;
    for (const text of [
      'I am still here, it is a list of 33.',
      'push it',
      'ههههه',
      'Скоро буду, я дома',
      '今日はいい天気',
      '😀❤️ yes',
    ])
      matcher.scan(text, () => expect.unreachable());
    expect(matcher.steps).toBe(0);
  });

  it('ends as the visitor advises', () => {
    const matcher = runAtOnce(createObfuscationMatcher(['kill', 'scam'], { words: 'word' }));
    const dfa = patterns.dfa!;
    for (const [advice, isComplete, count] of [
      [Advice.STOP, true, 0],
      [Advice.PATTERNS_ONLY, true, 2],
    ] as const) {
      let visits = 0;
      const answer = matcher.scanWith(
        'k1ll sc4m 333',
        () => {
          visits++;
          return advice;
        },
        dfa,
      );
      expect([answer, visits]).toEqual([isComplete, 1]);
      if (advice === Advice.PATTERNS_ONLY) expect(dfa.matchedCount).toBe(count);
    }
  });

  it('leaves closed terms out until they are cleared', () => {
    const matcher = runAtOnce(createObfuscationMatcher(['kill', 'kills', 'i\u200bll'], { words: 'substring' }));
    const closed = matcher.createClosedTerms();
    const terms = (text: string) => {
      const found = new Set<number>();
      matcher.scan(text, (term) => void found.add(term), closed);
      return [...found].sort();
    };
    const text = 'k1lls i\u200bll k i l l';
    expect(terms(text)).toEqual([0, 1, 2]);
    for (const term of [0, 2]) closed.close(term);
    expect(terms(text)).toEqual([1]);
    closed.close(1);
    expect(terms(text)).toEqual([]);
    closed.clear();
    expect(terms(text)).toEqual([0, 1, 2]);
  });
});

it('reads a character as it reads its other case: what case folding finds is seen by letters', () => {
  const lexicon = runAtOnce(Lexicon.of(['the quick brown fox jumps over the lazy dog', '0123456789']));
  const readAs = (code: number) =>
    decompositionOf(code).letters.map((letter) => [
      letter,
      ...lexicon.candidatesFor(letter).map(({ symbol }) => symbol),
    ]);
  const otherwise: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const folded = foldCodePoint(code, 'case');
    if (folded !== code && String(readAs(code)) !== String(readAs(folded))) otherwise.push(code.toString(16));
  }
  expect(otherwise).toEqual([]);
});

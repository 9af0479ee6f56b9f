/**
 * Letters read and compared, for texts made to keep the exact comparison busy: so many a character,
 * however long the text is.
 */
import { describe, expect, it } from 'vitest';
import { createHardenedMatcher } from '../../../src/engine/match/hardened/hardened-matcher.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { listReadings, readingsOf } from '../../support/readings.js';
import { isFull } from '../../support/runs.js';
import { type HostileText, hostileText, hostileTexts, rereadTexts } from './hostile-texts.js';

const nested = Array.from({ length: 40 }, (_, at) => 'a'.repeat(at + 1));
const strokes = ['ill', 'lil', 'ilil', 'lllll', 'i l', 'li', 'il'];
const texts: readonly HostileText[] = [
  ...hostileTexts,
  ...rereadTexts,
  [['ill'], '', '|\u0406'],
  [['ill', 'lil'], '', '1|'],
  [['ili', 'lil', 'ill'], '', 'i l '],
  [['kik', 'k.k.k'], '', 'k.k.k.'],
  [nested, '', '4||a|'],
  [nested, '', 'a'],
  [nested, '', 'a4'],
  [[...nested.map((term) => `${term}b`), ...nested], '', 'a'],
  [strokes, '', '\u0345i\u0345\u0345'],
  [strokes, '', '|\u0406'],
  [['а', 'ааа', 'sсо'], '', 'аaα4@'],
  [['kill', 'á'], 'kil', 'l\u0301\u0316\u0317'],
  [['kill', 'á'], 'a', '\u0301'],
  [['中中', '中国'], '', '中'],
  [['kik', 'kikk', 'ikki', 'kikkx'], '', 'k-i)(kk '],
  [nested, '', 'a-'],
  [['kik', 'k i k'], '', 'k\u2800i\u3164'],
  [['a a b', 'a a a c', 'a b a a a'], '', 'a-a.a- a'],
  [nested.flatMap((term) => [`${term}b`, `${term}c`]), '', 'aaaa*a*#* '],
  [nested, '', 'a*'],
  [nested, '', 'a-aa '],
  [strokes, '', 'i|-'],
  [nested.slice(0, 9).map((term) => [...term].join(' ')), '', 'a a*a '],
  [['aaa aaa aaab', 'aaa aaa aaac', 'aaa aab', 'aba aaa'], '', 'a-aa a*a aaa '],
  [['kik kik kikx', 'kik kii kik', 'i kik'], '', '(k)(i)(k) k*k '],
];
const KB = 1024;
/** What most of the lists above take at the most. */
const MOST = 250;

// A list of `mixed` readings has terms that are whole words, too.
const readings = isFull ? listReadings : (['substring', 'mixed'] as const);

describe.each(readings)('hardened folding takes so many steps a character: %s', (reading) => {
  it.each(texts)('%j in %j and %j over and over', (...hostile) => {
    const words = readingsOf(reading, hostile[0].length);
    const matcher = runAtOnce(createHardenedMatcher(hostile[0], { words }));
    const perUnit = (isFull ? [2, 32] : [0.5, 1.5]).map((size) => {
      const text = hostileText(hostile, size * KB);
      matcher.scan(text, () => {});
      return matcher.steps / text.length;
    });
    // Where all terms of a list end, each is compared with what stands before, by case and by
    // letters.
    const most = Math.max(MOST, 2.1 * hostile[0].join('').length);
    for (const steps of perUnit) expect(steps).toBeLessThan(most);
    // What a text takes beside its characters is counted with the shortest.
    expect(perUnit[1]!).toBeLessThan(1.1 * perUnit[0]! + 0.1);
  });
});

it('a megabyte of marks takes three steps a mark', () => {
  const matcher = runAtOnce(createHardenedMatcher(['kill', 'k\u0301ill', 'á'], { words: 'substring' }));
  const text = `k${'\u0301\u0316\u0489'.repeat((KB * KB) / 3)}ill`;
  let found = 0;
  matcher.scan(text, () => {
    found++;
  });
  expect(found).toBe(2);
  expect(matcher.steps).toBeLessThan(3 * text.length);
});

/** Texts made to keep the exact comparison busy: long runs of letters that are read alike, marks, signs, half a term over and over. */
import { describe, expect, it } from 'vitest';
import { createHardenedMatcher } from '../../../src/match/hardened/hardened-matcher.js';
import { bestTime, engineOf } from '../../promises/ask.js';

const strokes = ['illix', 'ilk', 'il lix', 'lillilillilx'];
/** Terms, what comes first in the text, and what is repeated. None holds a term. */
const hostile: readonly (readonly [terms: readonly string[], start: string, piece: string])[] = [
  [strokes, '', '|\u0406'],
  [strokes, '', '1l!'],
  [strokes, '', 'i l '],
  [strokes, '', 'i\u200b'],
  [['assk', 'aaaab', 'bab', 'babab'], '', 'a4@'],
  [['bab', 'babab'], '', '8'],
  [['ssst', 'ßßx'], '', 'ß'],
  [['á', 'aá', 'áaáx'], '', '@'],
  [['はか', 'ばか', 'はばはばか'], '', 'は'],
  [['はか', 'ばか', 'はばはばか'], '', 'ば'],
  [['axx'], 'a', '\u0301'],
  [['axx'], '', 'a\u0301\u0323'],
  [['ilil'], '', '1'],
  [['lil', 'ili'], '', '1|'],
  [['lil', 'ili'], '', '\u03011'],
  [['a*s', 'l.m.a.o'], '', '\u00b7 a'],
  [['-a-a', '+t+t'], '', '7'],
  [['bail'], 'ba', 'i'],
  [['a b', 'b a'], 'a', ' \u200b'],
  [['a b', 'b  c'], '', 'b \u200b \u200b'],
  [['fag'], '', '!a '],
];

describe.each(['word', 'substring'] as const)('hardened folding reads in linear time: %s', (words) => {
  it.each(hostile)('%j in %j and %j over and over', (terms, start, piece) => {
    const engine = engineOf(terms, { words, folding: 'hardened' });
    const textOf = (size: number) => start + piece.repeat(Math.ceil(size / piece.length));
    const [few, many] = [textOf(2_048), textOf(32_768)];
    expect(engine.decide(many)).toBe('allow');
    expectLinear(
      () => engine.decide(few),
      () => engine.decide(many),
    );
  });
});

/** Texts that are read again from every character on when nothing bounds it; each took seconds, or kept all of its letters. */
describe('hardened folding as a substring', () => {
  it.each([
    [['ai'], 'a', 'i1'],
    [['bai', 'bail'], 'ba', 'i1'],
    [['baá'], 'ba', 'aá'],
    [['baá'], 'ba', 'áa\u0301a'],
  ] as const)('reads %j in %j and %j over and over once', (terms, start, piece) => {
    const matcher = createHardenedMatcher(terms, { words: 'substring' });
    const scan = (size: number) => {
      const text = start + piece.repeat(size / piece.length);
      return () => matcher.scan(text, () => {});
    };
    scan(32_000)();
    expectLinear(scan(2_000), scan(32_000));
  });
});

/** Sixteen times the size takes some sixteen times as long. The machine may be busy, so the best of a few turns counts. */
function expectLinear(few: () => unknown, many: () => unknown): void {
  const best = { few: bestTime(2, few), many: Number.POSITIVE_INFINITY };
  for (let turn = 0; turn < 5 && best.many >= 40 * best.few + 40; turn++) {
    best.few = Math.min(best.few, bestTime(1, few));
    best.many = Math.min(best.many, bestTime(1, many));
  }
  expect(best.many).toBeLessThan(40 * best.few + 40);
}

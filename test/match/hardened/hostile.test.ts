/** Texts made to keep the exact comparison busy: long runs of letters that are read alike, marks, signs, half a term over and over. */
import { describe, expect, it } from 'vitest';
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
];

describe.each(['word', 'substring'] as const)('hardened folding reads in linear time: %s', (words) => {
  it.each(hostile)('%j in %j and %j over and over', (terms, start, piece) => {
    const engine = engineOf(terms, { words, folding: 'hardened' });
    const textOf = (size: number) => start + piece.repeat(Math.ceil(size / piece.length));
    const [few, many] = [textOf(2_048), textOf(32_768)];
    expect(engine.decide(many)).toBe('allow');
    // Sixteen times the size takes some sixteen times as long. The machine may be busy, so the best of a few turns counts.
    const best = { few: bestTime(2, () => engine.decide(few)), many: Number.POSITIVE_INFINITY };
    for (let turn = 0; turn < 5 && best.many >= 40 * best.few + 40; turn++) {
      best.few = Math.min(
        best.few,
        bestTime(1, () => engine.decide(few)),
      );
      best.many = Math.min(
        best.many,
        bestTime(1, () => engine.decide(many)),
      );
    }
    expect(best.many).toBeLessThan(40 * best.few + 40);
  });
});

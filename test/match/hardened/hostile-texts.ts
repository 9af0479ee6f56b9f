/**
 * Texts made to keep the exact comparison busy: long runs of letters that are read alike, marks,
 * signs, half a term over and over.
 */

/** Terms, what comes first in the text, and what is repeated. None holds a term. */
export type HostileText = readonly [terms: readonly string[], start: string, piece: string];

const strokes = ['illix', 'ilk', 'il lix', 'lillilillilx'];
export const hostileTexts: readonly HostileText[] = [
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

/** Texts that are read again from every character on, as substrings, when nothing bounds it. */
export const rereadTexts: readonly HostileText[] = [
  [['ai'], 'a', 'i1'],
  [['bai', 'bail'], 'ba', 'i1'],
  [['baá'], 'ba', 'aá'],
  [['baá'], 'ba', 'áa\u0301a'],
];

/** A hostile text of about so many code units. */
export function hostileText([, start, piece]: HostileText, size: number): string {
  return start + piece.repeat(Math.ceil(size / piece.length));
}

/** Terms among characters that are not text, or not seen. */
import type { Random } from '../../fixtures/random.js';

/** Characters that are not a letter, number or mark: what stands beside them is beside an edge. */
export const breaking = [
  ...['\ud83d', '\ude00', '\ud83d\ud83d', '\ude00\ude00', '\u0000', '\ufeff', '\u200d', '\u200b', '\u2060', '\u00ad'],
  ...[
    '\u202a',
    '\u202b',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200e',
    '\u061c',
    '\u2028',
    '\u0085',
    '\ufffe',
    '\uffff',
    '\ue000',
  ],
  ...['😀', '👨\u200d👩', ' ', '\r\n', '\u001b', '\u007f', '<->', '\u0001'],
];
/** Marks: under `case` they join with the word that they stand beside; `hardened` looks through them. */
export const marks = ['\u0301', '\u0308', '\u0336', '\u20dd', '\u0489', '\ufe0f'];
/** What `hardened` does not see inside a word. */
export const unseen = [
  '\u200b',
  '\u200d',
  '\u2060',
  '\u00ad',
  '\ufeff',
  '\u202e',
  '\u2066',
  '\u0301',
  '\u0336',
  '\ufe0f',
];

export const plantable = ['kill', 'дура', 'شتم', 'buy now', 'x', 'गाली', '死ね', 'e\u0301', 'İ', '𐐨𐐩'];

/** A text of rubbish with a term in it, and where it stands. */
export function plant(term: string, rubbish: readonly string[], random: Random): { text: string; start: number } {
  const some = () => Array.from({ length: random.int(0, 6) }, () => random.pick(rubbish)).join('');
  const before = some();
  return { text: before + term + some(), start: before.length };
}

/** A term with unseen characters between its letters. */
export function laceWithUnseen(term: string, random: Random): string {
  const letters = [...term];
  return letters.map((one, at) => (at < letters.length - 1 ? one + random.pick(unseen) : one)).join('');
}

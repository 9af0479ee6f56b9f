/** Comparing letter by letter answers as the search through all ways does, wherever it answers at all. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { align, alignPlainly, DRAWN_OUT, type Manner, MISFIT } from '../../../src/match/hardened/align.js';
import { readTerm } from '../../../src/match/hardened/hardened-term.js';
import { lettersFrom } from '../../../src/match/hardened/letters.js';
import { isFull, runs } from '../../support/runs.js';

const manners: readonly Manner[] = ['word', 'substring', 'spaced', 'whole'];
const terms = [
  'as',
  'ass',
  'aß',
  'sassa',
  'ill',
  'lil',
  'ili',
  'a55',
  '45',
  'as si',
  'si, as',
  'á',
  'aaaas',
  'f4k',
].map(readTerm);
const pieces = [
  ...['a', 'a', 's', 's', 'i', 'l', 'f', 'k', ' ', 'á', 'а', 'ѕ', 'ß', '4', '@', '5', '$', '1', '!', '|', ','],
  ...['\u0301', '\u200b', 'ⓢ'],
];

function compares(text: string): void {
  for (const term of terms) {
    for (const manner of manners) {
      for (let start = 0; start < 3; start++) {
        const plainly = alignPlainly(term, lettersFrom(text, 0), start, manner);
        if (plainly === DRAWN_OUT) continue;
        const all = [...align(term, lettersFrom(text, 0), start, manner)];
        const expected = plainly === MISFIT ? [] : [[start + term.letters.length, plainly]];
        if (String(all) !== String(expected))
          expect([text, manner, start, all]).toEqual([text, manner, start, expected]);
      }
    }
  }
}

it('letter by letter as in all ways', () => {
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (one) => {
      compares(one);
    }),
    { numRuns: runs(600) },
  );
});

it('in every text of few letters', () => {
  const few = ['a', '4', 's', '5'];
  for (let length = 1; length <= (isFull ? 6 : 5); length++) {
    for (let number = 0; number < few.length ** length; number++) {
      let text = '';
      for (let rest = number; text.length < length; rest = Math.floor(rest / few.length))
        text += few[rest % few.length];
      compares(text);
    }
  }
});

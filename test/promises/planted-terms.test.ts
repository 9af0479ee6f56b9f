/** Terms among characters that are not text, or not seen. */
import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../fixtures/random.js';
import { engineOf, findsOf } from './engines.js';

/** Characters that are not a letter, number or mark: what stands beside them is beside an edge. */
const breaking = [
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
/**
 * Marks: under `case` they join with the word that they stand beside; `hardened` looks through
 * them.
 */
const marks = ['\u0301', '\u0308', '\u0336', '\u20dd', '\u0489', '\ufe0f'];
/** What `hardened` does not see inside a word. */
const unseen = ['\u200b', '\u200d', '\u2060', '\u00ad', '\ufeff', '\u202e', '\u2066', '\u0301', '\u0336', '\ufe0f'];

const plantable = ['kill', 'дура', 'شتم', 'buy now', 'x', 'गाली', '死ね', 'e\u0301', 'İ', '𐐨𐐩'];

/** A text of rubbish with a term in it, and where it stands. */
function plant(term: string, rubbish: readonly string[], random: Random): { text: string; start: number } {
  const some = () => Array.from({ length: random.int(0, 6) }, () => random.pick(rubbish)).join('');
  const before = some();
  return { text: before + term + some(), start: before.length };
}

/** A term with unseen characters between its letters. */
function laceWithUnseen(term: string, random: Random): string {
  const letters = [...term];
  return letters.map((one, at) => (at < letters.length - 1 ? one + random.pick(unseen) : one)).join('');
}

const random = createRandom(7, 'planted terms');

describe('P7: no bypass by malformed or trick text', () => {
  it.each(['case', 'exact', 'hardened'] as const)('every planted term is found: %s', (folding) => {
    for (const term of plantable) {
      const engine = engineOf([term], { folding });
      for (let round = 0; round < 300; round++) {
        const { text, start } = plant(term, breaking, random);
        const place = `${start} ${start + term.length} ${term}`;
        if (!findsOf(engine, text).includes(place)) expect.fail(`${JSON.stringify(text)} hides ${place}`);
      }
    }
  });

  it('every planted term is found beside marks too, as a substring', () => {
    for (const term of plantable) {
      const engine = engineOf([term], { words: 'substring' });
      for (let round = 0; round < 200; round++) {
        const { text, start } = plant(term, [...breaking, ...marks], random);
        if (!findsOf(engine, text).includes(`${start} ${start + term.length} ${term}`))
          expect.fail(`${JSON.stringify(text)} hides \`${term}\``);
      }
    }
  });

  it('a surrogate never matches inside a pair, nor a pair two separate surrogates', () => {
    expect(engineOf(['😀'], { words: 'substring' }).decide('\ud83d \ude00')).toBe('allow');
    expect(engineOf(['\ude00'], { words: 'substring' }).decide('😀')).toBe('allow');
  });

  it('every term with hidden characters inside is found when folding is hardened', () => {
    for (const term of ['kill', 'scam', 'дура', 'idiot']) {
      const engine = engineOf([term], { folding: 'hardened' });
      for (let round = 0; round < 300; round++) {
        const written = laceWithUnseen(term, random);
        const { text, start } = plant(written, [' ', '😀', '\u0000', '\ud83d '], random);
        if (!findsOf(engine, text).includes(`${start} ${start + written.length} ${term}`))
          expect.fail(`${JSON.stringify(text)} hides \`${term}\``);
      }
    }
  });
});

import { describe, expect, it } from 'vitest';
import { createRandom } from '../../fixtures/random.js';
import { engineOf, findsOf } from './engines.js';
import { breaking, laceWithUnseen, marks, plant, plantable } from './planted-terms.js';

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

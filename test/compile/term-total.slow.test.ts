import { expect, it } from 'vitest';
import { termLimits } from '../../src/engine/compile/term-limits.js';
import { createEngine } from '../../src/index.js';

const { termCharacters, allCharacters } = termLimits;

it('term limits admit eight million characters, and no term more', () => {
  const beginning = 'x'.repeat(termCharacters - 4);
  const terms = Array.from({ length: allCharacters / termCharacters }, (_, at) => beginning + (1000 + at));
  const named = { id: 1, operand: 'text', category: 'word', isKeywordsReferencePresent: true, value: ['l'] };
  const lists = [{ id: 'l', searchTerms: [...terms, 'x'] }];
  const engine = createEngine({ rules: [{ id: 'r', action: ['blockMessage'], conditions: [named] }], lists });
  expect(engine.counts.terms).toBe(terms.length);
  expect(engine.issues.map(({ detail }) => detail)).toEqual([
    '1 term was rejected, of 100000 characters: all terms together have 8000001 characters, more than 8000000',
  ]);
  expect([terms[0]!, 'x', terms.at(-1)!].map((text) => engine.decide(text) === 'allow')).toEqual([false, false, true]);
});

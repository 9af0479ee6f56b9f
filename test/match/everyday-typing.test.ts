/**
 * What phones and Markdown write by themselves, by engine and oracle: typographic signs, low lines,
 * selectors of emoji.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';
import { termFinder } from '../support/oracle-text.js';
import { defaultReadings } from '../support/oracle-world.js';
import { wordReadings } from '../support/readings.js';
import { runs } from '../support/runs.js';

const signs = ["'", '’', '‘', 'ʼ', '′', '-', '‐', '‑', '–', '−', '—', '.', '..', '...', '…', '_', '__', '_'.repeat(17)];
const beside = ['i', 'k', 'ill', ' ', '  ', '!', '\ufe0f', '\u20e3', '\udb40\udd00', '❤', '中', 'é', 'e\u0301'];
const written = (pieces: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength }).map((parts) => parts.join(''));
const term = written([...signs, 'i', 'k', 'ill', ' '], 4).filter((text) => text.trim() === text);
const text = written([...signs, ...signs, ...beside], 14);

describe.each(['exact', 'case', 'accents', 'hardened'] as const)('folding `%s`', (folding) => {
  it.each(wordReadings)('finds what the oracle finds: %s', (words) => {
    fc.assert(
      fc.property(term, text, fc.constantFrom('contains', 'equals'), (one, whole, operator) => {
        const rules = [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', operator, value: [one] }] }];
        const decision = createEngine({ rules, lists: [] }, { words, folding }).explain(whole);
        const matches = decision.matched.flatMap(({ conditions }) =>
          conditions.flatMap((condition) => condition.matches),
        );
        const found = matches.flatMap((match) =>
          match.kind === 'word' ? [`${match.span.start} ${match.span.end}`] : [],
        );
        const expected = termFinder(one, operator, { ...defaultReadings, words, folding }, '')(whole);
        expect(new Set(found)).toEqual(new Set(expected.map(([start, end]) => `${start} ${end}`)));
      }),
      { numRuns: runs(60) },
    );
  });
});

it('reads long runs of low lines once for each text', () => {
  const rules = [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', value: ['_', '__', 'a_'] }] }];
  const engine = createEngine({ rules, lists: [] });
  const line = '_'.repeat(100_000);
  expect(engine.explain(`a${line}b`).matched).toEqual([]);
  expect(engine.explain(`a${line} b`).truncated).toBe(true);
  expect(engine.explain(`a${line}b`).matched).toEqual([]);
});

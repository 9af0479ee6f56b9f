import { expect, it, vi } from 'vitest';
import { createEngine } from '../src/engine/engine.js';
import { JointAlphabet } from '../src/engine/match/alphabet.js';
import { re2wasm } from '../src/engine/re2-wasm.js';

const ruleSet = {
  rules: [
    {
      id: 'r',
      action: ['blockMessage'],
      conditions: [
        { id: 1, operand: 'text', category: 'word', value: ['darn', 'oh darn', 'heck'] },
        { id: 2, operand: 'text', category: 'pattern', value: ['\\d{3}', '(', 'a+b'] },
      ],
    },
  ],
  lists: [],
};

it('engine.cost: reports states, classes, bytes, patterns and compile times', () => {
  const engine = createEngine(ruleSet as never);
  const { words, patterns, compileMs } = engine.cost;
  // The root, the inside of other words, and a state for each letter of `darn`, `heck` and `oh darn`; nine letters, white
  // space, signs of formatting, all other word characters, and all others.
  expect(words).toMatchObject({ states: 17, classes: 13 });
  expect(words.bytes).toBeGreaterThan(1000);
  expect(patterns).toMatchObject({ scanned: 2, separate: 0, rejected: 1 });
  expect(patterns.classes).toBeGreaterThan(3);
  expect(Object.keys(compileMs)).toEqual(['lists', 'rules', 'patterns', 'words']);
  expect(Object.values(compileMs).every((ms) => ms >= 0)).toBe(true);
});

it('engine.cost: counts patterns without an automaton as separate', () => {
  const engine = createEngine(ruleSet as never, { engine: re2wasm });
  expect(engine.cost.patterns).toMatchObject({ scanned: 0, separate: 2, rejected: 1 });
  engine.close();
});

it.each(['case', 'hardened'] as const)('leaves the joining of alphabets to no message, folding %s', (folding) => {
  const joined = vi.spyOn(JointAlphabet.prototype, 'with');
  const engine = createEngine(ruleSet as never, { folding });
  const compiled = joined.mock.results.at(-1)?.value;
  expect(compiled).toBeInstanceOf(Uint16Array);
  engine.decide('a first message');
  expect(joined.mock.results.at(-1)?.value).toBe(compiled);
  joined.mockRestore();
});

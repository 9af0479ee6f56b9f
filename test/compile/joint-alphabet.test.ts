import { expect, it, vi } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { JointAlphabet } from '../../src/engine/match/alphabet.js';

const conditions = [
  { id: 1, operand: 'text', category: 'word', value: ['darn', 'oh darn', 'heck'] },
  { id: 2, operand: 'text', category: 'pattern', value: ['\\d{3}', 'a+b'] },
];
const ruleSet = { rules: [{ id: 'r', action: ['blockMessage'], conditions }], lists: [] };

it.each(['case', 'hardened'] as const)('leaves the joining of alphabets to no message, folding %s', (folding) => {
  const joined = vi.spyOn(JointAlphabet.prototype, 'with');
  const engine = createEngine(ruleSet, { folding });
  const compiled = joined.mock.results.at(-1)?.value;
  expect(compiled).toBeInstanceOf(Uint16Array);
  engine.decide('a first message');
  expect(joined.mock.results.at(-1)?.value).toBe(compiled);
  joined.mockRestore();
});

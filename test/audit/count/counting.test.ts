/** What `lint` counts of messages: the counts of parts, in their order, are those of the whole, wherever they were cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEngines } from '../../../src/audit/engines.js';
import { judgeMessage } from '../../../src/audit/judge.js';
import { firedCounting } from '../../../src/review/lint/fired-counts.js';
import { runs } from '../../support/runs.js';

const rules = [
  {
    id: 'a',
    action: 'blockMessage',
    conditions: [{ id: 1, operand: 'text', category: 'pattern', value: ['dar', 'heck'] }],
  },
  { id: 'b', action: 'dropMessage', conditions: [{ id: 1, operand: 'text', value: ['heck', 'fig'] }] },
  { id: 'c', action: 'blockMessage', conditions: [{ id: 1, operand: 'image', value: ['gore_greaterThan_70'] }] },
];
const plan = { ruleSet: { rules, lists: [] }, semantics: {} };

const anyText = fc
  .array(fc.constantFrom('darn', 'undark', 'HECK', 'heck', 'fig', 'x'), { maxLength: 3 })
  .map((all) => all.join(' '));
const anyMessage = fc
  .tuple(anyText, fc.constantFrom('1', '2', '3', undefined))
  .map(([text, id]) => ({ ...(id !== undefined && { id }), data: { text } }));

describe('counts of what fires', () => {
  it('add up, put through a copy as threads hand them on', async () => {
    const engines = await openEngines(plan);
    const counting = firedCounting();
    const start = counting.prepare(engines);
    const property = fc.property(
      fc.array(anyMessage, { maxLength: 30 }),
      fc.array(fc.nat(30), { maxLength: 5 }),
      (messages, cuts) => {
        const entries = messages.map((message, at) => judgeMessage(engines, message, [], at + 1));
        const count = (some: typeof entries) => {
          const counter = start();
          for (const entry of some) counter.add(entry);
          return structuredClone(counter.toJSON());
        };
        const sumOf = (bounds: readonly number[]) => {
          const sum = counting.prepare()();
          for (const [at, end] of bounds.entries()) sum.merge(count(entries.slice(bounds[at - 1] ?? 0, end)));
          return sum.toJSON();
        };
        expect(sumOf([...cuts.sort((one, other) => one - other), entries.length])).toEqual(sumOf([entries.length]));
        expect(sumOf([entries.length])).toEqual(count(entries));
      },
    );
    fc.assert(property, { numRuns: runs(75) });
    engines.close();
  });
});

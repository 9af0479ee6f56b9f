import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine, type Message, UsageError } from '../../src/index.js';
import { isMessage, lacksText } from '../support/oracle-world.js';
import { runs } from '../support/runs.js';

const conditions = [{ operand: 'text', value: ['darn'] }];
const ruleSet = { rules: [{ id: 'r', action: 'blockMessage', conditions }], lists: [] };
const engine = createEngine(ruleSet);
const blocking = createEngine(ruleSet, { unreadable: 'block' });

const oddValue = fc.constantFrom<unknown>(undefined, null, '', 'darn', 5, false, {}, { en: 'darn' }, []);
const data = fc.oneof(oddValue, fc.record({ text: oddValue, metadata: oddValue }, { requiredKeys: [] }));
const anything = fc.oneof(
  { weight: 1, arbitrary: oddValue },
  {
    weight: 9,
    arbitrary: fc.record(
      {
        id: fc.constant('1'),
        body: fc.constant('darn'),
        text: oddValue,
        data,
        category: fc.constantFrom<unknown>('message', 'custom', 'action', 'call', 'dream', null, 5),
        type: fc.constantFrom<unknown>('text', 'image', 'video', 'audio', 'file', 'poll', null, 5),
        deletedAt: fc.constantFrom<unknown>(5, null),
      },
      { requiredKeys: [] },
    ),
  },
);

describe('a message', () => {
  it('is what the oracle takes for one; all else is refused by `decide` and `explain`, with where the text must stand', () => {
    const seen = { refused: 0, judged: 0, unreadable: 0 };
    fc.assert(
      fc.property(anything, (value) => {
        if (!isMessage(value)) {
          seen.refused++;
          for (const verb of ['decide', 'explain'] as const) {
            expect(() => engine[verb](value as never)).toThrow(UsageError);
            expect(() => engine[verb](value as never)).toThrow(/`data\.text`/);
          }
          return;
        }
        seen.judged++;
        const message = value as Parameters<typeof engine.explain>[0];
        const isUnreadable = typeof message !== 'string' && lacksText(message as Partial<Message>);
        seen.unreadable += Number(isUnreadable);
        expect(engine.explain(message).unevaluated).toHaveLength(Number(isUnreadable));
        expect(blocking.explain(message).unevaluated).toEqual([]);
        if (isUnreadable) expect([engine.decide(message), blocking.decide(message)]).toEqual(['allow', 'blockMessage']);
        else expect(blocking.decide(message)).toBe(engine.decide(message));
      }),
      { numRuns: runs(500) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(8);
  });
});

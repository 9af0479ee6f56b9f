import { describe, expect, it } from 'vitest';
import { reasonWords } from '../../src/cli/unchecked.js';
import { createEngine } from '../../src/index.js';

describe('reasonWords', () => {
  const filter = (party: 'sender' | 'receiver', operand: string) => ({
    type: party,
    entity: 'user' as const,
    operand,
    operator: 'not equals' as const,
    value: 'x',
  });
  const rule = (id: string, filters: ReturnType<typeof filter>[], value = 'darn') => ({
    id,
    action: 'blockMessage',
    conditions: [{ operand: 'text', value }],
    filters,
  });

  it('joins what the message does not name, each once, and puts other reasons behind it', () => {
    const engine = createEngine({
      rules: [
        rule('a', [filter('sender', 'role')]),
        rule('b', [filter('sender', 'role')], 'heck'),
        rule('c', [filter('receiver', 'name')]),
        { id: 'd', action: 'blockMessage', conditions: [{ operand: 'text', category: 'pattern', value: '(' }] },
      ],
      lists: [],
    });
    const { unevaluated } = engine.explain('darn');
    expect(unevaluated).toHaveLength(4);
    expect(reasonWords(unevaluated)).toBe(
      'the message names no sender role and no receiver name; the rule has an error',
    );
    expect(reasonWords(unevaluated.slice(0, 1))).toBe('the message names no sender role');
  });

  it('has other details as they are, escaped', () => {
    expect(reasonWords([{ why: 'engine-fault', detail: 'no\u{1b}memory' }])).toBe('no\\x1bmemory');
    expect(
      reasonWords([
        { why: 'no-scores', detail: 'a' },
        { why: 'no-scores', detail: 'a' },
      ]),
    ).toBe('a');
  });
});

import { describe, expect, it } from 'vitest';
import { auditCounting } from '../../src/audit/count/counters.js';
import { judgeBlock } from '../../src/audit/judge-block.js';
import { createEngine, type MessageDraft, UsageError } from '../../src/index.js';

const engine = createEngine({
  rules: [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', value: ['darn'] }] }],
  lists: [],
});
const by = { engines: { engine }, start: auditCounting({ summary: {} }).prepare() };
const options = {
  scores: new Map(),
  rows: 'all',
  selection: {},
  onBadRow: 'stop',
} as const;
const said = (id: string): MessageDraft => ({ id, sentAt: 10, data: { text: 'darn' } });
const words = 'message `2` of the platform must have its text at `data.text`, and has no `data`, no `category`';

describe('a listed message that is none', () => {
  const messages = [said('1'), { id: '2', sentAt: 10 }, said('3')];

  it('ends the audit with its id, behind what was judged before it', () => {
    const judged = judgeBlock({ messages, before: 0 }, by, options);
    expect(judged).toMatchObject({ counts: { summary: { messages: 1, verdicts: { blockMessage: 1 } } } });
    expect(judged).toMatchObject({ fault: expect.any(UsageError) });
    expect(String((judged as { fault?: Error }).fault)).toContain(words);
  });

  it('is none of those of which the platform kept less', () => {
    const kept = [
      { id: '1', category: 'message' },
      { id: '2', deletedAt: 5 },
      { id: '3', type: 'image' },
    ];
    const judged = judgeBlock({ messages: kept, before: 0 }, by, options);
    expect(judged).toMatchObject({ messages: 3 });
    expect(judged).not.toHaveProperty('fault');
  });
});

import { describe, expect, it } from 'vitest';
import { decisionRow, isPlainlyAllowed } from '../../../src/audit/keep/decision-row.js';
import { decision, hit, unevaluated, word } from '../decisions.js';

describe('decisionRow', () => {
  it('has ids of the message and no content', () => {
    const message = { id: '7', conversationId: 'group_a', sender: 'bob', sentAt: 5, data: { text: 'secret' } };
    const row = decisionRow({ messageId: '7', message, decision: decision() });
    expect(Object.keys(row)).toEqual(['messageId', 'conversationId', 'sender', 'sentAt', 'decision']);
    expect(row).toMatchObject({ messageId: '7', conversationId: 'group_a', sender: 'bob', sentAt: 5 });
    expect(JSON.stringify(row)).not.toContain('secret');
  });

  it('has null for fields that a draft or a text lacks', () => {
    const unknown = { messageId: null, conversationId: null, sender: null, sentAt: null, decision: decision() };
    expect(decisionRow({ messageId: undefined, message: 'text', decision: decision() })).toEqual(unknown);
    expect(decisionRow({ messageId: undefined, message: { sentAt: 'late' }, decision: decision() })).toEqual(unknown);
  });
});

describe('isPlainlyAllowed', () => {
  it('is true for allowed decisions without matches and unevaluated conditions', () => {
    expect(isPlainlyAllowed(decision())).toBe(true);
    expect(isPlainlyAllowed(decision({ exempt: true }))).toBe(true);
  });

  it.each([
    ['another verdict', decision({ verdict: 'blockMessage' })],
    ['a rule that matched without a verdict', decision({ matched: [hit('a', [word('x')])] })],
    ['a condition that was not evaluated', decision({ unevaluated: [unevaluated('a', 1)] })],
    ['matches that were cut off', decision({ truncated: true })],
  ])('is false for %s', (_, given) => {
    expect(isPlainlyAllowed(given)).toBe(false);
  });
});

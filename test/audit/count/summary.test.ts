import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSummary, type SummaryOptions } from '../../../src/audit/count/summary.js';
import type { Decision } from '../../../src/engine/evaluate/decision.js';
import type { MessageDraft } from '../../../src/platform/contract/message-draft.js';
import { naiveChoice } from '../../support/naive-rank.js';
import { runs } from '../../support/runs.js';
import { anyDecision, anyDraft } from '../arbitrary-decision.js';
import { decision, hit, pattern, score, unevaluated, word } from '../decisions.js';
import { anySplit, countBothWays } from './parts.js';

type Entry = { readonly message: string | MessageDraft; readonly decision: Decision };

function summaryOf(entries: readonly Entry[], options: SummaryOptions = {}) {
  const summary = createSummary(options);
  for (const entry of entries) summary.add(entry);
  return summary.toJSON();
}

const blocked = { verdict: 'blockMessage', actions: ['blockMessage'] } as const;

describe('createSummary', () => {
  it('is empty at first', () => {
    expect(summaryOf([])).toEqual({
      ...{ messages: 0, exempt: 0, truncated: 0, texts: 0, unreadable: 0 },
      ...{ actions: [], rules: [], conditions: [], terms: [], patterns: [], labels: [], exceptions: [], days: [] },
      verdicts: { allow: 0, blockMessage: 0, dropMessage: 0 },
      unevaluated: { messages: 0, total: 0, conditions: [], reasons: [] },
      undated: { absent: 0, outside: 0 },
    });
  });

  it('counts messages, verdicts, actions, and first and last time', () => {
    const dropped = decision({ verdict: 'dropMessage', actions: ['dropMessage', 'kick'], truncated: true });
    const summary = summaryOf([
      { message: { sentAt: 30 }, decision: decision() },
      { message: { sentAt: 10 }, decision: decision({ ...blocked, matched: [hit('a', [word('x')])] }) },
      { message: {}, decision: decision({ exempt: true }) },
      { message: { sentAt: 20 }, decision: dropped },
    ]);
    expect(summary).toMatchObject({
      ...{ messages: 4, firstSentAt: 10, lastSentAt: 30, exempt: 1, truncated: 1 },
      verdicts: { allow: 2, blockMessage: 1, dropMessage: 1 },
      actions: ['blockMessage', 'dropMessage', 'kick'].map((action) => ({ action, messages: 1 })),
    });
  });

  it('counts matches and messages separately, also when two conditions of a rule have the same term', () => {
    const twice = hit('a', [word('x', 'l', 0), word('x', 'l', 5), word('y', 'l', 9)]);
    const both = { ...twice, conditions: [...twice.conditions, { ...twice.conditions[0]!, conditionId: 2 }] };
    const summary = summaryOf([
      { message: {}, decision: decision({ ...blocked, matched: [both] }) },
      { message: {}, decision: decision({ ...blocked, matched: [hit('a', [word('x', 'l')])] }) },
    ]);
    expect(summary.terms).toEqual([
      { ruleId: 'a', listId: 'l', term: 'x', matches: 5, messages: 2, stopped: 2 },
      { ruleId: 'a', listId: 'l', term: 'y', matches: 2, messages: 1, stopped: 1 },
    ]);
    expect(summary.conditions).toEqual([
      { ruleId: 'a', conditionId: 1, messages: 2 },
      { ruleId: 'a', conditionId: 2, messages: 1 },
    ]);
  });

  it('counts terms, patterns and labels separately, by rule and list', () => {
    const matched = [
      hit('a', [word('x', 'l'), word('x'), pattern('x'), score('gore', 80)]),
      hit('b', [word('x', 'l')]),
    ];
    const summary = summaryOf([{ message: {}, decision: decision({ ...blocked, matched }) }]);
    expect(summary.terms.map(({ ruleId, listId }) => [ruleId, listId])).toEqual([
      ['a', 'l'],
      ['b', 'l'],
      ['a', undefined],
    ]);
    expect(summary.patterns).toEqual([{ ruleId: 'a', pattern: 'x', matches: 1, messages: 1, stopped: 1 }]);
    const threshold = { label: 'AnyOf', greaterThan: 30 };
    expect(summary.labels).toEqual([{ ruleId: 'a', label: 'gore', threshold, matches: 1, messages: 1, stopped: 1 }]);
  });

  it('counts matches and verdicts of each rule; of a shadow rule, the verdicts of others', () => {
    const shadow = hit('s', [word('x')], { determining: false, shadow: true });
    const summary = summaryOf([
      { message: { id: '10' }, decision: decision({ matched: [shadow] }) },
      { message: { id: '9' }, decision: decision({ ...blocked, matched: [hit('a', [word('x')]), shadow] }) },
    ]);
    expect(summary.rules).toEqual([
      {
        ...{ ruleId: 's', ruleName: 'Rule s', actions: ['blockMessage'], shadow: true, examples: ['9', '10'] },
        ...{ matched: 2, determining: 0, alone: 0, wouldStop: 1 },
        verdicts: { allow: 1, blockMessage: 1, dropMessage: 0 },
      },
      {
        ...{ ruleId: 'a', ruleName: 'Rule a', actions: ['blockMessage'], shadow: false, examples: ['9'] },
        ...{ matched: 1, determining: 1, alone: 1, wouldStop: 0 },
        verdicts: { allow: 0, blockMessage: 1, dropMessage: 0 },
      },
    ]);
  });

  it('counts unevaluated conditions by rule, condition and reason, and messages by reason', () => {
    const twice = [unevaluated('a', 1), unevaluated('b', 1), unevaluated('a', 2, 'not-compiled')];
    const summary = summaryOf([
      { message: {}, decision: decision({ unevaluated: twice }) },
      { message: {}, decision: decision({ unevaluated: [unevaluated('a', 2, 'not-compiled')] }) },
    ]);
    expect(summary.unevaluated).toEqual({
      messages: 2,
      total: 4,
      conditions: [
        { ruleId: 'a', conditionId: 2, why: 'not-compiled', messages: 2 },
        { ruleId: 'a', conditionId: 1, why: 'no-scores', messages: 1 },
        { ruleId: 'b', conditionId: 1, why: 'no-scores', messages: 1 },
      ],
      reasons: [
        { why: 'not-compiled', messages: 2 },
        { why: 'no-scores', detail: 'because', messages: 1 },
      ],
    });
  });

  it('counts messages and stopped ones by day in UTC; a time that is not a date has no day', () => {
    const at = (sentAt: number, changes: Partial<Decision> = {}) => ({
      message: { sentAt },
      decision: decision(changes),
    });
    const { days, undated } = summaryOf([
      ...[86_400, 0, -1, 1_772_323_200_000, Number.NaN, Number.POSITIVE_INFINITY].map((sentAt) => at(sentAt)),
      ...[at(86_399, blocked), at(172_799, { verdict: 'dropMessage' })],
      { message: { data: {} }, decision: decision() },
      { message: 'a text', decision: decision() },
    ]);
    expect(undated).toEqual({ absent: 2, outside: 4 });
    expect(days).toEqual([
      { day: '1970-01-01', messages: 2, stopped: 1, blocked: 1, dropped: 0 },
      { day: '1970-01-02', messages: 2, stopped: 1, blocked: 0, dropped: 1 },
    ]);
  });

  it('keeps the ids of least rank as examples of a rule', () => {
    const ids = ['100', '9', '23', '1000', '8', '7', '11', '9'];
    const ranked = naiveChoice(
      ids.map((messageId) => ({ messageId, onlyCause: true })),
      5,
    );
    const entries = ids.map((id) => ({ message: { id }, decision: decision({ ...blocked, matched: [hit('a', [])] }) }));
    expect(summaryOf(entries).rules[0]?.examples).toEqual(ranked.map(({ messageId }) => messageId));
  });

  it.each(['sender', 'conversation'] as const)('by: counts stopped messages by %s', (by) => {
    const summary = createSummary({ by });
    const from = (id: string | undefined, changes: Partial<Decision>) =>
      summary.add({ message: { sender: id, conversationId: id }, decision: decision(changes) });
    for (const id of ['ann', 'bob', 'bob', undefined]) from(id, blocked);
    from('ann', {});
    summary.add({ message: 'a text', decision: decision(blocked) });
    const counts = {
      rows: [
        { id: 'bob', stopped: 2 },
        { id: 'ann', stopped: 1 },
      ],
      unknown: 2,
    };
    expect(summary.toJSON()[by === 'sender' ? 'senders' : 'conversations']).toEqual(counts);
    expect(summary.toJSON()[by === 'sender' ? 'conversations' : 'senders']).toBeUndefined();
  });

  it('by: counts by both, each as if it were alone', () => {
    const entries = ['ann', 'bob', undefined].map((sender) => ({
      message: { sender, conversationId: 'room' },
      decision: decision(blocked),
    }));
    const both = summaryOf(entries, { by: ['sender', 'conversation'] });
    expect(both.senders).toEqual(summaryOf(entries, { by: 'sender' }).senders);
    expect(both.conversations).toEqual(summaryOf(entries, { by: 'conversation' }).conversations);
  });
});

const anyEntry: fc.Arbitrary<Entry> = fc.record({
  message: fc.oneof(anyDraft, fc.constant('a text')),
  decision: anyDecision,
});

const anyOptions: fc.Arbitrary<SummaryOptions> = fc.record({
  by: fc.constantFrom<SummaryOptions['by'][]>(undefined, 'sender', 'conversation', ['sender', 'conversation']),
});

describe('merged summary', () => {
  it('equals the summary of the whole for any split and order', () => {
    fc.assert(
      fc.property(anySplit(anyEntry), anyOptions, (split, options) => {
        const { whole, merged } = countBothWays(split, () => createSummary(options));
        expect(JSON.parse(merged)).toEqual(JSON.parse(whole));
      }),
      { numRuns: runs(40) },
    );
  });

  it('does not modify its arguments', () => {
    const part = summaryOf([{ message: {}, decision: decision({ ...blocked, matched: [hit('a', [word('x')])] }) }]);
    const before = JSON.stringify(part);
    const summary = createSummary();
    summary.merge(part);
    summary.merge(part);
    expect(JSON.stringify(part)).toBe(before);
    expect(summary.toJSON().terms[0]).toMatchObject({ messages: 2 });
  });
});

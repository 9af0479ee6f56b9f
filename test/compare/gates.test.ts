import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleSetDiff } from '../../src/review/compare/diff-rule-sets.js';
import { closedGates, type Gates, isClosedByErrors } from '../../src/review/compare/gates.js';

const issue = { code: 'rejected-pattern', severity: 'error', ruleId: 'r', detail: 'x' } as const;

function diffOf(
  given: { readonly messages?: number; readonly released?: number; readonly newlyStopped?: number } = {},
) {
  return {
    ...given,
    changes: [],
    errors: { rules: [], against: [], added: [], removed: [] },
    receipt: { rules: 'a', against: 'a', semantics: { rules: {}, against: {} }, engine: '0' },
  } as unknown as RuleSetDiff;
}

const atMost = (kind: 'released' | 'newlyStopped', messages: number): Gates => ({
  limits: [{ kind, most: { messages } }],
  isChangeRefused: false,
});
const codes = (diff: RuleSetDiff, gates: Gates) => closedGates(diff, gates).map(({ code }) => code);

describe('gates', () => {
  it('are closed by more messages of their kind than their limit, and by no message at all', () => {
    const diff = diffOf({ messages: 10, released: 3, newlyStopped: 0 });
    expect(closedGates(diff, atMost('released', 2))).toEqual([
      { code: 'over-limit', limit: { kind: 'released', most: { messages: 2 } }, messages: 3 },
    ]);
    expect(codes(diff, atMost('released', 3))).toEqual([]);
    expect(codes(diff, atMost('newlyStopped', 0))).toEqual([]);
    expect(codes(diffOf({ messages: 0, released: 0 }), atMost('released', 2))).toEqual(['nothing-judged']);
    expect(codes(diffOf(), atMost('released', 0))).toEqual([]);
  });

  it('of shares pass what reaches them exactly, whatever their decimals', () => {
    const gates = (percent: string): Gates => ({
      limits: [{ kind: 'released', most: { percent } }],
      isChangeRefused: false,
    });
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(3_000), fc.nat(100), (messages, released, hundredths) => {
        const percent = `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
        const isOver = BigInt(released) * 10_000n > BigInt(hundredths) * BigInt(messages);
        const found = codes(diffOf({ messages, released }), gates(percent)).filter((code) => code === 'over-limit');
        expect(found).toEqual(isOver ? ['over-limit'] : []);
      }),
    );
  });

  it('are closed by errors: of the new rules each of them, of the old ones that of releases', () => {
    const diff = diffOf({ messages: 1, released: 0, newlyStopped: 0 });
    const added = { ...diff, errors: { ...diff.errors, added: [issue], removed: [issue] } } as RuleSetDiff;
    const removed = { ...diff, errors: { ...diff.errors, removed: [issue] } } as RuleSetDiff;
    expect(codes(added, atMost('newlyStopped', 0))).toEqual(['errors-added']);
    expect(codes(added, { limits: [], isChangeRefused: true })).toEqual(['errors-added']);
    expect(codes(added, { limits: [], isChangeRefused: false })).toEqual([]);
    expect(codes(removed, atMost('newlyStopped', 0))).toEqual([]);
    expect(codes(removed, atMost('released', 0))).toEqual(['errors-removed']);
    expect(isClosedByErrors(closedGates(removed, atMost('released', 0)))).toBe(true);
    expect(isClosedByErrors(closedGates(diffOf({ messages: 0 }), atMost('released', 0)))).toBe(false);
  });

  it('that refuse any change are closed by one of rules, and by one in words', () => {
    const gates = { limits: [], isChangeRefused: true };
    const diff = diffOf();
    expect(codes(diff, gates)).toEqual([]);
    expect(codes({ ...diff, receipt: { ...diff.receipt, rules: 'b' } }, gates)).toEqual(['rules-differ']);
    expect(codes({ ...diff, changes: [{ kind: 'rule-order' }] } as unknown as RuleSetDiff, gates)).toEqual([
      'rules-differ',
    ]);
  });
});

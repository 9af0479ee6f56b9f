import { createCipheriv, createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { prepareCounter, type SamplePlan, sampledStrata } from '../../src/audit/sample/sample.js';
import type { RuleHit } from '../../src/engine/evaluate/decision.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import { decision, hit } from '../audit/decisions.js';
import { runs } from '../support/runs.js';

const plan = (changes: Partial<SamplePlan> = {}): SamplePlan => ({
  ...{ seed: 1, perRule: 5, ofRule: new Map(), stopped: 8, allowed: 6, ...changes },
});

/** A message that rules stop, or that none does. */
function entry(id: string | undefined, ...matched: readonly RuleHit[]): AuditEntry<MessageDraft> {
  const message = { ...(id !== undefined && { id }), data: { text: `text ${id}` } };
  const isStopped = matched.some(({ determining }) => determining);
  return { messageId: id, message, decision: decision({ verdict: isStopped ? 'blockMessage' : 'allow', matched }) };
}

function strataOf(entries: readonly AuditEntry<MessageDraft>[], changes: Partial<SamplePlan> = {}) {
  const sampler = prepareCounter(plan(changes))();
  for (const [at, one] of entries.entries()) sampler.add({ ...one, place: at + 1 });
  return sampledStrata(sampler.toJSON());
}

/** Of messages that one rule stops the ids that are drawn. */
const drawn = (entries: readonly AuditEntry<MessageDraft>[], changes: Partial<SamplePlan>) =>
  strataOf(entries, changes)[0]!.rows.map(({ messageId }) => messageId);

/**
 * A number that a chi-square variable exceeds less often than once in a billion (Wilson and
 * Hilferty, six sigma).
 */
const chiSquareLimit = (freedom: number) => freedom * (1 - 2 / (9 * freedom) + 6 * Math.sqrt(2 / (9 * freedom))) ** 3;

const seeds = Array.from({ length: 1000 }, (_, seed) => seed);
const ofRule = (count: number) => Array.from({ length: count }, (_, index) => entry(String(index), hit('a', [])));

describe('a sample', () => {
  it('is that of sorting all messages of its stratum by rank', () => {
    const entries = Array.from({ length: 3000 }, (_, index) => {
      const hits = ['a', 'b', 'c'].flatMap((id, at) =>
        index % (at + 2) === 0 ? [hit(id, [], { determining: at < 2 })] : [],
      );
      return entry(String(index % 2900), ...hits);
    });
    const cipher = createCipheriv(
      'aes-256-ctr',
      createHash('sha256').update('sluice sample -7').digest(),
      Buffer.alloc(16),
    );
    const stream = cipher.update(Buffer.alloc(8 * entries.length));
    const order = [...entries.entries()]
      .map(([at, one]) => {
        const [low, high] = [stream.readUInt32LE(8 * at), stream.readUInt32LE(8 * at + 4)];
        return { ...one, rank: BigInt(low) * 2n ** 21n + BigInt(high >>> 11) };
      })
      .sort((one, other) => (one.rank < other.rank ? -1 : 1));
    const of = (isIn: (one: AuditEntry) => boolean) => order.filter(isIn);
    const determines = (id: string) => (one: AuditEntry) =>
      one.decision.matched.some(({ ruleId, determining }) => ruleId === id && determining);
    const expected = [
      { kind: 'rule', ruleId: 'a', ruleName: 'Rule a', all: of(determines('a')), most: 5 },
      { kind: 'rule', ruleId: 'b', ruleName: 'Rule b', all: of(determines('b')), most: 100 },
      { kind: 'stopped', all: of((one) => one.decision.verdict !== 'allow'), most: 8 },
      { kind: 'allowed', all: of((one) => one.decision.verdict === 'allow'), most: 6 },
    ];
    const strata = strataOf(entries, { seed: -7, ofRule: new Map([['b', 100]]) });
    expect(strata.map(({ stratum }) => stratum)).toEqual(
      expected.map(({ all, most: _, ...stratum }) => ({ ...stratum, size: all.length })),
    );
    for (const [at, { rows, stratum }] of strata.entries()) {
      const { all, most } = expected[at]!;
      expect(rows.map(({ message, decision: own, messageId }) => [messageId, message, own])).toEqual(
        all.slice(0, most).map(({ messageId, message, decision: own }) => [messageId, message, own]),
      );
      const { size: _, ruleName: __, ...own } = stratum;
      for (const row of rows) expect(row.stratum).toEqual(own);
    }
  });

  it('holds each message as often as any other, over 1,000 seeds', () => {
    const [all, most] = [40, 5];
    const counts = new Map<string, number>();
    const firsts = new Map<string, number>();
    for (const seed of seeds) {
      const ids = drawn(ofRule(all), { seed, perRule: most });
      expect(new Set(ids).size).toBe(most);
      for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
      firsts.set(ids[0]!, (firsts.get(ids[0]!) ?? 0) + 1);
    }
    const chiSquare = (found: ReadonlyMap<string, number>, mean: number) =>
      Array.from({ length: all }, (_, id) => ((found.get(String(id)) ?? 0) - mean) ** 2 / mean).reduce((a, b) => a + b);
    // Drawn without replacement, counts vary less: by the factor (N - n) / (N - 1).
    const inclusion = (chiSquare(counts, (seeds.length * most) / all) * (all - 1)) / (all - most);
    expect(inclusion).toBeLessThan(chiSquareLimit(all - 1));
    expect(chiSquare(firsts, seeds.length / all)).toBeLessThan(chiSquareLimit(all - 1));
    // They vary as chance has it: not less either.
    expect(inclusion).toBeGreaterThan((all - 1) / 4);
  });

  it('takes rows of one id each by itself: half of the rows of one id are about half of the sample, as often as chance has it', () => {
    const [all, most] = [20, 6];
    const entries = ofRule(all).map((one, at) => (at % 2 === 0 ? { ...one, messageId: 'same' } : one));
    const counts = Array.from({ length: most + 1 }, () => 0);
    for (const seed of seeds)
      counts[drawn(entries, { seed, perRule: most }).filter((id) => id === 'same').length]! += 1;
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
    const sum = counts.reduce((total, count, same) => {
      const mean = (seeds.length * choose(10, same) * choose(10, most - same)) / choose(all, most);
      return total + (count - mean) ** 2 / mean;
    }, 0);
    expect(sum).toBeLessThan(chiSquareLimit(most));
  });

  it('begins with the smaller one of the same seed, and is another for another seed', () => {
    const small = drawn(ofRule(500), { perRule: 20 });
    expect(drawn(ofRule(500), { perRule: 60 }).slice(0, 20)).toEqual(small);
    expect(drawn(ofRule(500), { perRule: 20, seed: 2 })).not.toEqual(small);
    expect(drawn(ofRule(500), { perRule: 600 }).length).toBe(500);
  });

  it('gives messages without an id their place, and no rows where none are asked for', () => {
    const entries = [entry('x'), entry(undefined, hit('a', [])), entry(undefined)];
    const strata = strataOf(entries, { stopped: 0 });
    expect(
      strata.map(({ stratum: { kind, size }, rows }) => [kind, size, rows.map(({ messageId }) => messageId).sort()]),
    ).toEqual([
      ['rule', 1, ['#2']],
      ['stopped', 1, []],
      ['allowed', 2, ['#3', 'x']],
    ]);
  });
});

describe('samples of parts', () => {
  const anyEntry = fc.constantFrom('a', 'b', undefined).map((id) => entry(id, ...(id ? [hit(id, [])] : [])));

  it('add up to that of the whole, wherever the parts are cut and however many threads draw them', () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 6 });
    const threads = fc.integer({ min: 1, max: 3 });
    const property = fc.property(fc.array(anyEntry, { maxLength: 60 }), cuts, threads, (entries, given, count) => {
      const changes = { perRule: 2, stopped: 3, allowed: 4 };
      const judged = entries.map((one, at) => ({ ...one, place: at + 1 }));
      const whole = prepareCounter(plan(changes))();
      for (const one of judged) whole.add(one);
      const starts = Array.from({ length: count }, () => prepareCounter(plan(changes)));
      const bounds = [...given.sort((one, other) => one - other), entries.length];
      const sum = prepareCounter(plan(changes))();
      for (const [at, end] of bounds.entries()) {
        const part = starts[at % count]!();
        for (const one of judged.slice(bounds[at - 1] ?? 0, end)) part.add(one);
        sum.merge(structuredClone(part.toJSON()));
      }
      expect(sampledStrata(sum.toJSON())).toEqual(sampledStrata(whole.toJSON()));
      expect(sum.toJSON().messages).toBe(whole.toJSON().messages);
    });
    fc.assert(property, { numRuns: runs(100) });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DayCount, RuleDayCounts } from '../../../src/audit/count/audit-summary.js';
import { createRuleDays, periodChange } from '../../../src/audit/count/rule-days.js';
import { createSummary } from '../../../src/audit/count/summary.js';
import { decision, hit, word } from '../decisions.js';
import { anySplit, countBothWays } from './parts.js';

const msOfDay = 86_400_000;
const dayAfter = (first: string, days: number) =>
  new Date(Date.parse(first) + days * msOfDay).toISOString().slice(0, 10);

describe('stopped messages by rule and day', () => {
  it('of parts in any order are those of the whole, also where they are too many', () => {
    const anyEntry = fc.tuple(fc.subarray(['a', 'b', 'c']), fc.nat(4));
    const create = (most: number) => () => {
      const counts = createRuleDays(most);
      return {
        ...counts,
        add: ([ids, day]: [string[], number]) => counts.add(ids, dayAfter('2026-03-01', day)),
      };
    };
    fc.assert(
      fc.property(anySplit(anyEntry, 30), fc.constantFrom(3, 100), (split, most) => {
        const { whole, merged } = countBothWays(split, create(most));
        expect(merged).toBe(whole);
        const pairs = split.entries.flatMap(([ids, day]) => ids.map((id) => `${id} ${dayAfter('2026-03-01', day)}`));
        const counts = JSON.parse(whole) as RuleDayCounts;
        const isTooMany = new Set(pairs).size > most;
        expect(counts.isTooMany).toBe(isTooMany);
        const found = counts.rows.map(({ ruleId, day, stopped }) => [`${ruleId} ${day}`, stopped]);
        const expected = [...new Set(pairs)].map((pair) => [pair, pairs.filter((other) => other === pair).length]);
        expect(new Map(found as [string, number][])).toEqual(
          new Map(isTooMany ? [] : (expected as [string, number][])),
        );
      }),
    );
  });

  it('of a summary are those of verdicts that rest on the rule, of messages of a day', () => {
    const blocked = { verdict: 'blockMessage', actions: ['blockMessage'] } as const;
    const matched = [hit('a', [word('x')]), hit('a', [word('y')]), { ...hit('b', [word('x')]), determining: false }];
    const summary = createSummary({ ruleDays: true });
    summary.add({ message: { sentAt: 86_400 }, decision: decision({ ...blocked, matched }) });
    summary.add({ message: { sentAt: 86_400 * 2 - 1 }, decision: decision({ ...blocked, matched }) });
    for (const message of ['text', {}, { sentAt: 1e12 }])
      summary.add({ message, decision: decision({ ...blocked, matched }) });
    summary.add({ message: { sentAt: 0 }, decision: decision({ matched }) });
    expect(summary.toJSON().ruleDays).toEqual({
      rows: [{ ruleId: 'a', day: '1970-01-02', stopped: 2 }],
      isTooMany: false,
    });
    expect(createSummary().toJSON()).not.toHaveProperty('ruleDays');
  });
});

describe('the change of the last days', () => {
  const dayOf = (day: string, messages: number, stopped: number): DayCount => ({
    ...{ day, messages, stopped, blocked: stopped, dropped: 0 },
  });
  const noRules = { rows: [], isTooMany: false };

  it('is none for one day and for none', () => {
    expect(periodChange({ days: [] })).toBeUndefined();
    expect(periodChange({ days: [dayOf('2026-03-01', 5, 1)] })).toBeUndefined();
  });

  it('of three days leaves the first out', () => {
    const days = [1, 2, 3].map((day) => dayOf(`2026-03-0${day}`, day, 1));
    expect(periodChange({ days, ruleDays: noRules })).toMatchObject({
      length: 1,
      before: { first: '2026-03-02', last: '2026-03-02', messages: 2 },
      after: { first: '2026-03-03', last: '2026-03-03', messages: 3 },
    });
  });

  it('names no rules where they were not counted, or too many', () => {
    const days = [dayOf('2026-03-01', 1, 1), dayOf('2026-03-02', 1, 1)];
    expect(periodChange({ days })?.rules).toBeUndefined();
    expect(periodChange({ days, ruleDays: { rows: [], isTooMany: true } })?.rules).toBeUndefined();
  });

  it('is that of counting each day by itself, for any days, with gaps', () => {
    const anyDay = fc.record({ at: fc.nat(40), messages: fc.nat(9), stopped: fc.nat(9) });
    const anyRow = fc.record({
      ruleId: fc.constantFrom('a', 'b', 'c'),
      at: fc.nat(40),
      stopped: fc.integer({ min: 1, max: 9 }),
    });
    const unique = { selector: ({ at }: { readonly at: number }) => at, minLength: 2 };
    fc.assert(
      fc.property(fc.uniqueArray(anyDay, unique), fc.array(anyRow), (someDays, someRows) => {
        const sorted = [...someDays].sort((left, right) => left.at - right.at);
        const days = sorted.map(({ at, messages, stopped }) => dayOf(dayAfter('2026-02-10', at), messages, stopped));
        const [start, end] = [sorted[0]!.at, sorted.at(-1)!.at];
        const known = someRows.filter(({ at }) => sorted.some((day) => day.at === at));
        const rows = known.map(({ at, ...row }) => ({ ...row, day: dayAfter('2026-02-10', at) }));
        const change = periodChange({ days, ruleDays: { rows, isTooMany: false } })!;
        const length = end - start + 1 >= 14 ? 7 : Math.floor((end - start + 1) / 2);
        expect(change.length).toBe(length);
        const sum = (ats: readonly number[], name: 'messages' | 'stopped') =>
          sorted.filter(({ at }) => ats.includes(at)).reduce((total, row) => total + row[name], 0);
        const after = Array.from({ length }, (_, index) => end - index);
        const before = after.map((at) => at - length);
        for (const [period, ats] of [
          [change.after, after],
          [change.before, before],
        ] as const) {
          expect(period).toEqual({
            first: dayAfter('2026-02-10', ats.at(-1)!),
            last: dayAfter('2026-02-10', ats[0]!),
            messages: sum(ats, 'messages'),
            stopped: sum(ats, 'stopped'),
          });
        }
        const byRule = (ruleId: string, ats: readonly number[]) =>
          known
            .filter((row) => row.ruleId === ruleId && ats.includes(row.at))
            .reduce((total, row) => total + row.stopped, 0);
        const expected = ['a', 'b', 'c']
          .map((ruleId) => ({ ruleId, before: byRule(ruleId, before), after: byRule(ruleId, after) }))
          .filter((row) => row.before !== row.after);
        expect([...change.rules!].sort((left, right) => (left.ruleId < right.ruleId ? -1 : 1))).toEqual(expected);
        const changes = change.rules!.map((row) => Math.abs(row.after - row.before));
        expect(changes).toEqual([...changes].sort((left, right) => right - left));
      }),
    );
  });
});

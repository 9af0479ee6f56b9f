import { describe, expect, it } from 'vitest';
import { createEngine, type Rule } from '../../src/index.js';
import { blocking } from './engines.js';

/** A pattern with a text that it matches, if it is taken at all. */
type Sample = readonly [pattern: string, text: string];
const many = (count: number, make: (at: number) => Sample) => Array.from({ length: count }, (_, at) => make(at));

const good = many(100, (at) => [`good${at}:[a-z]+@x`, `see good${at}:abc@x there`]);
const heavy: Readonly<Record<string, readonly Sample[]>> = {
  'letters of all scripts, many times': many(120, (at) => [`\\p{L}{1,3}x${at}`, `жжжx${at}`]),
  'a thousand of anything, many times': many(15, (at) => [`y${at}.{1,1000}x`, `y${at}..x`]),
  'a thousand repeats of a thousand': many(5, (at) => [`(?:(?:z${at}){30}){30}`, `z${at}`.repeat(900)]),
  'groups a hundred deep': many(10, (at) => [`${'('.repeat(100)}deep${at}${')'.repeat(100)}`, `deep${at}`]),
  'groups 100,000 deep': many(2, (at) => [`${'('.repeat(100_000)}deeper${at}${')'.repeat(100_000)}`, `deeper${at}`]),
  'patterns that are none': many(800, (at) => [`(broken${at}`, `(broken${at}`]),
  'what RE2 does not have': many(200, (at) => [`(?=a)ahead${at}`, `ahead${at}`]),
  'long alternatives': many(5, (at) => [
    many(500, (n) => [`alt${at}n${n}`, ''])
      .map(([one]) => one)
      .join('|'),
    `alt${at}n7`,
  ]),
};

describe('P6: heavy or broken rules cannot take others down', () => {
  it.each(Object.entries(heavy))('%s', (_, bad) => {
    const rules: Rule[] = [...bad, ...good].map(([pattern], at) => blocking(`rule-${at}`, [pattern], 'pattern'));
    const engine = createEngine({ rules, lists: [] });
    const rejected = new Set(engine.issues.map(({ ruleId }) => ruleId));
    for (const { code } of engine.issues) expect(code).toBe('rejected-pattern');
    for (const [, text] of good) expect(engine.decide(text)).toBe('blockMessage');
    const matching = (text: string) => engine.explain(text).matched.map(({ ruleId }) => ruleId);
    // Served or rejected, by name: nothing is lost in between.
    bad.slice(0, 60).forEach(([, text], at) => {
      expect([`rule-${at}`, matching(text).includes(`rule-${at}`)]).toEqual([
        `rule-${at}`,
        !rejected.has(`rule-${at}`),
      ]);
    });
    good.slice(0, 20).forEach(([, text], at) => {
      expect(matching(text)).toContain(`rule-${bad.length + at}`);
    });
    expect(rejected.size).toBe(engine.issues.length);
    expect([...rejected].filter((id) => Number(id!.slice(5)) >= bad.length)).toEqual([]);
    engine.close();
  });
});

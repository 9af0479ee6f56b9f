/**
 * Work in proportion to the text, counted in steps and not in time: of `decide` and of `explain`,
 * for rule sets and texts made to take more. Occurrences that a message has beyond its budget may
 * be missing; nothing that the verdict rests on is.
 */
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compileRuleSet } from '../../src/engine/compile/compile-rule-set.js';
import { createEvaluator, type Evaluator } from '../../src/engine/evaluate/evaluator.js';
import { resolveSemantics } from '../../src/engine/semantics.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import type { Condition, Rule, Semantics } from '../../src/index.js';
import { wordReadings } from '../support/readings.js';
import { isFull, runs, sampled } from '../support/runs.js';
import {
  admins,
  blocking,
  hostileRules,
  lists,
  nested,
  ofEachReading,
  patterns,
  repeated,
  words,
} from './hostile-rules.js';

const numRuns = runs(6, 600);
const KB = 1024;
/**
 * What the rule sets below take at the most: a microsecond or two for a unit. Without a budget some
 * take 20,000.
 */
const MOST_STEPS_OF_A_UNIT = 1000;

function evaluatorOf(rules: readonly Rule[], changes: Partial<Semantics> = {}): Evaluator {
  const semantics = resolveSemantics(changes);
  return createEvaluator(
    runAtOnce(compileRuleSet({ rules, lists, missing: new Map() }, semantics)),
    semantics,
    'revision',
  );
}

/** Kilobytes of the texts; the larger belong to `SLUICE_FULL=1` and the soak run. */
const counted = isFull ? [2, 8, 32, 64] : [0.5, 2];

/**
 * Steps grow by no more than the text does from size to size, with some for what a message costs
 * itself.
 */
function expectProportional(evaluator: Evaluator, textOf: (size: number) => string, kilobytes = counted): void {
  for (const ask of [evaluator.decide, evaluator.explain]) {
    const steps = kilobytes.map((size) => {
      ask(textOf(size * KB), undefined);
      return evaluator.steps;
    });
    for (let at = 1; at < steps.length; at++) expect(steps[at]).toBeLessThanOrEqual(4 * steps[at - 1]! + 100_000);
    expect(steps.at(-1)).toBeLessThanOrEqual(MOST_STEPS_OF_A_UNIT * kilobytes.at(-1)! * KB);
  }
}

describe('work of a message', () => {
  it.each(hostileRules.filter((_, index) => isFull || index % 2 === 1))(
    'is in proportion to the text: %s',
    (_, rules, changes, textOf) => {
      expectProportional(evaluatorOf(rules, changes), textOf);
    },
  );

  it('is in proportion to the texts of custom data', () => {
    const conditions = Array.from(
      { length: 50 },
      (): Condition => ({ operand: 'custom', operator: 'equals', value: ['a', 'b'] }),
    );
    const evaluator = evaluatorOf([
      blocking(...conditions, { operand: 'custom', category: 'pattern', value: ['a', '[ab]', '^a?'] }),
    ]);
    const steps = [1000, 4000, 16_000].map((size) => {
      const decision = evaluator.explain(
        { category: 'custom', data: { customData: Array(size).fill('a') } },
        undefined,
      );
      expect(decision.matched[0]!.conditions).toHaveLength(51);
      return evaluator.steps;
    });
    for (let at = 1; at < steps.length; at++) expect(steps[at]).toBeLessThanOrEqual(4 * steps[at - 1]! + 200_000);
  });

  it('is in proportion to the text for patterns with optional tails, nested terms, exceptions and filters', () => {
    const letter = fc.constantFrom('a', 'b', 'ab', 'a ', '1', '\u0436', '.');
    const piece = fc.array(letter, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
    const tail = fc.constantFrom('.*', '[a-z ]+', '\\w*', '(?:a|b)*', '.{0,40}', '\\S+');
    const pattern = fc
      .tuple(fc.constantFrom('a', '\\w', '[ab]+?', '\\d', 'b?a'), tail, fc.constantFrom('q', '!', '7z'))
      .map(([head, middle, end]) => `${head}(?:${middle}${end})?`);
    const condition = fc.oneof(
      fc.array(pattern, { minLength: 1, maxLength: 3 }).map((value) => patterns(...value)),
      fc
        .tuple(piece, fc.integer({ min: 1, max: 120 }), fc.boolean())
        .map(([one, count, isWild]) => words(...(isWild ? ofEachReading(nested(count, one)) : nested(count, one)))),
    );
    const rule = fc.record({
      conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
      isFiltered: fc.boolean(),
    });
    const changes = fc.record({
      words: fc.constantFrom(...wordReadings),
      wildcards: fc.constantFrom('off' as const, 'asterisk' as const),
      conditions: fc.constantFrom('any' as const, 'all' as const),
      exceptions: fc.oneof(
        fc.constant([]),
        fc.array(piece, { maxLength: 2 }),
        fc.constant(nested(60, 'a')),
        fc.array(pattern, { minLength: 1, maxLength: 2 }).map((sources) => [{ patterns: sources }]),
        fc.constant([{ terms: nested(30, 'a'), patterns: ['[ab]+'], for: { rules: ['r0'] } }, { patterns: ['a'] }]),
      ),
    });
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), changes, piece, (drafts, semantics, unit) => {
        const rules = drafts.map(
          ({ conditions, isFiltered }, at): Rule => ({
            id: `r${at}`,
            action: at === 0 ? 'blockMessage' : 'dropMessage',
            conditions,
            ...(isFiltered && { filters: admins }),
          }),
        );
        expectProportional(evaluatorOf(rules, semantics), repeated(unit));
      }),
      { numRuns },
    );
  });
});

describe('message that exceeds its work budget', () => {
  it.each(sampled(hostileRules, 4))(
    'explain: has the verdict of `decide`, and a match of every condition that holds: %s',
    (_, rules, changes, textOf) => {
      const evaluator = evaluatorOf(rules, changes);
      const text = textOf((changes.folding === 'hardened' ? 4 : 16) * KB);
      const decision = evaluator.explain(text, undefined);
      expect(evaluator.decide(text, undefined)).toBe(decision.verdict);
      for (const { conditions } of decision.matched) {
        for (const { matches } of conditions) {
          expect(matches.length).toBeGreaterThan(0);
          for (const match of matches) {
            if (match.kind !== 'score') expect(match.text).toBe(text.slice(match.span.start, match.span.end));
          }
        }
      }
    },
  );

  it('explain: reports the first matches of a pattern, and `truncated`', () => {
    const source = 'a(?:.*b)?';
    const { matched, truncated } = evaluatorOf([blocking(patterns(source))]).explain('a'.repeat(16 * KB), undefined);
    const spans = matched[0]!.conditions[0]!.matches.map((match) => match.kind === 'pattern' && match.span);
    expect(truncated).toBe(true);
    expect(spans.length).toBeGreaterThan(10);
    const matcher = RE2JS.compile(source).matcher('a'.repeat(spans.length));
    const first = spans.map(() => matcher.find() && { start: matcher.start(), end: matcher.end() });
    expect(spans).toEqual(first);
  });

  it('explain: reports every term that occurs', () => {
    const terms = nested(30, 'a');
    const rules = terms.map((term, at): Rule => ({ id: `r${at}`, action: 'blockMessage', conditions: [words(term)] }));
    const text = `${'a'.repeat(29)} ${'a'.repeat(25)} `.repeat(1200) + 'a'.repeat(30);
    const { matched, truncated } = evaluatorOf(rules, { words: 'substring' }).explain(text, undefined);
    expect(truncated).toBe(true);
    expect(matched.map(({ ruleId }) => ruleId)).toEqual(rules.map(({ id }) => id));
  });

  it('explain: reports each term once when the automaton of the patterns stalled', () => {
    const random = fc.sample(fc.constantFrom('a', 'b'), { numRuns: 40_000, seed: 7 }).join('');
    const rules = [blocking(words('zz'), patterns('a[ab]{40}c', 'b[ab]{45}d'))];
    const { matched } = evaluatorOf(rules).explain(`zz ${random} zz`, undefined);
    expect(matched[0]!.conditions[0]!.matches).toHaveLength(2);
  });

  it('does not include messages of ordinary length full of matches', () => {
    const rules = [blocking(words('darn', 'heck', 'oh darn', 'oh')), blocking(patterns('\\w+', '[a-z]+ [a-z]+'))];
    const { truncated } = evaluatorOf(rules).explain('oh darn, oh heck! '.repeat(10), undefined);
    expect(truncated).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Condition, createEngine, type Message, type TestCase, testRules, type Verdict } from '../../src/index.js';
import { anyReadings, anyRuleSet } from '../support/arbitrary.js';
import { anyMedia, anyMessage } from '../support/arbitrary-message.js';
import { judge, type OracleAnswer } from '../support/oracle.js';
import { patternFinder, wordFinder } from '../support/oracle-text.js';
import { defaultReadings, foldingOf, type Readings, termsOf, type World } from '../support/oracle-world.js';
import { runs } from '../support/runs.js';
import { simpleFold } from '../support/simple-fold.js';

/**
 * Cases made of the answers of the naive oracle pass; with one field changed they fail for that
 * field alone.
 */

const asked = fc.array(fc.tuple(anyMessage, anyMedia), { minLength: 1, maxLength: 6 });
const verdicts: readonly Verdict[] = ['allow', 'blockMessage', 'dropMessage'];

interface Term {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly term: string;
  /** The list, or '' for a term of the condition itself. */
  readonly from: string;
  readonly isPattern: boolean;
}

/**
 * The terms and patterns of the rules that run, of conditions that can be compiled; those that are
 * rejected are none.
 */
function allTerms({ rules, ...world }: World): Term[] {
  const { runs: which } = world.readings;
  const running = rules.filter(
    ({ enabled, active }) => which === 'all' || (enabled !== false && (which === 'enabled' || active !== false)),
  );
  return running.flatMap((rule) =>
    rule.conditions.filter(isKnown).flatMap((condition) => {
      const isPattern = condition.category === 'pattern';
      const finderOf = isPattern ? patternFinder : wordFinder;
      const { operator = 'contains' } = condition;
      return termsOf(condition, rule.id, { rules, ...world })
        .terms.filter(({ term, from }) => finderOf(term, operator, world.readings, from) !== undefined)
        .map(({ term, from }) => ({ ruleId: rule.id, conditionId: condition.id ?? 0, term, from, isPattern }));
    }),
  );
}

function isKnown({ entity = 'message', operand = '', operator = 'contains', category = 'word' }: Condition): boolean {
  const isText = operand === 'text' || operand === 'custom';
  return isText && entity === 'message' && /^(contains|equals)$/.test(operator) && /^(word|pattern)$/.test(category);
}

/** Whether an answer of the oracle has a match of a term. */
function hasMatch({ matched }: OracleAnswer, { ruleId, conditionId, term, from }: Term): boolean {
  const end = new RegExp(` \\d+ \\d+ ${`${term} ${from}`.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`, 's');
  return (matched[ruleId]?.[conditionId] ?? []).some((match) => end.test(match));
}

/** The key by which a list or condition has a term once. */
function keyOf({ ruleId, conditionId, term, from, isPattern }: Term, readings: Readings): string {
  const written = isPattern || foldingOf(readings, from) === 'exact' ? term : simpleFold(term);
  return JSON.stringify([from === '' ? [ruleId, conditionId] : from, isPattern, written]);
}

describe('testRules with random rules and messages', () => {
  it('passes cases that the oracle makes, fails each changed field for itself, and covers what the oracle matched', async () => {
    await fc.assert(
      fc.asyncProperty(anyRuleSet, asked, anyReadings, async (ruleSet, messages, changes) => {
        const readings = { ...defaultReadings, ...changes };
        const worlds = messages.map(([message, media]): World => ({ ...ruleSet, message, media, readings }));
        const answers = worlds.map((world) => judge(world));
        const ids = ruleSet.rules.map(({ id }) => id);
        const cases = worlds.map((world, index): TestCase => {
          const { verdict, matched } = answers[index]!;
          const terms = allTerms(world).filter((term) => hasMatch(answers[index]!, term));
          return {
            name: `case ${index}`,
            message: world.message as Message,
            media: world.media,
            verdict,
            rules: Object.keys(matched),
            terms: terms.map(({ term }) => term),
            not: ids.filter((id) => !Object.hasOwn(matched, id) && !isOpen(answers[index]!, id)),
          };
        });
        const options = { rules: ruleSet, semantics: changes };
        const report = await testRules(cases, { ...options, coverage: true });
        expect(report.failures.map(({ differences }) => differences)).toEqual([]);
        const engine = createEngine(ruleSet, changes);
        const errors = engine.issues.filter(({ severity }) => severity === 'error');
        expect(report.errors).toEqual(errors);
        expect([report.ok, report.passed, report.cases]).toEqual([errors.length === 0, cases.length, cases.length]);

        for (const testCase of cases) {
          const open = ids.find((id) => isOpen(answers[cases.indexOf(testCase)]!, id));
          for (const { changed, field } of changesOf(testCase, open)) {
            const [failure] = (await testRules([changed], { ...options, engine })).failures;
            expect(failure?.differences.map((difference) => difference.field)).toEqual([field]);
          }
        }

        const all = allTerms(worlds[0]!);
        const keys = new Set(all.map((term) => keyOf(term, readings)));
        const covered = new Set(
          all.filter((term) => answers.some((answer) => hasMatch(answer, term))).map((term) => keyOf(term, readings)),
        );
        const { rules, conditions, terms } = report.coverage!;
        expect([terms.covered, terms.total]).toEqual([covered.size, keys.size]);
        const matchedRules = new Set(answers.flatMap(({ matched }) => Object.keys(matched)));
        const matchedConditions = new Set(
          answers.flatMap(({ matched }) =>
            Object.entries(matched).flatMap(([id, found]) => Object.keys(found).map((each) => `${id}#${each}`)),
          ),
        );
        expect([rules.covered, conditions.covered]).toEqual([matchedRules.size, matchedConditions.size]);
        expect(rules.uncovered.filter((id) => matchedRules.has(id))).toEqual([]);
        expect(
          conditions.uncovered.filter((each) => matchedConditions.has(`${each.ruleId}#${each.conditionId}`)),
        ).toEqual([]);
      }),
      { numRuns: runs(6, 1_000) },
    );
  });
});

/** Whether the oracle could not evaluate a condition of the rule, which did not match. */
function isOpen({ unevaluated }: OracleAnswer, ruleId: string): boolean {
  return unevaluated.some((entry) => entry.startsWith(`${ruleId}#`));
}

/**
 * A case with one field changed so that it must fail, for each field that can be. `open`: a rule
 * that could not be evaluated.
 */
function changesOf(
  testCase: TestCase,
  open: string | undefined,
): { readonly changed: TestCase; readonly field: string }[] {
  const { verdict, rules = [], terms = [], not = [] } = testCase;
  const [other] = not;
  const [matched] = rules;
  return [
    ...verdicts
      .filter((candidate) => candidate !== verdict)
      .map((changed) => ({ changed: { ...testCase, verdict: changed }, field: 'verdict' })),
    { changed: { ...testCase, terms: [...terms, 'no such term'] }, field: 'terms' },
    ...(other === undefined ? [] : [{ changed: { ...testCase, rules: [...rules, other] }, field: 'rules' }]),
    ...(matched === undefined ? [] : [{ changed: { ...testCase, not: [...not, matched] }, field: 'not' }]),
    ...(open === undefined ? [] : [{ changed: { ...testCase, not: [...not, open] }, field: 'not' }]),
  ];
}

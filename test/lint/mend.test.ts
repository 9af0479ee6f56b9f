import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveSemantics } from '../../src/engine/semantics.js';
import { createEngine, type RuleSet } from '../../src/index.js';
import { mendRuleSet } from '../../src/review/lint/mend.js';
import { anyReadings, anyRuleSet } from '../support/arbitrary.js';
import { anyMedia, anyMessage } from '../support/arbitrary-message.js';
import { runs } from '../support/runs.js';

const whole = (parts: Pick<RuleSet, 'rules' | 'lists'> & Partial<RuleSet>): RuleSet => ({
  missing: [],
  truncated: false,
  revision: 'before',
  ...parts,
});
const text = (value: readonly string[], more = {}) => ({ id: 1, operand: 'text', value, ...more });
const listed = { isKeywordsReferencePresent: true };

/** A random rule set with faults planted: repetitions, blanks, quotes of cells, and a list that nothing names. */
const anyFaulty = fc
  .tuple(anyRuleSet, fc.boolean(), fc.array(fc.nat({ max: 7 }), { minLength: 3, maxLength: 3 }))
  .map(([ruleSet, isCsv, faults]) => {
    const planted = (terms: readonly string[]) =>
      terms.flatMap((term, at) =>
        typeof term !== 'string'
          ? [term]
          : [
              [term],
              [term, term],
              [` ${term}`],
              [`"${term}"`],
              [`""${term}""`],
              [term, ` ${term} `],
              [`"" ${term}`],
              ['""'],
            ][faults[at % 3]!]!,
      );
    const lists = ruleSet.lists.map((list, at) => ({
      ...list,
      ...(isCsv && at % 2 === 0 && { isCSV: true }),
      searchTerms: planted(list.searchTerms),
    }));
    const rules = ruleSet.rules.map((rule) => ({
      ...rule,
      conditions: rule.conditions.map((condition) =>
        Array.isArray(condition.value) ? { ...condition, value: planted(condition.value) } : condition,
      ),
    }));
    return whole({ ...ruleSet, rules, lists: [...lists, { id: 'unused', searchTerms: ['kill'] }] });
  });

describe('mendRuleSet', () => {
  it('takes out repetitions, blanks, quotes of cells and unused lists, and says where', () => {
    const ruleSet = whole({
      rules: [
        {
          id: 'listed',
          action: ['blockMessage'],
          conditions: [text(['cells', 'plain'], listed), text(['patterns'], { ...listed, category: 'pattern' })],
        },
        {
          id: 'inline',
          action: ['blockMessage'],
          conditions: [text(['now', ' now', 'then ', 'now']), text([' a', 'a', 'a'], { id: 2, category: 'pattern' })],
        },
        { id: 'meant', action: ['blockMessage'], conditions: [text(['unflagged'])] },
      ],
      lists: [
        { id: 'cells', isCSV: true, searchTerms: ['"a ""b"""', ' c ', '""', '"a ""b"""', 'c'] },
        { id: 'plain', searchTerms: ['"quoted"', 'x ', '', 'x'] },
        { id: 'patterns', searchTerms: ['x ', 'x', 'x'] },
        { id: 'unflagged', searchTerms: ['y'] },
        { id: 'unused', searchTerms: ['z'] },
        { id: 'excepting', searchTerms: ['z'] },
      ],
      comments: { plain: { owner: 'us', terms: { 'x ': 'ticket 7' } }, unused: { owner: 'them' } },
    });
    const semantics = resolveSemantics({ exceptions: [{ lists: ['excepting'] }] });
    const { ruleSet: mended, mends } = mendRuleSet(ruleSet, semantics);
    expect(mended.lists.map(({ id, searchTerms }) => [id, searchTerms])).toEqual([
      ['cells', ['a "b"', 'c', '""']],
      ['plain', ['"quoted"', 'x', '']],
      ['patterns', ['x ', 'x']],
      ['unflagged', ['y']],
      ['excepting', ['z']],
    ]);
    expect(mended.rules[1]!.conditions.map(({ value }) => value)).toEqual([
      ['now', 'then'],
      [' a', 'a'],
    ]);
    expect(mended.comments).toEqual({ plain: { owner: 'us', terms: { x: 'ticket 7' } } });
    expect(mended.revision).not.toBe(ruleSet.revision);
    expect(mends.filter(({ listId }) => listId === 'cells')).toEqual([
      { listId: 'cells', index: 0, why: 'CSV quotes', before: '"a ""b"""', after: 'a "b"' },
      { listId: 'cells', index: 1, why: 'blanks at an end', before: ' c ', after: 'c' },
      { listId: 'cells', index: 3, why: 'repetition', before: '"a ""b"""' },
      { listId: 'cells', index: 4, why: 'repetition', before: 'c' },
    ]);
    expect(mends.at(-1)).toEqual({ listId: 'unused', why: 'unused list' });
    expect(mendRuleSet(ruleSet, semantics, [{ id: 'unused-list', listId: 'unused' }]).ruleSet.lists).toHaveLength(6);
    expect(mendRuleSet(mended, semantics)).toEqual({ ruleSet: mended, mends: [] });
  });

  it('changes no verdict, and nothing twice', () => {
    let mendedOnes = 0;
    fc.assert(
      fc.property(
        anyFaulty,
        anyReadings,
        fc.array(anyMessage, { minLength: 3, maxLength: 8 }),
        anyMedia,
        (ruleSet, readings, messages, media) => {
          const semantics = resolveSemantics(readings);
          const { ruleSet: mended, mends } = mendRuleSet(ruleSet, semantics);
          mendedOnes += Number(mends.some(({ why }) => why !== 'unused list'));
          const [before, after] = [createEngine(ruleSet, readings), createEngine(mended, readings)];
          for (const message of messages) {
            expect(after.decide(message, media)).toBe(before.decide(message, media));
            const [was, is] = [before.explain(message, media), after.explain(message, media)];
            expect(is.matched.map(({ ruleId, determining }) => [ruleId, determining])).toEqual(
              was.matched.map(({ ruleId, determining }) => [ruleId, determining]),
            );
            expect(is.unevaluated.map(({ ruleId, conditionId }) => [ruleId, conditionId])).toEqual(
              was.unevaluated.map(({ ruleId, conditionId }) => [ruleId, conditionId]),
            );
          }
          expect(mendRuleSet(mended, semantics).mends).toEqual([]);
        },
      ),
      { numRuns: runs(50) },
    );
    expect(mendedOnes).toBeGreaterThan(runs(10));
  });
});

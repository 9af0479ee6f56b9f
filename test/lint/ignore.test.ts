import { describe, expect, it } from 'vitest';
import { createEngine, lintRuleSet, type RuleSetInput } from '../../src/index.js';

const ruleSet: RuleSetInput = {
  rules: [
    {
      id: 'words',
      action: ['blockMessage'],
      conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: ['list'] }],
    },
  ],
  lists: [{ id: 'list', searchTerms: ['kill', 'jerk', 'cock', ' spaced '] }],
};
const lint = async (given: RuleSetInput, ignore?: readonly object[]) => {
  const { findings, counts } = await lintRuleSet(given, { ignore: ignore as never });
  expect(counts.warning).toBe(findings.filter(({ severity }) => severity === 'warning').length);
  return findings.map(({ id, term, listId }) => [id, term ?? listId]);
};
const all = [
  ['trimmed-term', ' spaced '],
  ['everyday-term', 'kill'],
  ['everyday-term', 'jerk'],
  ['everyday-term', 'cock'],
];

describe('ignored findings', () => {
  it('are left out by id, and by each place that an entry names', async () => {
    expect(await lint(ruleSet)).toEqual(all);
    expect(await lint(ruleSet, [{ id: 'everyday-term' }])).toEqual(all.slice(0, 1));
    const why = { why: 'what the list is for' };
    expect(await lint(ruleSet, [{ id: 'everyday-term', listId: 'list', term: 'jerk', ...why }])).toEqual(
      all.toSpliced(2, 1),
    );
    expect(
      await lint(ruleSet, [
        { id: 'everyday-term', index: 0 },
        { id: 'trimmed-term', listId: 'list' },
      ]),
    ).toEqual(all.slice(2));
  });

  it('are named by the rule set too, which is the same rule set then', async () => {
    const ignore = [{ id: 'everyday-term', term: 'kill' }];
    for (const lintOf of [{ ignore }, ignore]) {
      const own = { ...ruleSet, lint: lintOf };
      expect(await lint(own)).toEqual(all.toSpliced(1, 1));
      expect(await lint(own, [{ id: 'trimmed-term' }])).toEqual(all.slice(2));
      expect(createEngine(own).revision).toBe(createEngine(ruleSet).revision);
    }
  });

  it('may be absent, since the same call serves many rule sets, and rules change', async () => {
    expect(await lint({ ...ruleSet, lint: [{ id: 'everyday-term', term: 'heck' }] })).toEqual(all);
    expect(await lint(ruleSet, [{ id: 'covered' }, { id: 'everyday-term', term: 'heck' }])).toEqual(all);
  });

  it.each([
    ['coverd', 'no finding has the id `coverd`; did you mean `covered`?'],
    ['mising-list', 'no finding has the id `mising-list`; did you mean `missing-list`?'],
    ['zzz', 'no finding has the id `zzz`; docs/lint.md lists them'],
  ])('that are named by an id that no finding has are refused: %s', async (id, message) => {
    await expect(lintRuleSet(ruleSet, { ignore: [{ id: id as 'covered' }] })).rejects.toMatchObject({
      name: 'UsageError',
      message: `\`ignore\`: ${message}`,
    });
    await expect(lintRuleSet({ ...ruleSet, lint: { ignore: [{ id }] } })).rejects.toMatchObject({
      name: 'RuleSetError',
      message: `\`lint\` of the rule set: ${message}`,
    });
  });

  it('are refused where they are not a list of entries, with the entry', async () => {
    for (const [given, message] of [
      [[{}], '`ignore`: entry 1 has no `id` of findings'],
      [
        [{ id: 'covered' }, { id: 'covered', list: 'x' }],
        '`ignore`: entry 2: there is no `list`; a place is ruleId, conditionId, listId, index, term, pattern',
      ],
      [{}, '`ignore`: must be an array of entries such as { "id": "covered", "listId": "spam" }'],
    ] as const) {
      await expect(lintRuleSet(ruleSet, { ignore: given as never })).rejects.toMatchObject({
        name: 'UsageError',
        message,
      });
    }
    const rejected = lintRuleSet({ ...ruleSet, lint: { ignore: [null] } });
    await expect(rejected).rejects.toMatchObject({
      name: 'RuleSetError',
      message: '`lint` of the rule set: entry 1 has no `id` of findings',
    });
  });
});

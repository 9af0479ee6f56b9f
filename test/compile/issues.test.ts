import { describe, expect, it } from 'vitest';
import { createEngine, type Rule, RuleSetError } from '../../src/index.js';

const condition = (fields: object) => ({
  ...{ id: 1, operand: 'text', category: 'word', operator: 'contains', value: ['x'] },
  ...fields,
});
const rule = (fields: object, ...conditions: object[]): Rule =>
  ({ id: 'r', action: ['blockMessage'], conditions, ...fields }) as unknown as Rule;
const words = (id: string, ...searchTerms: unknown[]) => ({ id, searchTerms: searchTerms as string[] });

/** Codes with their places, without the words. */
function issuesOf(rules: unknown, lists: unknown = []) {
  return createEngine({ rules, lists } as never).issues.map(({ detail, ...rest }) => {
    expect(detail).toMatch(/^[^\n]+[^.\n]$/);
    return rest;
  });
}

const error = (code: string, fields: object = {}) => ({
  ...{ code, severity: 'error', ruleId: 'r', conditionId: 1 },
  ...fields,
});
const warning = (code: string, fields: object = {}) => ({ ...error(code, fields), severity: 'warning' });

describe('issues of a rule set', () => {
  it.each([
    [
      'a missing list',
      { isKeywordsReferencePresent: true, value: ['gone'] },
      [error('missing-list', { listId: 'gone', index: 0 })],
    ],
    ['a rejected pattern', { category: 'pattern', value: ['ok', '(?=x)'] }, [error('rejected-pattern', { index: 1 })]],
    [
      'a malformed threshold',
      { operand: 'image', value: 'violence_greaterThan_lots' },
      [error('malformed-threshold', { index: 0 })],
    ],
    ['an unknown operand', { operand: 'sticker' }, [error('unknown-operand')]],
    ['an unknown operator', { operator: 'startsWith' }, [error('unknown-operator')]],
    [
      '`equals` for scores',
      { operand: 'video', operator: 'equals', value: ['a_greaterThan_3'] },
      [error('unknown-operator')],
    ],
    [
      'a category of live platforms, which is not a mistake',
      { category: 'openai-prompt', value: ['hate'] },
      [warning('unknown-category')],
    ],
    ['a score of a text', { category: 'toxicity', value: ['toxicity_greaterThan_70'] }, []],
    [
      'a score of a text that no number exceeds',
      { category: 'toxicity', value: ['toxicity_greaterThan_70', 'insult_greaterThan_100'] },
      [error('malformed-threshold', { index: 1 })],
    ],
    [
      'a value beside thresholds',
      { category: 'toxicity', value: ['toxicity_greaterThan_70', 'insult'] },
      [warning('unknown-category')],
    ],
    ['a misspelt category', { category: 'wrod' }, [error('malformed-condition')]],
    ['a flag that is a text', { isListReferencePresent: 'yes' }, [error('malformed-condition')]],
    [
      'a number that no score exceeds',
      { operand: 'image', value: ['a_greaterThan_30', 'a_greaterThan_100'] },
      [error('malformed-threshold', { index: 1 })],
    ],
    [
      'a number that is part of one',
      { operand: 'video', value: ['a_greaterThan_30', 'b_greaterThan_0.35'] },
      [warning('low-threshold', { index: 1 })],
    ],
    ['a field that is nearly one', { catgory: 'word' }, [warning('unknown-field')]],
    ['an unknown entity', { entity: 'profile' }, [error('unknown-entity')]],
    ['no value', { value: [] }, [error('empty-value')]],
    ['a value that is not a string', { value: ['a', 5] }, [error('malformed-condition', { index: 1 })]],
    ['an empty term', { value: ['a', ' '] }, [warning('empty-term', { index: 1 })]],
  ])('%s', (_, fields, expected) => {
    expect(issuesOf([rule({}, condition(fields))])).toEqual(expected);
  });

  it('locates malformed lists and terms', () => {
    const named = rule({}, condition({ isKeywordsReferencePresent: true, value: ['a'] }));
    expect(issuesOf([named], [words('a', 'x', 3, ''), { id: 'b' }, 7, words('a', 'y')])).toEqual([
      { code: 'malformed-list', severity: 'error', listId: 'a', index: 1 },
      { code: 'empty-term', severity: 'warning', listId: 'a', index: 2 },
      { code: 'malformed-list', severity: 'error', listId: 'b' },
      { code: 'malformed-list', severity: 'error', index: 2 },
      { code: 'duplicate-list', severity: 'warning', listId: 'a' },
    ]);
  });

  it('locates malformed rules, filters and actions', () => {
    expect(
      issuesOf([
        3,
        { id: 'r', conditions: 'x', action: 'blockMessage' },
        rule(
          { filters: [{ entity: 'user', type: 'sender', operand: 'shoe', operator: 'equals', value: 'x' }] },
          condition({}),
        ),
        rule({ id: 'q', action: ['sing'] }, condition({})),
        rule({ id: 'p', action: [] }, 'nothing' as never),
      ]),
    ).toEqual([
      { code: 'malformed-rule', severity: 'error', index: 0 },
      { code: 'malformed-rule', severity: 'error', ruleId: 'r' },
      { code: 'duplicate-rule', severity: 'warning', ruleId: 'r' },
      { code: 'malformed-filter', severity: 'error', ruleId: 'r', index: 0 },
      { code: 'unknown-action', severity: 'warning', ruleId: 'q' },
      { code: 'unknown-action', severity: 'warning', ruleId: 'p' },
      { code: 'malformed-condition', severity: 'error', ruleId: 'p', conditionId: 1 },
    ]);
  });

  it('says what to write instead', () => {
    const filter = (fields: object) => ({
      ...{ type: 'sender', entity: 'user', operand: 'role', operator: 'in', value: 'admin' },
      ...fields,
    });
    const details = (given: unknown, lists: unknown = []) =>
      createEngine({ rules: [given], lists } as never).issues.map(({ detail }) => detail);
    expect(details(rule({ fliters: [], enabled: 'false' }, condition({})))).toEqual([
      '`fliters` is not a field of a rule; did you mean `filters`?',
      '`enabled` must be true or false without quotes; it is the text `false`, and the rule runs',
    ]);
    expect(details(rule({ action: ['blokMessage', 7] }, condition({ category: 'patern' })))).toEqual([
      'action 2 is not a string',
      'action `blokMessage` is passed through; did you mean `blockMessage`?',
      'category `patern` is not known here; did you mean `pattern`?',
    ]);
    expect(details(rule({}, condition({ operator: 'equal' }), condition({ operand: 'Text' })))).toEqual([
      'operator `equal` is not known here; did you mean `equals`?',
      'operand `Text` cannot be evaluated here; did you mean `text`?',
    ]);
    const near = { txet: 'text', costum: 'custom', imgae: 'image', vidoe: 'video', audoi: 'audio', flie: 'file' };
    for (const [operand, known] of Object.entries(near)) {
      const words = `operand \`${operand}\` cannot be evaluated here; did you mean \`${known}\`?`;
      expect(details(rule({}, condition({ operand })))).toEqual([words]);
    }
    expect(
      details(
        rule({}, condition({ operand: 'image', value: ['violence_greaterThan_0.35', 'violence_greaterThan_350'] })),
      ),
    ).toEqual([
      '`violence_greaterThan_0.35` is nearly 0, since scores are from 0 to 100; did you mean `violence_greaterThan_35`?',
      '`violence_greaterThan_350` is exceeded by no score: scores are from 0 to 100, so the number must be below 100',
    ]);
    expect(details(rule({}), [{ id: 'l', searchTerms: [], words: 'substring', caseSensitive: true }])).toEqual([
      '`words` is not a field of a keyword list; set a reading of the semantics in its place, such as `words: { lists: { "l": \'substring\' } }`',
      '`caseSensitive` is not a field of a keyword list; set a reading of the semantics in its place, such as `words: { lists: { "l": { folding: \'exact\' } } }`',
      'has no conditions, so it never matches',
    ]);
    const filters = [
      filter({ operand: 'createdAt', operator: 'greaterThan', value: 'banana' }),
      filter({ value: '' }),
      filter({ operator: 'greaterThan' }),
      filter({ operand: 'roles' }),
      filter({ operator: 'NotIn' }),
      filter({ operator: 'near' }),
      filter({ operator: 'equals', value: 'admin,moderator' }),
    ];
    expect(details(rule({ filters }, condition({})))).toEqual([
      'compares `createdAt` with `banana`; write seconds since the epoch, a date such as `2026-01-31`, or a duration before the message such as `-7d`',
      'has an empty text in `value`, which no role is',
      'compares `role` by `greaterThan`, which compares times: use `createdAt`, or `in` with all values',
      'names no known property in `operand`; did you mean `role`?',
      'names no known comparison in `operator`; did you mean `notIn`?',
      'names no known comparison in `operator`; there are equals, not equals, notEquals, in, not in, notIn, startsWith, endsWith, lessThan, greaterThan',
      'compares `role` with `admin,moderator`, commas included; for several values, use `in`',
    ]);
  });

  it('has none for rules that do not run', () => {
    expect(
      issuesOf([
        rule({ enabled: false }, condition({ operand: 'sticker' })),
        rule({ active: false }, condition({ value: [] })),
      ]),
    ).toEqual([]);
  });

  it('evaluates the valid part of a condition, and reports the condition as unevaluated', () => {
    const half = rule({}, condition({ isKeywordsReferencePresent: true, value: ['gone', 'a'] }));
    const engine = createEngine({ rules: [half], lists: [words('a', 'kill')] });
    expect(engine.decide('kill')).toBe('blockMessage');
    expect(engine.explain('kill').unevaluated).toEqual([]);
    expect(engine.explain('fine').unevaluated).toMatchObject([{ ruleId: 'r', conditionId: 1, why: 'not-compiled' }]);
  });

  it('broken: "fail" throws, with the first error', () => {
    const rules = [rule({}, condition({ operand: 'sticker' })), rule({ id: 'q' }, condition({ value: [] }))];
    expect(() => createEngine({ rules, lists: [] }, { broken: 'fail' })).toThrow(RuleSetError);
    expect(() => createEngine({ rules, lists: [] }, { broken: 'fail' })).toThrow(
      /rule `r`: unknown-operand: .* and 1 more/,
    );
    expect(() =>
      createEngine({ rules: [rule({ action: ['sing'] }, condition({}))], lists: [] }, { broken: 'fail' }),
    ).not.toThrow();
  });

  it('broken: "fail" throws for a category that is not evaluated here, though it is a warning', () => {
    const rules = [rule({}, condition({ category: 'toxicity' }))];
    expect(() => createEngine({ rules, lists: [] }, { broken: 'fail' })).toThrow(/rule `r`: unknown-category: /);
  });

  it.each([[null], [5], ['x'], [[]], [{}], [{ rules: {} }], [{ rules: [], lists: 4 }]])(
    'rejects %j as a rule set',
    (value) => {
      expect(() => createEngine(value as never)).toThrow(RuleSetError);
    },
  );

  it('accepts an empty rule set', () => {
    const engine = createEngine({ rules: [], lists: [] });
    expect(engine.explain('anything')).toMatchObject({ verdict: 'allow', matched: [], unevaluated: [] });
  });
});

describe('issues that are alike', () => {
  const term = (index: number) => ({ code: 'malformed-list', severity: 'error', listId: 'l', index });

  it('are a thousand of one list, and one that says that there are more', () => {
    const found = issuesOf([], [words('l', ...Array(3000).fill(0)), words('m', 0)]);
    expect(found).toEqual([
      ...Array.from({ length: 1000 }, (_, index) => term(index)),
      { code: 'malformed-list', severity: 'error', listId: 'l' },
      { ...term(0), listId: 'm' },
    ]);
    expect(issuesOf([], [words('l', ...Array(1000).fill(0))])).toHaveLength(1000);
  });

  it('are a thousand rules without an id', () => {
    expect(issuesOf(Array(3000).fill(0))).toHaveLength(1001);
  });
});

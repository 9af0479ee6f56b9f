import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from '../../src/foundation/digest.js';
import { describeChange, type Rule, type RuleSetChange, type RuleSetInput } from '../../src/index.js';
import { anyRuleSet } from '../support/arbitrary.js';
import { runs } from '../support/runs.js';
import { anyMutation, type PlainRuleSet } from './mutations.js';

const rule = (changes: Partial<Rule> = {}): Rule => ({
  id: 'r',
  name: 'Rule',
  action: ['blockMessage'],
  conditions: [{ id: 1, operand: 'text', value: ['a', 'b'] }],
  ...changes,
});
const set = (rules: readonly unknown[], lists: readonly unknown[] = []) => ({ rules, lists }) as RuleSetInput;
const refers = rule({ conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: ['l'] }] });
const gore = (...value: string[]) => rule({ conditions: [{ id: 1, operand: 'image', value }] });
const ofRule = { ruleId: 'r', ruleName: 'Rule' };
const ofCondition = { ...ofRule, conditionId: 1 };
const ofList = { listId: 'l', ruleNames: ['Rule'] };

const cases: readonly [string, RuleSetInput, RuleSetInput, readonly RuleSetChange[]][] = [
  ['equal rule sets', set([rule()]), set([rule()]), []],
  ['an added rule', set([]), set([rule()]), [{ kind: 'rule-added', ...ofRule }]],
  ['a removed rule', set([rule()]), set([]), [{ kind: 'rule-removed', ...ofRule }]],
  ['a rule without an id', set([{ name: 'x' }]), set([]), [{ kind: 'rule-removed', ruleId: '', ruleName: 'x' }]],
  ['a disabled rule', set([rule()]), set([rule({ enabled: false })]), [{ kind: 'rule-disabled', ...ofRule }]],
  ['a rule made active', set([rule({ active: false })]), set([rule()]), [{ kind: 'rule-enabled', ...ofRule }]],
  [
    'a flag without effect',
    set([rule()]),
    set([rule({ enabled: true })]),
    [{ kind: 'field', ...ofRule, field: 'enabled', before: undefined, after: true }],
  ],
  [
    'a name',
    set([rule({ name: 'Old' })]),
    set([rule()]),
    [{ kind: 'field', ...ofRule, field: 'name', before: 'Old', after: 'Rule' }],
  ],
  [
    'an action',
    set([rule()]),
    set([rule({ action: 'dropMessage' })]),
    [{ kind: 'field', ...ofRule, field: 'action', before: ['blockMessage'], after: 'dropMessage' }],
  ],
  [
    'a filter',
    set([rule()]),
    set([rule({ filters: [] })]),
    [{ kind: 'field', ...ofRule, field: 'filters', before: undefined, after: [] }],
  ],
  [
    'terms of a condition',
    set([rule()]),
    set([rule({ conditions: [{ id: 1, operand: 'text', value: ['b', 'c'] }] })]),
    [{ kind: 'condition-values', what: 'term', ...ofCondition, added: ['c'], removed: ['a'] }],
  ],
  [
    'the order of terms',
    set([rule()]),
    set([rule({ conditions: [{ id: 1, operand: 'text', value: ['b', 'a'] }] })]),
    [{ kind: 'field', ...ofCondition, field: 'value' }],
  ],
  [
    'an operator',
    set([rule()]),
    set([rule({ conditions: [{ id: 1, operand: 'text', value: ['a', 'b'], operator: 'equals' }] })]),
    [{ kind: 'field', ...ofCondition, field: 'operator', before: undefined, after: 'equals' }],
  ],
  [
    'a second condition',
    set([rule()]),
    set([rule({ conditions: [...rule().conditions, { operand: 'custom', value: ['c'] }] })]),
    [{ kind: 'condition-added', ...ofRule, conditionId: 2 }],
  ],
  [
    'a moved threshold and a new one',
    set([gore('gore_greaterThan_30')]),
    set([gore('gore_greaterThan_60', 'blood_greaterThan_9')]),
    [
      {
        ...{ kind: 'condition-values', what: 'threshold', ...ofCondition },
        ...{ added: ['gore_greaterThan_60', 'blood_greaterThan_9'], removed: ['gore_greaterThan_30'] },
      },
    ],
  ],
  [
    'entries and revision of a list',
    set([refers], [{ id: 'l', searchTerms: ['a', 'b'], revisionId: '1' }]),
    set([refers], [{ id: 'l', searchTerms: ['b', 'c'], revisionId: '2' }]),
    [
      { kind: 'list-entries', ...ofList, added: ['c'], removed: ['a'] },
      { kind: 'field', ...ofList, field: 'revisionId', before: '1', after: '2' },
    ],
  ],
  [
    'the order of a list',
    set([refers], [{ id: 'l', searchTerms: ['a', 'b'] }]),
    set([refers], [{ id: 'l', searchTerms: ['b', 'a'] }]),
    [{ kind: 'field', ...ofList, field: 'searchTerms' }],
  ],
  [
    'an added and a removed list',
    set([refers], [{ id: 'm', searchTerms: [] }]),
    set([refers], [{ id: 'l', searchTerms: ['b', 'a'] }]),
    [
      { kind: 'list-removed', listId: 'm', ruleNames: [], entries: 0 },
      { kind: 'list-added', ...ofList, entries: 2 },
    ],
  ],
  [
    'the order of rules',
    set([rule(), { ...rule(), id: 's' }]),
    set([{ ...rule(), id: 's' }, rule()]),
    [{ kind: 'field', field: 'rules' }],
  ],
];

describe('describeChange', () => {
  it.each(cases)('reports %s', (_, against, rules, changes) => {
    expect(describeChange({ rules, against })).toEqual(changes);
  });

  it('reports readings, functions by identity', () => {
    const one = set([rule()]);
    const same = { rules: one, against: one };
    const runsAll = () => true;
    expect(describeChange({ ...same, semantics: { words: 'substring' }, againstSemantics: {} })).toEqual([
      { kind: 'reading', reading: 'words', before: 'word', after: 'substring' },
    ]);
    expect(describeChange({ ...same, semantics: { runs: runsAll } })).toEqual([]);
    expect(describeChange({ ...same, semantics: { runs: runsAll }, againstSemantics: { runs: () => true } })).toEqual([
      { kind: 'reading', reading: 'runs', before: 'function', after: 'function' },
    ]);
  });

  it('refuses sides that are none', () => {
    const rules = set([rule()]);
    expect(() => describeChange({ rules } as never)).toThrow(
      '`against` must be a rule set, an object { rules, lists }',
    );
    expect(() => describeChange(rules as never)).toThrow("`describeChange` has no option 'lists'");
  });

  it('is empty exactly for rule sets of one digest', () => {
    const noises: readonly ((ruleSet: PlainRuleSet) => PlainRuleSet)[] = [
      (ruleSet) => ruleSet,
      ({ rules, lists }) => ({ rules: [...rules].reverse(), lists }),
      ({ rules, lists }) => ({ rules, lists: [...lists].reverse() }),
      ({ rules, lists }) => ({ rules: rules.map((each) => ({ ...each, updatedAt: 1 })), lists }),
      ({ rules, lists }) => ({ rules: rules.map((each) => ({ ...each, note: null })), lists }),
      ({ rules, lists }) => ({ rules: [...rules, ...rules], lists }),
      ({ rules, lists }) => ({ rules: [...rules, null as unknown as Rule], lists }),
      ({ rules, lists }) => ({ rules, lists: lists.map((each) => ({ ...each, isCSV: true })) }),
      ({ rules, lists }) => ({
        rules: rules.map((each) => ({ ...each, conditions: [...each.conditions].reverse() })),
        lists,
      }),
    ];
    let equal = 0;
    fc.assert(
      fc.property(
        anyRuleSet,
        fc.array(anyMutation, { maxLength: 2 }),
        fc.constantFrom(...noises),
        (base, mutations, noise) => {
          const rules = noise(mutations.reduce((ruleSet: PlainRuleSet, mutate) => mutate(ruleSet), base));
          const isEqual = digest({ rules: base.rules, lists: base.lists }) === digest({ ...rules });
          equal += Number(isEqual);
          expect(describeChange({ rules, against: base }).length === 0).toBe(isEqual);
        },
      ),
      { numRuns: runs(150) },
    );
    expect(equal).toBeGreaterThan(0);
  });
});

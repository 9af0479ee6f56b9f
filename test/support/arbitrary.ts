/**
 * Random rule sets and readings: over few words, so that things match. About one part in fifteen is
 * broken, so that one rule in three is.
 */
import fc from 'fast-check';
import type { Condition, Exception, Filter, KeywordList, Rule } from '../../src/index.js';
import { oddWords, wildWords, words } from './arbitrary-message.js';
import type { Readings } from './oracle-world.js';
import { wordReadings } from './readings.js';

const anyWord = fc.constantFrom(...words, ...oddWords, ...wildWords);
const good = <T>(arbitrary: fc.Arbitrary<T>, broken: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary }, { weight: 1, arbitrary: broken });

/** Patterns that V8 and RE2 read alike; the broken ones both reject. */
const goodPatterns = ['\\d+', 'k[a-z]+l', '^kill', 'now$', '(?i)kill', 'a|1', '[@.]', '\\u0434', 'x{2,3}', '1*2', 'k*'];
const anyPattern = good(fc.constantFrom(...goodPatterns), fc.constantFrom('(?=k)', '(k)\\1', '(', '[', 'a**'));

const labels = ['violence', 'Any unsafe content', 'any_unsafe-CONTENT', 'alcohol', 'AnyOf', 'a_greaterThan_b'];
const goodThreshold = fc
  .tuple(fc.constantFrom(...labels), fc.constantFrom('0', '30', '30', '70.5', '0.5', '99.9', '30.0'))
  .map((parts) => parts.join('_greaterThan_'));
const badThresholds = [
  ...['violence_greaterThan_', '_greaterThan_30', 'violence', 'violence_greaterThan_1e1'],
  ...['violence_greaterThan_-3', 'violence_greaterThan_100', 'AnyOf_greaterThan_250.5'],
];
const anyThreshold = good(goodThreshold, fc.constantFrom(...badThresholds));

const oneOrMany = (item: fc.Arbitrary<string>) =>
  good<string | string[]>(fc.oneof(item, fc.array(item, { minLength: 1, maxLength: 6 })), fc.constant([]));
const flags = ['isKeywordsReferencePresent', 'isKeywordReferencePresent', 'isListReferencePresent'];

const textCondition = fc
  .record({
    operand: fc.constantFrom('text', 'text', 'custom'),
    category: fc.constantFrom('word', 'word', 'pattern', undefined),
    operator: fc.constantFrom('contains', 'contains', 'equals', undefined),
    flag: fc.constantFrom(...flags, undefined, undefined, undefined),
    wordValue: oneOrMany(good(anyWord, fc.constantFrom('', ' '))),
    patternValue: oneOrMany(anyPattern),
    lists: oneOrMany(good(fc.constantFrom('words-a', 'words-b'), fc.constant('gone'))),
    patternLists: oneOrMany(good(fc.constant('patterns-c'), fc.constantFrom('patterns-d', 'gone'))),
  })
  .map(({ flag, wordValue, patternValue, lists, patternLists, ...condition }) => {
    const pattern = condition.category === 'pattern';
    const value = flag === undefined ? (pattern ? patternValue : wordValue) : pattern ? patternLists : lists;
    return { ...condition, value, ...(flag !== undefined && { [flag]: true }) };
  });
const mediaCondition = fc.record({
  operand: fc.constantFrom('image', 'image', 'video', 'video', 'audio', 'file'),
  value: oneOrMany(anyThreshold),
});
const scoredTextCondition = fc
  .record({
    operand: fc.constantFrom('text', 'text', 'custom', 'image'),
    category: fc.constantFrom('toxicity', 'sentence-similarity', 'custom-api', 'words'),
    operator: good(fc.constantFrom('contains', undefined), fc.constantFrom('equals', 'is')),
    value: oneOrMany(anyThreshold),
    flag: fc.constantFrom(...flags, undefined, undefined, undefined),
  })
  .map(({ flag, ...condition }) => ({ ...condition, ...(flag !== undefined && { [flag]: true }) }));
const notEvaluable = fc.constantFrom(
  { operand: 'sticker', value: 'x' },
  { value: 'kill' },
  { operand: 7, value: 'kill' },
  { operand: 'text', category: 'toxicity', value: 'toxicity' },
  { operand: 'text', operator: 'startsWith', value: 'kill' },
  { operand: 'image', operator: 'equals', value: 'violence_greaterThan_30' },
  { operand: 'text', entity: 'profile', value: 'kill' },
);
const anyCondition: fc.Arbitrary<Condition> = good(
  fc.oneof(
    { weight: 3, arbitrary: textCondition },
    { weight: 1, arbitrary: mediaCondition },
    { weight: 1, arbitrary: scoredTextCondition },
  ),
  notEvaluable as fc.Arbitrary<never>,
);

const operators = ['equals', 'not equals', 'in', 'not in', 'startsWith', 'notEquals', 'notIn', 'endsWith'];
const textFilter = fc.record({
  party: fc.constantFrom('user/sender', 'user/receiver', 'group/receiver'),
  operand: fc.constantFrom('id', 'name', 'kind', 'tags'),
  operator: fc.constantFrom(...operators),
  value: fc.constantFrom('ann', 'manager', 'ann, bob', 'vip', 'pub', 'lic', 'Ann'),
});
const time = { party: fc.constantFrom('user/sender', 'group/receiver'), operand: fc.constant('createdAt') };
const timeFilter = fc.oneof(
  fc.record({ ...time, operator: fc.constantFrom('equals', 'notIn'), value: fc.constantFrom('1700000000', '17') }),
  fc.record({
    ...time,
    operator: fc.constantFrom('lessThan', 'greaterThan'),
    value: fc.constantFrom<(string | string[])[]>('1700000000', '2024-01-01', '1700000000.5', '-7d', '-90m', [
      '-52w',
      '2023-11-14T22:13:20Z',
      '2024-01-01 10:00',
    ]),
  }),
);
const goodFilter: fc.Arbitrary<Filter> = fc.oneof(textFilter, timeFilter).map(({ party, operand, ...filter }) => {
  const [entity, type] = party.split('/') as ['user' | 'group', string];
  const spelling: Readonly<Record<string, string>> =
    entity === 'user' ? { id: 'uid', kind: 'role' } : { id: 'guid', kind: 'type' };
  return { type, entity, operand: spelling[operand] ?? operand, ...filter };
});
const anyFilter = good(
  goodFilter,
  fc.constantFrom<Filter>(
    { type: 'sender', entity: 'group', operand: 'guid', operator: 'equals', value: 'x' },
    {},
    { type: 'sender', entity: 'user', operand: 'createdAt', operator: 'greaterThan', value: 'banana 5' },
    { type: 'sender', entity: 'user', operand: 'role', operator: 'notIn', value: '' },
    { type: 'sender', entity: 'user', operand: 'role', operator: 'greaterThan', value: 'admin' },
    { type: 'receiver', entity: 'group', operand: 'createdAt', operator: 'lessThan', value: '1700000000000' },
  ),
);

const anyRule = fc.record({
  conditions: fc.array(anyCondition, { minLength: 1, maxLength: 3 }),
  filters: fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.array(anyFilter, { maxLength: 2 }) },
  ),
  action: oneOrMany(
    good(fc.constantFrom('blockMessage', 'blockMessage', 'dropMessage', 'flagMessage', 'allow'), fc.constant('sing')),
  ),
  enabled: fc.constantFrom(true, true, true, true, undefined, false),
  active: fc.constantFrom(true, true, true, true, undefined, false),
});

/** Rules `rule-0` to `rule-5` at the most, and the lists that they name. */
export const anyRuleSet = fc
  .record({
    rules: fc.array(anyRule, { minLength: 1, maxLength: 6 }),
    terms: fc.array(
      good(fc.constantFrom(...words, ...wildWords, 'Kill', '"quoted"', '" a ""b"" "'), fc.constantFrom('', ' ')),
      {
        maxLength: 8,
      },
    ),
    isCSV: fc.boolean(),
  })
  .map(({ rules, terms, isCSV }) => ({
    rules: rules.map(
      ({ filters, ...rule }, index): Rule => ({
        ...rule,
        id: `rule-${index}`,
        name: `Rule ${index}`,
        ...(filters && { filters }),
        conditions: rule.conditions.map((condition, position) => ({ ...condition, id: position + 1 })),
      }),
    ),
    lists: [
      { id: 'words-a', searchTerms: terms, isCSV, revisionId: 'app_words-a_1' },
      { id: 'words-b', searchTerms: ['kill', 'now', '*ill*', '😀'] },
      { id: 'patterns-c', category: 'pattern', searchTerms: ['[0-9]{2}', 'k.ll', 'now|buy'] },
      { id: 'patterns-d', category: 'pattern', searchTerms: ['[0-9]{2}', '['] },
    ] as KeywordList[],
  }));

const anyWordReading = fc.constantFrom(...wordReadings);
const anyFolding = fc.constantFrom('case' as const, 'exact' as const, 'accents' as const, 'hardened' as const);
/** The reading of a list: of where its terms stand, of their folding too, or of either. */
export const anyListReading = fc.oneof(
  anyWordReading,
  fc.constant('links' as const),
  fc.record(
    { reading: fc.oneof(anyWordReading, fc.constant('links' as const)), folding: anyFolding },
    { requiredKeys: [] },
  ),
);

const exceptionTerm = fc.constantFrom(
  ...['skill', 'buy now', '😀', 'killer', '', 'kill the', '*kill', 'k*', '*now*', '**', 'kill', 'KILL now', 'buy'],
);
/** Patterns that both reject are a `UsageError` of the semantics; in lists they are issues. */
const exceptionPattern = fc.constantFrom(
  ...['k[a-z]+', 'kill \\w+', '\\d+', '^.{0,9}', 'now$', '(?i)kill', 'k*', '[a-z]+ [a-z]+', '1.?', '😀+', ' '],
);
const someOf = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 2 });
const anyTarget = fc.record(
  {
    rules: someOf(fc.constantFrom('rule-0', 'rule-1', 'rule-2', 'gone')),
    lists: someOf(fc.constantFrom('words-a', 'words-b', 'patterns-c', 'gone')),
  },
  { requiredKeys: [] },
);
const anyException: fc.Arbitrary<string | Exception> = fc.oneof(
  exceptionTerm,
  fc
    .record({
      held: fc.oneof(
        fc.record({ terms: someOf(exceptionTerm) }),
        fc.record({ patterns: someOf(exceptionPattern) }),
        fc.record({ lists: someOf(fc.constantFrom('words-a', 'words-b', 'patterns-c', 'patterns-d', 'gone')) }),
        fc.record({ terms: someOf(exceptionTerm), patterns: someOf(exceptionPattern) }),
      ),
      target: fc.option(anyTarget, { nil: undefined }),
    })
    .map(({ held, target }) => ({ ...held, ...(target && { for: target }) })),
);

/** Each reading is left at its default as often as not. */
export const anyReadings: fc.Arbitrary<Partial<Readings>> = fc.record(
  {
    conditions: fc.constantFrom('any', 'all'),
    runs: fc.constantFrom('enabled-and-active', 'enabled', 'all'),
    precedence: fc.constantFrom(
      ['dropMessage', 'blockMessage', 'allow'],
      ['blockMessage', 'dropMessage', 'allow'],
      ['allow', 'dropMessage', 'blockMessage'],
      ['blockMessage', 'allow', 'dropMessage'],
    ),
    words: fc.oneof(
      anyWordReading,
      fc.record(
        {
          default: anyWordReading,
          lists: fc.dictionary(fc.constantFrom('words-a', 'words-b', 'gone'), anyListReading),
        },
        { requiredKeys: ['lists'] },
      ),
    ),
    wildcards: fc.constantFrom('off', 'asterisk', 'asterisk'),
    folding: anyFolding,
    patterns: fc.constantFrom('as-written', 'insensitive'),
    missingScores: fc.constantFrom('allow', 'block'),
    unreadable: fc.constantFrom('allow', 'block'),
    customText: fc.constantFrom(
      ['data.text'],
      ['data.customData.body[1]', 'data.customData["a key"]'],
      ['data.customData', 'type'],
    ),
    exceptions: fc.oneof(fc.constant([]), fc.array(anyException, { maxLength: 4 })),
    exempt: fc.oneof(fc.constant([]), fc.array(goodFilter, { maxLength: 1 })),
    shadow: fc.array(fc.constantFrom('rule-0', 'rule-1'), { maxLength: 1 }),
  },
  { requiredKeys: [] },
);

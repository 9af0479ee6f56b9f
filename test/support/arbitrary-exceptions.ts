/**
 * Random rule sets with exceptions of both kinds, over few letters, so that one message in two has
 * a match that is excepted.
 */
import fc from 'fast-check';
import type { Condition, Exception, KeywordList, Rule } from '../../src/index.js';
import { anyListReading } from './arbitrary.js';
import type { Readings } from './oracle-world.js';
import { wordReadings } from './readings.js';

const term = fc.constantFrom('a', 'b', 'ab', 'ba', 'a b', 'b a', 'aab', 'abab', 'a*', '*b', 'A', 'a ab');
const pattern = fc.constantFrom(
  ...['a', 'a+', '[ab]+', 'b|ab', 'ab|b', 'a.?', '\\d', '[a-z]+ [a-z]+', '^a', 'b$', 'a*', '[ab]1'],
);
const long = fc.constantFrom('.*', 'a.*b', 'ab [ab]+', '(?i)a b', '[^ ]+', 'a b', 'b a.', '1.*?a', 'ba');
const some = (item: fc.Arbitrary<string>, minLength = 1) => fc.array(item, { minLength, maxLength: 3 });
const wordLists = fc.constantFrom('words-a', 'words-b');
const rest = {
  operand: fc.constantFrom('text', 'text', 'custom'),
  operator: fc.constantFrom('contains', 'contains', 'contains', 'equals'),
};

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ ...rest, value: some(term) }),
  fc.record({ ...rest, category: fc.constant('pattern'), value: some(pattern) }),
  fc.record({ ...rest, isKeywordsReferencePresent: fc.constant(true), value: some(wordLists) }),
  fc.record({
    ...rest,
    category: fc.constant('pattern'),
    isKeywordsReferencePresent: fc.constant(true),
    value: fc.constant('patterns'),
  }),
);

const target = fc.record(
  {
    rules: some(fc.constantFrom('rule-0', 'rule-1', 'rule-2'), 0),
    lists: some(fc.constantFrom('words-a', 'words-b', 'patterns'), 0),
  },
  { requiredKeys: [] },
);

const exception: fc.Arbitrary<string | Exception> = fc.oneof(
  term,
  fc
    .record({
      held: fc.oneof(
        fc.record({ terms: some(term) }),
        fc.record({ patterns: some(fc.oneof(pattern, long)) }),
        fc.record({ lists: some(fc.constantFrom('words-a', 'words-b', 'patterns', 'spared'), 0) }),
        fc.record({ terms: some(term, 0), patterns: some(long, 0), lists: some(fc.constant('spared'), 0) }),
      ),
      target: fc.option(target, { nil: undefined, freq: 2 }),
    })
    .map(({ held, target: own }) => ({ ...held, ...(own && { for: own }) })),
);

/** Rules `rule-0` to `rule-3` at the most. */
export const anyExceptedRules = fc
  .record({
    conditions: fc.array(fc.array(condition, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 }),
    isDropped: fc.boolean(),
    listed: some(term, 0),
    spared: some(fc.oneof(pattern, long), 0),
  })
  .map(({ conditions, isDropped, listed, spared }) => ({
    rules: conditions.map(
      (own, at): Rule => ({
        id: `rule-${at}`,
        action: [at === 0 && isDropped ? 'dropMessage' : 'blockMessage'],
        conditions: own,
      }),
    ),
    lists: [
      { id: 'words-a', searchTerms: listed },
      { id: 'words-b', category: 'word', searchTerms: ['ab', 'b'] },
      { id: 'patterns', category: 'pattern', searchTerms: ['ab', '[ab]+', '\\d+'] },
      { id: 'spared', category: 'pattern', searchTerms: spared },
    ] as KeywordList[],
  }));

/** Readings with some exceptions. */
export const anyExceptingReadings: fc.Arbitrary<Partial<Readings>> = fc.record({
  words: fc.oneof(
    fc.constantFrom(...wordReadings),
    fc.constant({ default: 'substring' as const, lists: { 'words-a': 'word' as const } }),
    fc.record({
      default: fc.constantFrom(...wordReadings),
      lists: fc.record({ 'words-a': anyListReading, 'words-b': anyListReading }, { requiredKeys: [] }),
    }),
  ),
  wildcards: fc.constantFrom('off' as const, 'asterisk' as const),
  folding: fc.constantFrom('case' as const, 'case' as const, 'exact' as const, 'hardened' as const),
  patterns: fc.constantFrom('as-written' as const, 'insensitive' as const),
  conditions: fc.constantFrom('any' as const, 'all' as const),
  exceptions: fc.array(exception, { minLength: 1, maxLength: 4 }),
});

const piece = fc.constantFrom('a', 'b', 'ab', ' ', ' ', 'A', '1', 'ba', 'a b', '.', 'x');

/** Texts of the same letters, alone or several in custom data. */
export const anyExceptedMessage = fc
  .array(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    { minLength: 1, maxLength: 3 },
  )
  .map((texts) =>
    texts.length === 1 ? { data: { text: texts[0]! } } : { category: 'custom', data: { customData: { texts } } },
  );

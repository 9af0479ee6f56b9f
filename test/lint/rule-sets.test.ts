/**
 * What a report says of whole rule sets, against the engine: all that is covered or shadowed can be
 * left out at once.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WordReading } from '../../src/engine/match/word-edges.js';
import { createEngine, type Decision, type Finding, lintRuleSet, type Semantics } from '../../src/index.js';
import { isFull, runs } from '../support/runs.js';

interface Condition {
  readonly id: number;
  readonly operand: string;
  readonly category: string;
  readonly operator: string;
  readonly value: readonly string[];
  readonly isKeywordsReferencePresent: boolean;
}

interface Sets {
  readonly rules: readonly { id: string; action: readonly string[]; conditions: readonly Condition[] }[];
  readonly lists: readonly { id: string; category: string; searchTerms: readonly string[] }[];
}

const terms = [
  ...['a', 'A', 'ab', 'b', 'a b', '*a', 'a*', '*b*', 'a_b', '_a', "a'", 'ba', '日', '日a', '..', '...', 'á'],
  ...['aß', 'as'],
];
const patterns = ['a', 'ab?', '\\ba\\b', '^a', 'b$', '[ab]+', '(?i)a', 'a\\bb', 'x$y', 'a*', '\\w\\W\\w', 'á', 'a$b|b'];
const characters = ['a', 'A', 'b', ' ', '_', '日', '.'];

const value = (category: string) =>
  fc.uniqueArray(fc.constantFrom(...(category === 'word' ? terms : patterns)), { minLength: 1, maxLength: 4 });
const condition = fc.constantFrom('word', 'word', 'pattern').chain((category) =>
  fc.record({
    operand: fc.constant('text'),
    category: fc.constant(category),
    operator: fc.constantFrom('contains', 'contains', 'contains', 'equals'),
    named: fc.option(
      fc.constantFrom([`${category}s`], [`${category}s`, 'more'], ['more'], ['more', 'words'], ['patterns', 'more']),
      { freq: 3 },
    ),
    value: value(category),
  }),
);
const rule = fc.record({
  action: fc
    .constantFrom('block', 'block', 'drop', 'flag block', 'block drop', 'kick drop flag', 'allow block', 'flag')
    .map((actions) => actions.split(' ').map((one) => (one === 'kick' || one === 'allow' ? one : `${one}Message`))),
  conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
  filtered: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});
const ruleSets: fc.Arbitrary<Sets> = fc
  .tuple(
    fc.array(rule, { minLength: 1, maxLength: 3 }),
    value('word'),
    value('pattern'),
    fc
      .constantFrom('word', 'pattern')
      .chain((category) => fc.record({ category: fc.constant(category), own: value(category) })),
  )
  .map(([rules, words, regexes, { category, own: more }]) => ({
    rules: rules.map(({ action, conditions, filtered }, at) => ({
      id: `r${at}`,
      action,
      conditions: conditions.map(({ named, value: own, ...more }, index) => ({
        ...{ ...more, id: index + 1, value: named ?? own, isKeywordsReferencePresent: named !== null },
      })),
      ...(filtered && {
        filters: [{ type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'me' }],
      }),
    })),
    lists: [
      { id: 'words', category: 'word', searchTerms: words },
      { id: 'patterns', category: 'pattern', searchTerms: regexes },
      { id: 'more', category, searchTerms: more },
    ],
  }));
const reading = fc.constantFrom<WordReading>('word', 'word', 'substring', 'prefix', 'suffix');
const folding = fc.constantFrom('exact', 'case', 'case', 'accents', 'hardened');
const ofList = fc.record({ reading, folding }, { requiredKeys: [] });
const exceptions: fc.Arbitrary<Semantics['exceptions'][number]> = fc.constantFrom<Semantics['exceptions'][number]>(
  'a',
  'aß',
  { terms: ['ab'], for: { rules: ['r0'] } },
  { terms: ['a b'], for: { lists: ['words'] } },
  { patterns: ['b.'], for: { lists: ['more'] } },
  { lists: ['words'] },
  { lists: ['more'] },
  { lists: ['words', 'patterns'], for: { rules: ['r1'] } },
  { lists: ['more'], for: { rules: ['r0'], lists: ['words', 'patterns'] } },
);
const semantics = fc.record({
  words: fc.oneof(reading, fc.record({ default: reading, lists: fc.record({ words: ofList, more: ofList }) })),
  wildcards: fc.constantFrom('asterisk', 'off'),
  folding,
  patterns: fc.constantFrom('as-written', 'insensitive'),
  conditions: fc.constantFrom('any', 'any', 'any', 'any', 'all'),
  exceptions: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(exceptions, { minLength: 1, maxLength: 2 })),
  shadow: fc.constantFrom([], [], [], ['r0']),
}) as fc.Arbitrary<Partial<Semantics>>;

/** All texts of up to three of the characters, of four with `SLUICE_FULL=1`. */
const texts = Array.from({ length: isFull ? 5 : 4 }, (_, length) =>
  Array.from({ length: characters.length ** length }, (_, number) =>
    Array.from(
      { length },
      (_, place) => characters[Math.floor(number / characters.length ** place) % characters.length],
    ),
  ),
)
  .flat()
  .map((parts) => parts.join(''));

/** The rule set without the entries of some findings, and without the rules of others. */
function without({ rules, lists }: Sets, findings: readonly Finding[]): Sets {
  const keep = (values: readonly string[], isAbout: (finding: Finding) => boolean) =>
    values.filter((_, index) => !findings.some((finding) => finding.index === index && isAbout(finding)));
  return {
    rules: rules
      .filter(({ id }) => !findings.some((finding) => finding.id === 'shadowed' && finding.ruleId === id))
      .map((one) => ({
        ...one,
        conditions: one.conditions.map((own) => ({
          ...own,
          value: keep(
            own.value,
            ({ listId, ruleId, conditionId }) => listId === undefined && ruleId === one.id && conditionId === own.id,
          ),
        })),
      })),
    lists: lists.map((list) => ({ ...list, searchTerms: keep(list.searchTerms, ({ listId }) => listId === list.id) })),
  };
}

/** What a decision is beside its reasons: verdict, actions, and where exceptions apply. */
function outcomeOf({ verdict, actions, excepted }: Decision) {
  const places = excepted.map(({ ruleId, conditionId, match }) =>
    JSON.stringify([ruleId, conditionId, [match.path, match.span]]),
  );
  return { verdict, actions: [...actions].sort(), excepted: [...new Set(places)].sort() };
}

describe('reports of random rule sets', () => {
  const found = new Map<string, number>();
  const short = texts.filter(({ length }) => length <= 3);

  it('what is covered, never fires or is shadowed can be left out, all of it at once', async () => {
    await fc.assert(
      fc.asyncProperty(ruleSets, semantics, async (ruleSet, readings) => {
        const { findings } = await lintRuleSet(ruleSet, { semantics: readings });
        const before = createEngine(ruleSet, readings);
        const isUnchanging = ({ mend }: Finding) => mend?.endsWith('nothing changes') === true;
        const groups = [
          findings.filter(({ id }) => id === 'covered'),
          findings.filter(({ id, mend }) => id === 'never-fires' && mend?.startsWith('take out') === true),
          findings.filter(({ id }) => id === 'shadowed'),
          findings.filter(isUnchanging),
        ];
        for (const own of groups) {
          if (own.length === 0) continue;
          const name = own.every(isUnchanging) ? 'nothing changes' : own[0]!.id;
          found.set(name, (found.get(name) ?? 0) + own.length);
          const after = createEngine(without(ruleSet, own), readings);
          const messagesOf = (text: string) => [text, { sender: 'me', data: { text } }];
          const differing = texts.find((text) =>
            messagesOf(text).some((message) => before.decide(message) !== after.decide(message)),
          );
          expect([own, differing]).toEqual([own, undefined]);
          if (!own.every(isUnchanging)) continue;
          for (const message of short.flatMap(messagesOf))
            expect([own, message, outcomeOf(after.explain(message))]).toEqual([
              ...[own, message],
              outcomeOf(before.explain(message)),
            ]);
        }
      }),
      { numRuns: runs(4, 750) },
    );
    expect(found.has('nothing changes')).toBe(true);
    if (isFull) expect([...found.keys()].sort()).toEqual(['covered', 'never-fires', 'nothing changes', 'shadowed']);
    if (isFull) console.log(found);
  });
});

describe('what changes without a finding', () => {
  const condition = (id: number, value: string[], more = {}) => ({ id, operand: 'text', value, ...more });
  const named = { isKeywordsReferencePresent: true };

  it('a list that holds exceptions excepts less without a term: nothing is said of what it covers', async () => {
    const ruleSet = {
      rules: [{ id: 'r', action: 'blockMessage', conditions: [condition(1, ['ours'], named), condition(2, ['darn'])] }],
      lists: [{ id: 'ours', searchTerms: ['darn', 'darn it', 'Darn', 'darn it'] }],
      semantics: { folding: 'exact', words: { lists: { ours: { folding: 'case' } } } } as Partial<Semantics>,
    };
    const indices = async (semantics: Partial<Semantics>) =>
      (await lintRuleSet(ruleSet, { semantics })).findings
        .filter(({ id, listId }) => id === 'covered' && listId === 'ours')
        .map(({ index }) => index);
    expect(await indices({})).toEqual([2, 3, 1]);
    expect(await indices({ exceptions: [{ lists: ['ours'], for: { rules: ['other'] } }] })).toEqual([3]);
  });

  it('actions that are lost are named, and what loses none is left out first', async () => {
    const rules = (...actions: string[][]) =>
      actions.map((action, at) => ({ id: `r${at}`, action, conditions: [condition(1, ['darn'])] }));
    const mends = async (...actions: string[][]) =>
      (await lintRuleSet({ rules: rules(...actions), lists: [] })).findings
        .filter(({ id }) => id === 'covered' || id === 'shadowed')
        .map(({ id, ruleId, mend }) => [id, ruleId, mend]);
    const lost = 'leave it out: the verdict stays, `blockMessage` is no longer among the actions';
    expect(await mends(['dropMessage'], ['blockMessage'])).toEqual([
      ['covered', 'r1', lost],
      [
        ...['shadowed', 'r1'],
        'take it out (`blockMessage` would be no longer among the actions), or give it what the other has not',
      ],
    ]);
    expect(await mends(['dropMessage'], ['dropMessage', 'blockMessage'])).toEqual([
      ['covered', 'r0', 'leave it out: nothing changes'],
      ['shadowed', 'r0', 'take it out, or give it what the other has not'],
    ]);
    expect(await mends(['blockMessage'], ['blockMessage', 'kick'])).toEqual([
      ['covered', 'r0', 'leave it out: nothing changes'],
      ['shadowed', 'r0', 'take it out, or give it what the other has not'],
    ]);
    expect(await mends(['blockMessage', 'ban'], ['blockMessage', 'kick'])).toEqual([]);
  });
});

/**
 * The readings that a rule set brings: in it, given, or divided between the two, they are the same
 * readings.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEngines, plainPlan } from '../src/audit/engines.js';
import { resolveSemantics } from '../src/engine/semantics.js';
import {
  compileEngine,
  createEngine,
  defaultSemantics,
  diffRuleSets,
  RuleSetError,
  type RuleSetInput,
  type Semantics,
  testRules,
  UsageError,
} from '../src/index.js';
import { readingChanges } from '../src/review/compare/reading-changes.js';
import { anyReadings, anyRuleSet } from './support/arbitrary.js';
import { anyMedia, anyMessage } from './support/arbitrary-message.js';
import { runs } from './support/runs.js';

const messages = fc.array(anyMessage, { minLength: 1, maxLength: 4 });
const bringing = (ruleSet: RuleSetInput, semantics: object): RuleSetInput =>
  ({ ...ruleSet, semantics }) as RuleSetInput;

/**
 * Some readings in the rule set and some given; of those that are in both, the given one counts.
 */
const anySplit = fc
  .record({
    readings: anyReadings,
    overridden: anyReadings,
    inside: fc.array(fc.boolean(), { minLength: 32, maxLength: 32 }),
  })
  .map(({ readings, overridden, inside }) => {
    const entries = Object.entries(readings);
    const given = Object.fromEntries(entries.filter((_, at) => inside[at] !== true));
    const replaced = Object.entries(overridden).filter(([reading]) => Object.hasOwn(given, reading));
    const own = Object.fromEntries([...entries.filter((_, at) => inside[at] === true), ...replaced]);
    return { readings: readings as Partial<Semantics>, own, given: given as Partial<Semantics> };
  });

describe('the readings of a rule set', () => {
  it('decide and explain as given ones do, with the same revision, wherever each of them stands', () => {
    fc.assert(
      fc.property(anyRuleSet, messages, anyMedia, anySplit, (ruleSet, asked, media, { readings, own, given }) => {
        const expected = createEngine(ruleSet, readings);
        const engines = [createEngine(bringing(ruleSet, readings)), createEngine(bringing(ruleSet, own), given)];
        for (const engine of engines) {
          expect(engine.revision).toBe(expected.revision);
          expect(engine.issues).toStrictEqual(expected.issues);
          for (const message of asked) {
            expect(engine.decide(message, media)).toBe(expected.decide(message, media));
            expect(engine.explain(message, media)).toStrictEqual(expected.explain(message, media));
          }
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it('are those of engines that are compiled with pauses, of threads and of plans for other machines', async () => {
    await fc.assert(
      fc.asyncProperty(anyRuleSet, anySplit, async (ruleSet, { readings, own, given }) => {
        const { revision } = createEngine(ruleSet, readings);
        const rules = bringing(ruleSet, own);
        expect((await compileEngine(rules, given)).revision).toBe(revision);
        const plan = JSON.parse(JSON.stringify(plainPlan({ ruleSet: rules, semantics: given })));
        const opened = await openEngines(plan);
        expect(opened.engine.revision).toBe(revision);
        opened.close();
      }),
      { numRuns: runs(15) },
    );
  });

  const rules = [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['darn'] }] }];
  const ruleSet = { rules, lists: [] };

  it('are those of golden cases and of both sides of a diff', async () => {
    const cases = [{ name: 'inside a word', message: 'goshdarnit', verdict: 'blockMessage' as const }];
    const inside = bringing(ruleSet, { words: 'substring' });
    const report = await testRules(cases, { rules: inside });
    expect([report.ok, report.revision]).toEqual([true, createEngine(ruleSet, { words: 'substring' }).revision]);
    expect((await testRules(cases, { rules: inside, semantics: { words: 'word' } })).failed).toBe(1);
    const texts = [{ id: '1', data: { text: 'goshdarnit' } }];
    expect(await diffRuleSets(texts, { rules: ruleSet, against: inside })).toMatchObject({
      released: 1,
      changes: [{ kind: 'reading', reading: 'words', before: 'substring', after: 'word' }],
      receipt: { semantics: { rules: {}, against: { words: 'substring' } } },
    });
    expect(
      await diffRuleSets(texts, { rules: ruleSet, against: inside, semantics: { words: 'prefix' } }),
    ).toMatchObject({
      released: 0,
      changes: [],
      receipt: { semantics: { rules: { words: 'prefix' }, against: { words: 'prefix' } } },
    });
  });

  it.each<[string, unknown, string]>([
    ['an unknown one', { word: 'substring' }, 'unknown reading `word`; there are conditions, runs'],
    ['a wrong value', { words: 'sub' }, 'reading `words` must be one of word, substring'],
    ['a wrong value of a list', { words: { lists: { l: 'sub' } } }, '`words.lists.l` must be one of word, substring'],
    [
      'a list reading of another kind',
      { words: { lists: { l: ['word'] } } },
      '`words.lists.l` must be one of word, substring, prefix, suffix, links, or an object { reading, folding }',
    ],
    [
      'an unknown field of a list reading',
      { words: { lists: { l: { fold: 'exact' } } } },
      'unknown `words.lists.l.fold`; there are reading, folding',
    ],
    [
      'a wrong reading of a list reading',
      { words: { lists: { l: { reading: 'sub' } } } },
      '`words.lists.l.reading` must be one of word, substring, prefix, suffix',
    ],
    [
      'a wrong folding of a list',
      { words: { lists: { l: { folding: 'lower' } } } },
      '`words.lists.l.folding` must be one of exact, case, accents, hardened',
    ],
    [
      'a verdict that is misspelt',
      { precedence: ['dropMessage', 'blokMessage', 'allow'] },
      'reading `precedence` must name each of allow',
    ],
    [
      'a verdict that is missing',
      { precedence: ['dropMessage', 'allow'] },
      'reading `precedence` must name each of allow',
    ],
    ['no verdict', { precedence: [] }, 'reading `precedence` must name each of allow'],
    ['a path that is none', { customText: ['data..x'] }, 'reading `customText`: `data..x` is not a JSON path'],
    [
      'a filter that is none',
      { exempt: [{ entity: 'user', type: 'sender', operand: 'shoe' }] },
      'reading `exempt`: filter 1 names no known property in `operand`',
    ],
    ['null', { shadow: null }, 'reading `shadow` must be an array of strings'],
    ['what is not an object', ['words'], 'must be an object of readings'],
    ['null in place of all', null, 'must be an object of readings'],
    ['a function', { runs: () => true }, 'reading `runs` must be plain data; give functions as an argument'],
    ['an engine', { engine: defaultSemantics.engine }, 'reading `engine` must not stand with the rules; choose it'],
    ['the prototype', JSON.parse('{"__proto__":{"words":"substring"}}'), 'unknown reading `__proto__`'],
  ])('are refused with their place: %s, also where a right one is given', async (_, semantics, words) => {
    const wrong = bringing(ruleSet, semantics as object);
    for (const given of [undefined, { words: 'word', shadow: [], runs: 'all' } as const]) {
      expect(() => createEngine(wrong, given)).toThrow(RuleSetError);
      expect(() => createEngine(wrong, given)).toThrow(`\`semantics\` of the rule set: ${words}`);
      await expect(compileEngine(wrong, given)).rejects.toThrow(`\`semantics\` of the rule set: ${words}`);
    }
  });

  it.each([undefined, { exceptions: ['fine'] }, { exceptions: [{ patterns: ['[a-z]'] }] }])(
    'are refused with their place where an exception is a pattern that is rejected, also where %j is given',
    async (given) => {
      const wrong = bringing(ruleSet, { exceptions: ['a', { patterns: ['b', '(c'] }] });
      const place = '`semantics` of the rule set: reading `exceptions`: pattern `(c` was rejected: ';
      expect(() => createEngine(wrong, given)).toThrow(RuleSetError);
      expect(() => createEngine(wrong, given)).toThrow(place);
      await expect(compileEngine(wrong, given)).rejects.toThrow(place);
      expect(() => createEngine(ruleSet, { exceptions: [{ patterns: ['(c'] }] })).toThrow(UsageError);
    },
  );

  it('of lists are a copy, and of one revision wherever they stand', () => {
    const own: { reading: 'word'; folding: 'exact' | 'case' } = { reading: 'word', folding: 'exact' };
    const words = { lists: { l: own } };
    const lists = [{ id: 'l', searchTerms: ['Will'] }];
    const conditions = [{ operand: 'text', isKeywordsReferencePresent: true, value: 'l' }];
    const given: RuleSetInput = { rules: [{ id: 'r', action: 'blockMessage', conditions }], lists };
    const engine = createEngine(given, { words });
    const resolved = resolveSemantics({ words });
    own.folding = 'case';
    expect(resolved.words).toEqual({ lists: { l: { reading: 'word', folding: 'exact' } } });
    expect([engine.decide('will'), createEngine(given, { words }).decide('will')]).toEqual(['allow', 'blockMessage']);
    expect(createEngine(given, { words }).revision).not.toBe(engine.revision);
    expect(createEngine(bringing(given, { words })).revision).toBe(createEngine(given, { words }).revision);
    expect(readingChanges({ words: resolved.words }, { words })).toEqual([
      { reading: 'words', before: resolved.words, after: words },
    ]);
  });

  it('are left out where they are undefined, there and where others are given', () => {
    const { revision } = createEngine(ruleSet, { words: 'substring' });
    expect(createEngine(bringing(ruleSet, { words: 'substring', folding: undefined })).revision).toBe(revision);
    expect(createEngine(bringing(ruleSet, { words: 'substring' }), { words: undefined as never }).revision).toBe(
      revision,
    );
  });
});

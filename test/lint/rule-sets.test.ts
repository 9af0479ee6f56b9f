/** What a report says of whole rule sets, against the engine: all that is covered or shadowed can be left out at once. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTermReader } from '../../src/compile/word-readings.js';
import { createEngine, type Finding, lintRuleSet, type Semantics } from '../../src/index.js';
import { decideInclusion } from '../../src/lint/inclusion.js';
import { termProgram } from '../../src/lint/term-program.js';
import { programOf } from '../../src/match/patterns/re2js.js';
import { runAtOnce } from '../../src/portions.js';
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
  readonly rules: readonly {
    readonly id: string;
    readonly action: readonly string[];
    readonly conditions: readonly Condition[];
  }[];
  readonly lists: readonly {
    readonly id: string;
    readonly category: string;
    readonly searchTerms: readonly string[];
  }[];
}

const terms = [
  'a',
  'A',
  'ab',
  'b',
  'a b',
  '*a',
  'a*',
  '*b*',
  'a_b',
  '_a',
  "a'",
  'ba',
  '日',
  '日a',
  '..',
  '...',
  'á',
  'aß',
  'as',
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
    named: fc.option(fc.constant(`${category}s`), { freq: 3 }),
    value: value(category),
  }),
);
const rule = fc.record({
  action: fc.constantFrom(
    ['blockMessage'],
    ['blockMessage'],
    ['dropMessage'],
    ['flagMessage', 'blockMessage'],
    ['flagMessage'],
  ),
  conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
  filtered: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});
const ruleSets: fc.Arbitrary<Sets> = fc
  .tuple(fc.array(rule, { minLength: 1, maxLength: 3 }), value('word'), value('pattern'))
  .map(([rules, words, regexes]) => ({
    rules: rules.map(({ action, conditions, filtered }, at) => ({
      id: `r${at}`,
      action,
      conditions: conditions.map(({ named, value: own, ...more }, index) => ({
        ...{
          ...more,
          id: index + 1,
          value: named === null ? own : [named],
          isKeywordsReferencePresent: named !== null,
        },
      })),
      ...(filtered && {
        filters: [{ type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'me' }],
      }),
    })),
    lists: [
      { id: 'words', category: 'word', searchTerms: words },
      { id: 'patterns', category: 'pattern', searchTerms: regexes },
    ],
  }));
const semantics: fc.Arbitrary<Partial<Semantics>> = fc.record({
  words: fc.constantFrom('word', 'word', 'substring', 'prefix', 'suffix'),
  wildcards: fc.constantFrom('asterisk', 'off'),
  folding: fc.constantFrom('exact', 'case', 'case', 'accents', 'hardened'),
  patterns: fc.constantFrom('as-written', 'insensitive'),
  conditions: fc.constantFrom('any', 'any', 'any', 'any', 'all'),
  exceptions: fc.constantFrom([], [], [], ['a'], [{ terms: ['ab'], for: { rules: ['r0'] } }]),
  shadow: fc.constantFrom([], [], [], ['r0']),
});

/** All texts of up to four of the characters. */
const texts = Array.from({ length: 5 }, (_, length) =>
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

describe('reports of random rule sets', () => {
  const found = new Map<string, number>();

  it('what is covered, never fires or is shadowed can be left out, all of it at once', async () => {
    await fc.assert(
      fc.asyncProperty(ruleSets, semantics, async (ruleSet, readings) => {
        const { findings } = await lintRuleSet(ruleSet, { semantics: readings });
        const before = createEngine(ruleSet, readings);
        for (const ids of [['covered'], ['never-fires'], ['shadowed']]) {
          const own = findings.filter(({ id, proof }) => ids.includes(id) && proof !== 'over-budget');
          if (own.length === 0) continue;
          found.set(ids[0]!, (found.get(ids[0]!) ?? 0) + own.length);
          const after = createEngine(without(ruleSet, own), readings);
          const sender = { sender: 'me' };
          const differing = texts.find((text) => {
            const messages = [text, { ...sender, data: { text } }];
            return messages.some((message) => before.decide(message) !== after.decide(message));
          });
          expect([own, differing]).toEqual([own, undefined]);
        }
      }),
      { numRuns: runs(40) },
    );
    expect(found.has('covered')).toBe(true);
    if (isFull) expect([...found.keys()].sort()).toEqual(['covered', 'never-fires', 'shadowed']);
    if (isFull) console.log(found);
  });

  it('what is not reported is not covered by another entry of its rule', async () => {
    const one = fc.record({ conditions: fc.array(condition, { minLength: 1, maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(one, semantics, async ({ conditions }, { words, wildcards, folding, patterns: flags }) => {
        if (folding === 'hardened') return;
        const readings: Partial<Semantics> = {
          words: words!,
          wildcards: wildcards!,
          folding: folding!,
          patterns: flags!,
        };
        const own = conditions.map(({ named: _, ...more }, index) => ({ ...more, id: index + 1 }));
        const ruleSet = { rules: [{ id: 'r', action: ['blockMessage'], conditions: own }], lists: [] };
        const { findings } = await lintRuleSet(ruleSet, { semantics: readings });
        const { read } = createTermReader({ words: words!, wildcards: wildcards!, folding: folding! });
        const left = own.flatMap(({ id, category, operator, value: values }) =>
          values.flatMap((written, index) => {
            const isReported = findings.some(
              (finding) =>
                ['covered', 'never-fires'].includes(finding.id) &&
                finding.conditionId === id &&
                finding.index === index,
            );
            const whole = operator === 'equals';
            const { text, reading } = read(written, undefined);
            const program =
              category === 'word'
                ? termProgram({ text: whole ? written.trim() : text, reading, folding: folding as 'case', whole })
                : runAtOnce(programOf({ source: written, insensitive: flags === 'insensitive', whole }));
            return isReported || program === undefined ? [] : [{ id, index, written, category, program }];
          }),
        );
        for (const entry of left) {
          for (const other of left) {
            const isDecided = folding !== 'accents' || (entry.category === 'word') === (other.category === 'word');
            if (other === entry || !isDecided) continue;
            const { kind } = decideInclusion(entry.program, other.program, { nodes: 1e5, left: 1e7 });
            expect([readings, entry.written, other.written, kind]).toEqual([
              readings,
              entry.written,
              other.written,
              'not',
            ]);
          }
        }
      }),
      { numRuns: runs(20) },
    );
  });
});

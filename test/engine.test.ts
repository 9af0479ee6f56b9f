import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine, type Decision, type Match, type MessageDraft, type Rule } from '../src/index.js';
import { anyReadings, anyRuleSet } from './support/arbitrary.js';
import { anyMedia, anyMessage, anyText, words } from './support/arbitrary-message.js';
import { asAnswer, unordered } from './support/compare.js';
import { judge } from './support/oracle.js';
import { defaultReadings } from './support/oracle-world.js';
import { runs } from './support/runs.js';

const messages = fc.array(anyMessage, { minLength: 1, maxLength: 5 });

describe('engine', () => {
  it('agrees with the naive oracle on verdict, actions, rules, conditions, every match, and unevaluated conditions', () => {
    fc.assert(
      fc.property(anyRuleSet, messages, anyMedia, anyReadings, (ruleSet, asked, media, changes) => {
        const engine = createEngine(ruleSet, changes);
        for (const message of asked) {
          const decision = engine.explain(message, media);
          const readings = { ...defaultReadings, ...changes };
          expect(asAnswer(decision)).toEqual(judge({ ...ruleSet, message, media, readings }));
          expect(engine.decide(message, media)).toBe(decision.verdict);
          expect(textMatches(decision).filter((match) => textAt(message, match) !== match.text)).toEqual([]);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('explain: returns plain JSON in the documented order', () => {
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, anyReadings, (ruleSet, message, media, changes) => {
        const decision = createEngine(ruleSet, changes).explain(message, media);
        expect(JSON.parse(JSON.stringify(decision))).toStrictEqual(decision);
        const determining = decision.matched.map((rule) => rule.determining);
        expect(determining).toEqual([...determining].sort((a, b) => Number(b) - Number(a)));
        for (const matches of matchesByCondition(decision)) expect(matches).toEqual([...matches].sort(byPlace));
      }),
      { numRuns: runs(20) },
    );
  });
});

describe('decision: does not depend on', () => {
  it('the order of rules', () => {
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, anyReadings, ({ rules, lists }, message, media, changes) => {
        const forwards = createEngine({ rules, lists }, changes).explain(message, media);
        const backwards = createEngine({ rules: [...rules].reverse(), lists }, changes).explain(message, media);
        expect(unordered(asAnswer(backwards))).toEqual(unordered(asAnswer(forwards)));
      }),
      { numRuns: runs(20) },
    );
  });

  it('the distribution of terms over lists', () => {
    const terms = fc.uniqueArray(fc.constantFrom(...words, 'Kill', 'killer', 'straße', 'STRASSE'), { minLength: 1 });
    fc.assert(
      fc.property(terms, fc.nat(), anyMessage, anyReadings, (all, cut, message, changes) => {
        const at = cut % all.length;
        const whole = withLists([all], changes).explain(message);
        const split = withLists([all.slice(0, at), all.slice(at)], changes).explain(message);
        expect(found(split)).toEqual(found(whole));
        expect(split.verdict).toBe(whole.verdict);
      }),
      { numRuns: runs(20) },
    );
  });

  it('rules that are disabled or never match', () => {
    const base = { action: ['dropMessage', 'ban'], conditions: [{ operand: 'text', category: 'pattern', value: '^' }] };
    const nowhere = ['text', 'custom'].map((operand) => ({
      operand,
      category: 'word',
      value: ['nowhere', 'no where'],
    }));
    const others: Rule[] = [
      { ...base, id: 'disabled', enabled: false },
      { ...base, id: 'inactive', active: false },
      { ...base, id: 'elsewhere', conditions: nowhere },
    ];
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, fc.nat(6), ({ rules, lists }, message, media, at) => {
        const { revision: _, ...alone } = createEngine({ rules, lists }).explain(message, media);
        const more = [...rules.slice(0, at), ...others, ...rules.slice(at)];
        const decision = createEngine({ rules: more, lists }).explain(message, media);
        // A text that cannot be read leaves every rule with a text condition unevaluated, this one
        // too.
        const unevaluated = decision.unevaluated.filter(({ ruleId }) => ruleId !== 'elsewhere');
        expect({ ...decision, unevaluated }).toMatchObject(alone);
      }),
      { numRuns: runs(20) },
    );
  });
});

describe('decision', () => {
  it('is never weaker after a matching rule is added', () => {
    const strength = ['allow', 'blockMessage', 'dropMessage'];
    const action = fc.constantFrom('allow', 'flagMessage', 'blockMessage', 'dropMessage');
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, action, ({ rules, lists }, message, media, name) => {
        const conditions = ['text', 'custom'].map((operand) => ({ operand, category: 'pattern', value: '^' }));
        const always: Rule = { id: 'always', action: name, conditions };
        const before = createEngine({ rules, lists }).decide(message, media);
        const after = createEngine({ rules: [...rules, always], lists }).explain(message, media);
        expect(strength.indexOf(after.verdict)).toBeGreaterThanOrEqual(strength.indexOf(before));
        if (after.matched.some(({ ruleId }) => ruleId === 'always') && strength.includes(name)) {
          expect(strength.indexOf(after.verdict)).toBeGreaterThanOrEqual(strength.indexOf(name));
        }
      }),
      { numRuns: runs(20) },
    );
  });

  it('keeps its word matches when an unrelated text is appended after a space', () => {
    fc.assert(
      fc.property(anyText, anyText, anyReadings, (text, suffix, { words: reading = 'word', folding = 'case' }) => {
        const engine = withLists([words], { words: reading, folding });
        const longer = found(engine.explain(`${text} ${suffix}`));
        expect(longer).toEqual(expect.arrayContaining(found(engine.explain(text))));
      }),
      { numRuns: runs(20) },
    );
  });
});

describe('match cap of 1,000', () => {
  const engine = createEngine({
    rules: [
      { id: 'words', action: 'blockMessage', conditions: [{ operand: 'text', value: ['b', 'a'] }] },
      {
        id: 'patterns',
        action: 'blockMessage',
        conditions: [{ operand: 'text', category: 'pattern', value: ['b', 'a'] }],
      },
      { id: 'custom', action: 'blockMessage', conditions: [{ operand: 'custom', category: 'pattern', value: 'x' }] },
    ],
    lists: [],
  });
  const starts = (decision: Decision) =>
    matchesByCondition(decision).map((matches) => matches.map((match) => match.kind !== 'score' && match.span.start));

  it('reports all matches when there are no more than the cap', () => {
    const { truncated, matched } = engine.explain('a b '.repeat(250));
    expect(truncated).toBe(false);
    expect(matched.map(({ conditions }) => conditions[0]!.matches.length)).toEqual([500, 500]);
  });

  it('reports all occurrences of one term up to the cap', () => {
    const words = withLists([['a']], {});
    for (const [repeats, reported, truncated] of [
      [999, 999, false],
      [1000, 1000, false],
      [1001, 1000, true],
    ] as const) {
      const decision = words.explain('a '.repeat(repeats));
      expect([found(decision).length, decision.truncated]).toEqual([reported, truncated]);
    }
  });

  it('reports the first matches in the text, rule by rule', () => {
    const one = engine.explain(`${'a b '.repeat(250)}a`);
    expect([one.truncated, starts(one).map(({ length }) => length)]).toEqual([true, [501, 499]]);
    expect(starts(one)[1]).toEqual(Array.from({ length: 499 }, (_, index) => index * 2));
    const many = engine.explain('a b '.repeat(5000));
    const firsts = Array.from({ length: 999 }, (_, index) => index * 2);
    expect([many.truncated, starts(many)]).toEqual([true, [firsts, [0]]]);
  });

  it('reports the first matches of the message, sorted by path', () => {
    const customData = { z: 'x'.repeat(600), a: 'x'.repeat(600), b: 'x' };
    const decision = engine.explain({ category: 'custom', data: { customData } });
    const paths = textMatches(decision).map(({ path }) => path);
    expect(decision.truncated).toBe(true);
    expect(paths).toEqual([...Array(400).fill('data.customData.a'), ...Array(600).fill('data.customData.z')]);
  });
});

it('actions: reports each action of a rule once, in its order', () => {
  const rules: Rule[] = [
    { id: 'r', action: ['kick', 'ban', 'kick'], conditions: [{ operand: 'text', value: 'darn' }] },
  ];
  expect(createEngine({ rules, lists: [] }).explain('darn').matched[0]!.actions).toEqual(['kick', 'ban']);
});

describe('readings given as functions', () => {
  const rules = ['a', 'b'].map(
    (id): Rule => ({
      id,
      action: `${id === 'a' ? 'block' : 'drop'}Message`,
      enabled: false,
      conditions: [{ operand: 'text', value: 'darn' }],
    }),
  );

  it('runs: selects rules whatever their flags', () => {
    const ids = (runs: (rule: Rule) => boolean) =>
      createEngine({ rules, lists: [] }, { runs })
        .explain('darn')
        .matched.map(({ ruleId }) => ruleId);
    expect(ids(() => false)).toEqual([]);
    expect(ids(({ id }) => id === 'a')).toEqual(['a']);
    expect(ids(({ enabled }) => enabled === false)).toEqual(['b', 'a']);
  });

  it('exempt: selects messages', () => {
    const engine = createEngine({ rules, lists: [] }, { runs: 'all', exempt: ({ sender }) => sender === 'ann' });
    expect(engine.explain({ sender: 'ann', data: { text: 'darn' } })).toMatchObject({ verdict: 'allow', exempt: true });
    expect(engine.decide({ sender: 'ann', data: { text: 'darn' } })).toBe('allow');
    expect(engine.explain({ sender: 'bob', data: { text: 'darn' } })).toMatchObject({
      verdict: 'dropMessage',
      exempt: false,
    });
    expect(engine.decide('darn')).toBe('dropMessage');
  });
});

/** One rule with one condition over as many lists, each with its terms. */
function withLists(searchTerms: readonly (readonly string[])[], changes: Parameters<typeof createEngine>[1]) {
  const lists = searchTerms.map((terms, index) => ({ id: `list-${index}`, searchTerms: [...terms] }));
  const value = lists.map(({ id }) => id);
  const conditions = [{ operand: 'text', category: 'word', isKeywordsReferencePresent: true, value }];
  return createEngine({ rules: [{ id: 'r', action: 'blockMessage', conditions }], lists }, changes);
}

function matchesByCondition(decision: Decision): (readonly Match[])[] {
  return decision.matched.flatMap((rule) => rule.conditions.map(({ matches }) => matches));
}

function textMatches(decision: Decision) {
  return matchesByCondition(decision).flatMap((matches) => matches.filter((match) => match.kind !== 'score'));
}

function found(decision: Decision): string[] {
  return textMatches(decision)
    .map((match) => `${match.path} ${match.span.start} ${match.span.end} ${match.kind === 'word' && match.term}`)
    .sort();
}

/** By path, start and end; equal places in any order. */
function byPlace(a: Match, b: Match): number {
  if (a.path !== b.path || a.kind === 'score' || b.kind === 'score')
    return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
  return a.span.start - b.span.start || a.span.end - b.span.end;
}

/** The text of the message at the path and span of a match. */
function textAt(message: MessageDraft, { path, span }: Extract<Match, { span: unknown }>): string {
  const keys = [...path.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, ...groups]) => groups.join(''));
  const value = keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], message);
  return (value as string).slice(span.start, span.end);
}

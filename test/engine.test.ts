import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine, type Decision, type Match, type MessageDraft, type Rule } from '../src/index.js';
import { anyReadings, anyRuleSet } from './support/arbitrary.js';
import { anyMedia, anyMessage, anyText, words } from './support/arbitrary-message.js';
import { asAnswer, unordered } from './support/compare.js';
import { judge } from './support/oracle.js';
import { defaultReadings } from './support/oracle-world.js';

const messages = fc.array(anyMessage, { minLength: 1, maxLength: 5 });

describe('the engine', () => {
  it('answers as the naive oracle does: verdict, actions, rules, conditions, every match, and what is unheard', () => {
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
      { numRuns: 1500 },
    );
  });

  it('gives decisions that are plain JSON, in the order that it promises', () => {
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, anyReadings, (ruleSet, message, media, changes) => {
        const decision = createEngine(ruleSet, changes).explain(message, media);
        expect(JSON.parse(JSON.stringify(decision))).toStrictEqual(decision);
        const determining = decision.matched.map((rule) => rule.determining);
        expect(determining).toEqual([...determining].sort((a, b) => Number(b) - Number(a)));
        for (const matches of matchesByCondition(decision)) expect(matches).toEqual([...matches].sort(byPlace));
      }),
      { numRuns: 500 },
    );
  });
});

describe('it makes no difference to a decision', () => {
  it('in which order the rules stand', () => {
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, anyReadings, ({ rules, lists }, message, media, changes) => {
        const forwards = createEngine({ rules, lists }, changes).explain(message, media);
        const backwards = createEngine({ rules: [...rules].reverse(), lists }, changes).explain(message, media);
        expect(unordered(asAnswer(backwards))).toEqual(unordered(asAnswer(forwards)));
      }),
      { numRuns: 300 },
    );
  });

  it('whether terms stand in one list or in two', () => {
    const terms = fc.uniqueArray(fc.constantFrom(...words, 'Kill', 'killer'), { minLength: 1 });
    fc.assert(
      fc.property(terms, fc.nat(), anyMessage, anyReadings, (all, cut, message, changes) => {
        const at = cut % all.length;
        const whole = withLists([all], changes).explain(message);
        const split = withLists([all.slice(0, at), all.slice(at)], changes).explain(message);
        expect(found(split)).toEqual(found(whole));
        expect(split.verdict).toBe(whole.verdict);
      }),
      { numRuns: 300 },
    );
  });

  it('whether there are rules besides that are off, or that never match', () => {
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
        expect(createEngine({ rules: more, lists }).explain(message, media)).toMatchObject(alone);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a decision', () => {
  it('never becomes weaker when a matching rule is added', () => {
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
      { numRuns: 300 },
    );
  });

  it('keeps the words it found when an unrelated text follows after a space', () => {
    fc.assert(
      fc.property(anyText, anyText, anyReadings, (text, suffix, { words: reading = 'word', folding = 'case' }) => {
        const engine = withLists([words], { words: reading, folding });
        const longer = found(engine.explain(`${text} ${suffix}`));
        expect(longer).toEqual(expect.arrayContaining(found(engine.explain(text))));
      }),
      { numRuns: 500 },
    );
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

/** What stands in the message where a match says it is. */
function textAt(message: MessageDraft, { path, span }: Extract<Match, { span: unknown }>): string {
  const keys = [...path.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, ...groups]) => groups.join(''));
  const value = keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], message);
  return (value as string).slice(span.start, span.end);
}

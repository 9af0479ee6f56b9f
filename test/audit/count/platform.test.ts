import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alternativeReadings, createPlatformCounter, platformDecision } from '../../../src/audit/count/platform.js';
import { audit } from '../../../src/audit/stream.js';
import { defaultSemantics, withValue } from '../../../src/engine/semantics.js';
import { createEngine, type Engine, type MessageDraft, type RuleSetInput, type Semantics } from '../../../src/index.js';
import { runs } from '../../support/runs.js';
import { anyDecision } from '../arbitrary-decision.js';
import { anySplit, countBothWays } from './parts.js';

const pattern = { operand: 'text', category: 'pattern' };
const ruleSet: RuleSetInput = {
  rules: [
    { id: 'words', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['cat', 'dog'] }] },
    { id: 'off', active: false, action: ['dropMessage'], conditions: [{ operand: 'text', value: ['secret'] }] },
    { id: 'pattern', action: ['blockMessage'], conditions: [{ ...pattern, value: ['Call'] }] },
  ],
  lists: [],
};

/** Decides by the rules, and by each alternative reading, as `audit --compare-platform` does. */
async function compare(messages: readonly (MessageDraft | string)[], changes: Partial<Semantics> = {}) {
  const semantics = { ...defaultSemantics, ...changes };
  const comparer = createPlatformCounter(
    alternativeReadings(semantics).map(({ reading, value }) => ({
      reading,
      value,
      engine: createEngine(ruleSet, withValue(semantics, { reading, value })),
    })),
  );
  for await (const entry of audit(messages, createEngine(ruleSet, semantics))) comparer.add(entry);
  return comparer.toJSON();
}

const message = (id: string, text: string, moderation?: unknown): MessageDraft => ({ id, data: { text, moderation } });
const approved = { status: 'approved' };
const disapproved = (id?: string) => ({ status: 'disapproved', ...(id !== undefined && { rule: { id, name: id } }) });

describe('platformDecision', () => {
  it.each<[what: string, moderation: unknown, expected: unknown]>([
    ['approved', approved, { status: 'approved' }],
    ['disapproved for a rule', disapproved('words'), { status: 'disapproved', ruleId: 'words' }],
    ['a status in other letters', { status: ' Approved ' }, { status: 'approved' }],
    ['a status that is not known', { status: 'in_review' }, { status: 'in_review' }],
    ['a rule by its id alone', { status: 'approved', rule: 'words' }, { status: 'approved', ruleId: 'words' }],
    ['a rule by a number', { status: 'approved', rule: { id: 7 } }, { status: 'approved', ruleId: '7' }],
    ['a rule of another shape', { status: 'approved', rule: ['words'] }, { status: 'approved' }],
    ['a rule without an id', { status: 'approved', rule: { name: 'Words' } }, { status: 'approved' }],
    ['no status', {}, undefined],
    ['a status of another shape', { status: 7 }, undefined],
    ['an empty status', { status: ' ' }, undefined],
    ['null', null, undefined],
    ['a text', 'approved', undefined],
  ])('%s', (_, moderation, expected) => {
    expect(platformDecision(message('1', 'x', moderation))).toEqual(expected);
  });

  it('is none of a text, and of a message without data', () => {
    expect(platformDecision('approved')).toBeUndefined();
    expect(platformDecision({ id: '1' })).toBeUndefined();
  });
});

describe('alternativeReadings', () => {
  it('has every other value of each reading that is a choice, one at a time, but for `broken`', () => {
    const readings = alternativeReadings({ ...defaultSemantics, folding: 'exact' });
    expect(readings).toContainEqual({ reading: 'folding', value: 'case' });
    expect(readings).toContainEqual({ reading: 'folding', value: 'hardened' });
    expect(readings).not.toContainEqual({ reading: 'folding', value: 'exact' });
    const names = ['conditions', 'runs', 'words', 'wildcards', 'folding', 'patterns', 'missingScores', 'unreadable'];
    expect([...new Set(readings.map(({ reading }) => reading))].sort()).toEqual(names.sort());
  });
});

describe('alternativeReadings of lists with readings of their own', () => {
  const words = { default: 'prefix', lists: { a: { reading: 'word', folding: 'exact' }, b: 'suffix', c: {} } } as const;
  const semantics = { ...defaultSemantics, words };

  it('has a value for all lists wherever one has another', () => {
    const valuesOf = (name: string, of: Semantics) =>
      alternativeReadings(of).flatMap(({ reading, value }) => (reading === name ? [value] : []));
    expect(valuesOf('words', semantics)).toEqual(['word', 'substring', 'prefix', 'suffix']);
    expect(valuesOf('folding', semantics)).toEqual(['exact', 'case', 'accents', 'hardened']);
    const alike = { ...semantics, words: { default: 'prefix', lists: { a: 'prefix' } } } as const;
    expect(valuesOf('words', alike)).toEqual(['word', 'substring', 'suffix']);
    expect(valuesOf('folding', alike)).toEqual(['exact', 'accents', 'hardened']);
  });

  it('are engines in which all lists have the value, and all else of lists stays', () => {
    expect(withValue(semantics, { reading: 'words', value: 'substring' }).words).toEqual({
      default: 'substring',
      lists: {
        a: { reading: 'substring', folding: 'exact' },
        b: { reading: 'substring' },
        c: { reading: 'substring' },
      },
    });
    expect(withValue(semantics, { reading: 'folding', value: 'hardened' })).toEqual({
      ...semantics,
      folding: 'hardened',
      words: {
        default: 'prefix',
        lists: { a: { reading: 'word', folding: 'hardened' }, b: { reading: 'suffix' }, c: {} },
      },
    });
    expect(withValue({}, { reading: 'folding', value: 'exact' })).toEqual({ folding: 'exact' });
    expect(withValue(semantics, { reading: 'patterns', value: 'insensitive' })).toEqual({
      ...semantics,
      patterns: 'insensitive',
    });
  });
});

describe('comparison with the platform', () => {
  it('counts agreement, both kinds of disagreement, and what is not compared', async () => {
    const comparison = await compare([
      message('1', 'hello', approved),
      message('2', 'a cat', disapproved('words')),
      message('3', 'a cat', disapproved('pattern')),
      message('4', 'a cat', disapproved()),
      message('5', 'a dog', approved),
      message('6', 'hello', disapproved('elsewhere')),
      message('7', 'hello', disapproved()),
      message('8', 'a cat', { status: 'pending' }),
      message('9', 'a cat', { status: 'in_review' }),
      message('10', 'a cat'),
      'a cat',
    ]);
    expect(comparison).toMatchObject({
      ...{ messages: 11, carrying: 9, compared: 7, bothAllow: 1, bothStop: 3, onlyHere: 1, onlyThere: 2 },
      ...{ ruleNamed: 2, sameRule: 1 },
      statuses: [
        { status: 'disapproved', messages: 5 },
        { status: 'approved', messages: 2 },
        { status: 'in_review', messages: 1 },
        { status: 'pending', messages: 1 },
      ],
      rules: [
        { ruleId: 'words', onlyHere: 1, onlyThere: 0 },
        { ruleId: 'elsewhere', onlyHere: 0, onlyThere: 1 },
        { ruleId: null, onlyHere: 0, onlyThere: 1 },
      ],
      examples: { onlyHere: ['5'], onlyThere: ['6', '7'] },
    });
  });

  it('reads rules that are named by their ids alone, and counts what it cannot read', async () => {
    const comparison = await compare([
      message('1', 'a cat', { status: 'disapproved', rule: 'words' }),
      message('2', 'hello', { status: 'disapproved', rule: { name: 'Words' } }),
      message('3', 'a cat', { status: 'disapproved', rule: ['words'] }),
      message('4', 'hello', { status: 'disapproved', rule: null }),
      message('5', 'hello', { status: 'approved', rule: ['words'] }),
      message('6', 'a cat', 'disapproved'),
      message('7', 'a cat', { verdict: 'disapproved' }),
      message('8', 'a cat', null),
    ]);
    expect(comparison).toMatchObject({
      ...{ messages: 8, carrying: 5, compared: 5, unreadable: 2, unreadableRules: 2 },
      ...{ bothStop: 2, ruleNamed: 1, sameRule: 1, onlyThere: 2 },
      rules: [{ ruleId: null, onlyHere: 0, onlyThere: 2 }],
    });
  });

  it('resolves and breaks what engines of that reading alone do, and the best reading comes first', async () => {
    const texts = ['concatenate', 'a CAT', 'a c4t', 'call', 'Call', 'secret', 'dog', 'hello', 'dogged'];
    const someMessages = fc.array(
      fc
        .tuple(fc.constantFrom(...texts), fc.constantFrom(approved, disapproved(), { status: 'pending' }, undefined))
        .map(([text, moderation]) => message('1', text, moderation)),
    );
    await fc.assert(
      fc.asyncProperty(someMessages, async (messages) => {
        const { readings } = await compare(messages);
        const base = createEngine(ruleSet);
        const statusOf = (one: MessageDraft) =>
          (one.data?.moderation as { readonly status: string } | undefined)?.status;
        const decided = messages.filter((one) => ['approved', 'disapproved'].includes(statusOf(one) ?? ''));
        for (const { reading, value, resolves, breaks } of readings) {
          const other = createEngine(ruleSet, { [reading]: value });
          const agrees = (engine: typeof base, one: MessageDraft) =>
            (engine.decide(one) === 'allow') === (statusOf(one) === 'approved');
          expect(resolves).toBe(decided.filter((one) => !agrees(base, one) && agrees(other, one)).length);
          expect(breaks).toBe(decided.filter((one) => agrees(base, one) && !agrees(other, one)).length);
        }
        const gains = readings.map(({ resolves, breaks }) => resolves - breaks);
        expect(gains).toEqual([...gains].sort((left, right) => right - left));
      }),
      { numRuns: runs(10) },
    );
  });

  it('merged from parts equals what is counted of the whole, for any split and order', () => {
    const anyEntry = fc
      .record({
        id: fc.option(fc.nat(40).map(String), { nil: undefined }),
        decision: anyDecision,
        moderation: fc.oneof(
          fc.constantFrom(approved, disapproved(), disapproved('a'), disapproved('d'), { status: 'pending' }),
          fc.constantFrom(undefined, null, 'odd', { status: 'disapproved', rule: [] }),
        ),
      })
      .map(({ id, decision, moderation }) => ({
        message: { ...(id !== undefined && { id }), data: { moderation } },
        messageId: id,
        decision,
      }));
    const readings = [
      { reading: 'words', value: 'substring' },
      { reading: 'folding', value: 'exact' },
      { reading: 'folding', value: 'hardened' },
    ];
    const stopping = (number: number) => ({
      decide: ({ id = '' }: MessageDraft) => (Number(id) % (number + 2) === 0 ? ('blockMessage' as const) : 'allow'),
    });
    const engines = readings.map((reading, index) => ({
      ...reading,
      engine: stopping(index) as Pick<Engine, 'decide'>,
    }));
    fc.assert(
      fc.property(anySplit(anyEntry, 60), (split) => {
        const { whole, merged } = countBothWays(
          split,
          () => createPlatformCounter(engines),
          () => createPlatformCounter(readings),
        );
        expect(JSON.parse(merged)).toEqual(JSON.parse(whole));
      }),
      { numRuns: runs(40) },
    );
  });

  it('needs engines for messages, and none to add parts up', async () => {
    const counter = createPlatformCounter([{ reading: 'words', value: 'substring' }]);
    const decision = createEngine(ruleSet).explain('x');
    const entry = { message: message('1', 'x', approved), messageId: '1', decision };
    expect(() => counter.add(entry)).toThrow(TypeError);
  });
});

/**
 * What a scorer is asked for: all that rules ask scores of, and for a verdict alone what can change
 * it.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createEngine,
  type Engine,
  type MessageDraft,
  type Rule,
  type RuleSetInput,
  type ScoreRequest,
  type Scores,
  type Semantics,
} from '../../src/index.js';
import { anyReadings, anyRuleSet } from '../support/arbitrary.js';
import { anyMedia, anyMessage } from '../support/arbitrary-message.js';
import { demoLines } from '../support/demo.js';
import { runs } from '../support/runs.js';

const words: Rule = { id: 'words', action: ['dropMessage'], conditions: [{ operand: 'text', value: ['darn'] }] };
const toxicity = { operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_70'] };
const violence = {
  operand: 'image',
  value: ['violence_greaterThan_30', 'Violence_greaterThan_50', 'gore_greaterThan_1'],
};
const rule = (id: string, conditions: readonly object[], fields: object = {}): Rule =>
  ({ id, action: ['blockMessage'], conditions, ...fields }) as unknown as Rule;
const engineOf = (rules: readonly Rule[], semantics: Partial<Semantics> = {}) =>
  createEngine({ rules: [...rules], lists: [] }, semantics);
const asked = (engine: Engine, message: Parameters<Engine['decide']>[0], scores?: readonly Scores[], all = false) =>
  engine.scoreRequests(message, scores, { all }).map(({ operand, text, url }) => `${operand} ${text ?? url}`);
const picture = { type: 'image', data: { text: 'look', attachments: [{ url: 'a', mimeType: 'image/png' }] } };

describe('what a scorer is asked for', () => {
  it('a text with the labels of thresholds, each once, and the message', () => {
    const engine = engineOf([
      rule('t', [toxicity, { ...toxicity, value: ['Toxicity_greaterThan_20', 'in-sult_greaterThan_3'] }]),
    ]);
    const message = { data: { text: 'hello' } };
    const labels = ['toxicity', 'in-sult'];
    expect(engine.scoreRequests(message)).toEqual([{ operand: 'text', text: 'hello', labels, message }]);
    expect(engine.scoreRequests('hello')).toEqual([{ operand: 'text', text: 'hello', labels, message }]);
    expect(engine.scoredOperands).toEqual(['text']);
  });

  it('the caption, then the files', () => {
    const engine = engineOf([rule('t', [violence, toxicity])]);
    expect(engine.scoreRequests(picture)).toEqual([
      { operand: 'text', text: 'look', labels: ['toxicity'], message: picture },
      { operand: 'image', url: 'a', mimeType: 'image/png', labels: ['violence', 'gore'], message: picture },
    ]);
  });

  it('of custom content all texts, a line each', () => {
    const engine = engineOf([rule('t', [{ ...toxicity, operand: 'custom' }])]);
    const message = { category: 'custom', data: { customData: { a: 'x', b: ['y', 7] }, text: 'z' } };
    expect(asked(engine, message)).toEqual(['custom x\ny\nz']);
  });

  it.each<[string, Parameters<Engine['decide']>[0], readonly Scores[]]>([
    ['white space', ' \n', []],
    ['another operand', { category: 'custom', data: { customData: 'x' } }, []],
    ['no text', { type: 'image', data: { url: 'a' } }, []],
    ['a text that cannot be read', { data: { text: 7 as never } }, []],
    ['a text that the caller has scored', 'hello', [{ operand: 'text', labels: {} }]],
  ])('nothing of %s', (_, message, scores) => {
    const engine = engineOf([rule('t', [toxicity])]);
    expect(asked(engine, message, scores, true)).toEqual([]);
  });

  it.each<[string, readonly Rule[], Partial<Semantics>]>([
    ['a stronger verdict by words', [words, rule('t', [toxicity])], {}],
    ['an equal verdict by words', [{ ...words, action: ['blockMessage'] } as Rule, rule('t', [toxicity])], {}],
    ['a shadow rule', [rule('t', [toxicity])], { shadow: ['t'] }],
    ['a rule of other actions', [rule('t', [toxicity], { action: ['flagMessage'] })], {}],
    ['a rule that allows', [rule('t', [toxicity], { action: ['allow'] })], {}],
    ['a rule that matches by words', [rule('t', [{ operand: 'text', value: ['darn'] }, toxicity])], {}],
    [
      'a filter that fails',
      [
        rule('t', [toxicity], {
          filters: [{ type: 'receiver', entity: 'group', operand: 'guid', operator: 'equals', value: 'x' }],
        }),
      ],
      {},
    ],
    [
      'a filter that lacks what it tests',
      [
        rule('t', [toxicity], {
          filters: [{ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: 'x' }],
        }),
      ],
      {},
    ],
    [
      'all conditions, of which words do not hold',
      [rule('t', [toxicity, { operand: 'text', value: ['heck'] }])],
      { conditions: 'all' },
    ],
    ['an exempt message', [rule('t', [toxicity])], { exempt: () => true }],
  ])('nothing where no score can change the verdict: %s', (_, rules, semantics) => {
    const engine = engineOf(rules, semantics);
    expect(asked(engine, 'darn')).toEqual([]);
    expect(asked(engine, 'darn', [], true)).toEqual('exempt' in semantics ? [] : ['text darn']);
  });

  it.each<[string, readonly Rule[], Partial<Semantics>]>([
    [
      'a weaker verdict by words',
      [{ ...words, action: ['blockMessage'] } as Rule, rule('t', [toxicity], { action: ['dropMessage'] })],
      {},
    ],
    [
      'all conditions, of which words hold',
      [rule('t', [toxicity, { operand: 'text', value: ['darn'] }])],
      { conditions: 'all' },
    ],
    [
      'a rule that allows before one that blocks',
      [rule('t', [toxicity], { action: ['allow'] }), rule('b', [{ operand: 'text', value: ['darn'] }])],
      { precedence: ['allow', 'blockMessage', 'dropMessage'] },
    ],
    ['words that are excepted', [words, rule('t', [toxicity])], { exceptions: ['darn'] }],
  ])('the text where its score can: %s', (_, rules, semantics) => {
    expect(asked(engineOf(rules, semantics), 'darn')).toEqual(['text darn']);
  });

  it('a file whose missing scores block, since they may be below', () => {
    const engine = engineOf([rule('t', [violence])], { missingScores: 'block' });
    expect(engine.decide(picture)).toBe('blockMessage');
    expect(asked(engine, picture)).toEqual(['image a']);
  });
});

const condition = fc.constantFrom<object>(
  { operand: 'text', value: ['kill'] },
  { operand: 'text', value: ['now'] },
  { operand: 'text', category: 'pattern', value: ['k.*w'] },
  toxicity,
  { ...toxicity, value: ['AnyOf_greaterThan_50', 'insult_greaterThan_0'] },
  { ...toxicity, operand: 'custom' },
  { operand: 'image', value: ['toxicity_greaterThan_70'] },
  { operand: 'video', category: 'custom-api', value: ['insult_greaterThan_30'] },
);
const filter = (role: string) => ({ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: role });
const denseRules = fc.array(
  fc.record({
    conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
    action: fc.constantFrom(['blockMessage'], ['blockMessage'], ['dropMessage'], ['allow'], ['flagMessage']),
    filters: fc.constantFrom([], [], [filter('default')], [filter('admin')]),
  }),
  { minLength: 1, maxLength: 5 },
);
const denseRuleSet = denseRules.map((rules) => ({
  rules: rules.map((own, index) => ({ id: `rule-${index}`, ...own }) as unknown as Rule),
  lists: [],
}));
const denseMessage = fc
  .record({
    category: fc.constantFrom('message', 'message', 'custom'),
    text: fc.constantFrom('kill', 'now', 'kill now', 'fine', 'fine', '', undefined, 7),
    files: fc.array(fc.constantFrom('image', 'video'), { maxLength: 2 }),
    role: fc.constantFrom('default', 'admin', undefined),
  })
  .map(({ category, text, files, role }) => {
    const attachments = files.map((kind, index) => ({ url: `${index}`, mimeType: `${kind}/x` }));
    const entities = { sender: { entity: { uid: 'ann', ...(role !== undefined && { role }) } } };
    return {
      category,
      data: { ...(text !== undefined && { text }), attachments, entities },
    } as unknown as MessageDraft;
  });
const denseReadings: fc.Arbitrary<Partial<Semantics>> = fc.record({
  conditions: fc.constantFrom('any', 'any', 'all'),
  missingScores: fc.constantFrom('allow', 'block'),
  unreadable: fc.constantFrom('allow', 'block'),
  precedence: fc.constantFrom<Semantics['precedence'][]>(
    ['dropMessage', 'blockMessage', 'allow'],
    ['dropMessage', 'blockMessage', 'allow'],
    ['blockMessage', 'dropMessage', 'allow'],
    ['allow', 'dropMessage', 'blockMessage'],
    ['dropMessage', 'allow', 'blockMessage'],
  ),
  exceptions: fc.constantFrom([], ['kill now'], [{ terms: ['now'], for: { rules: ['rule-0'] } }]),
  exempt: fc.constantFrom([], [], [filter('admin')]),
  shadow: fc.constantFrom([], [], ['rule-0']),
});
const anyLabels = fc.option(
  fc.dictionary(fc.constantFrom('toxicity', 'Insult', 'violence'), fc.constantFrom(0, 31, 71, 100), { maxKeys: 3 }),
);
const denseScores: fc.Arbitrary<Scores[]> = fc.array(
  fc.record({
    operand: fc.constantFrom('text' as const, 'custom' as const, 'image' as const),
    labels: fc.dictionary(fc.constantFrom('toxicity', 'insult'), fc.constantFrom(0, 71, -1), { maxKeys: 2 }),
    url: fc.constantFrom('0', undefined),
  }),
  { maxLength: 1 },
);

describe('an engine that asks for everything, and one that asks for what can change the verdict', () => {
  it.each<[string, number, fc.Arbitrary<[RuleSetInput, MessageDraft, Scores[], Partial<Semantics>]>]>([
    ['few rules that often match', runs(300, 30_000), fc.tuple(denseRuleSet, denseMessage, denseScores, denseReadings)],
    [
      'all that a rule set can be',
      runs(50, 5_000),
      fc.tuple(anyRuleSet, anyMessage, anyMedia, anyReadings as fc.Arbitrary<Partial<Semantics>>),
    ],
  ])('give the same verdict, whatever a scorer says: %s', (_, numRuns, world) => {
    let [spared, changed] = [0, 0];
    fc.assert(
      fc.property(world, fc.array(anyLabels, { minLength: 4, maxLength: 4 }), (given, labels) => {
        const [ruleSet, message, scores, readings] = given;
        const engine = createEngine(ruleSet, readings);
        const all = engine.scoreRequests(message, scores, { all: true });
        const open = engine.scoreRequests(message, scores);
        const keyOf = ({ operand, text, url }: ScoreRequest) => `${operand} ${text} ${url}`;
        // Of some it says nothing, as one that fails.
        const answers = new Map(all.map((request, index) => [keyOf(request), labels[index % 4]]));
        expect([...answers.keys()]).toEqual(expect.arrayContaining(open.map(keyOf)));
        const answersTo = (requests: readonly ScoreRequest[]): Scores[] =>
          requests.flatMap((request) => {
            const own = answers.get(keyOf(request));
            const { operand, url } = request;
            return own ? [{ operand, labels: own, ...(url !== undefined && { url }) }] : [];
          });
        const verdict = engine.decide(message, [...scores, ...answersTo(all)]);
        expect(engine.decide(message, [...scores, ...answersTo(open)])).toBe(verdict);
        spared += all.length - open.length;
        if (verdict !== engine.decide(message, scores)) changed++;
      }),
      { numRuns },
    );
    // The trials are about something; a hundred of all that there can be may not be.
    if (numRuns < 600) return;
    expect(spared).toBeGreaterThan(0);
    expect(changed).toBeGreaterThan(0);
  });
});

it('saves as many calls on the demo as docs/moderator.md says', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const rules = JSON.parse(read('fixtures/data/rules.json')) as Rule[];
  const engine = createEngine({ rules, lists: JSON.parse(read('fixtures/data/lists.json')) });
  const [all, open] = [
    { texts: 0, files: 0 },
    { texts: 0, files: 0 },
  ];
  for (const line of demoLines()) {
    const message = JSON.parse(line) as MessageDraft;
    for (const { text } of engine.scoreRequests(message, [], { all: true }))
      all[text === undefined ? 'files' : 'texts']++;
    for (const { text } of engine.scoreRequests(message)) open[text === undefined ? 'files' : 'texts']++;
  }
  expect([all, open]).toEqual([
    { texts: 23_248, files: 1090 },
    { texts: 995, files: 1090 },
  ]);
  const said =
    "The demo's rules have thresholds for 24,338 texts and files of its messages; `decideAsync` requests scores of 2,085";
  expect(read('docs/moderator.md').replace(/\s+/g, ' ')).toContain(said);
});

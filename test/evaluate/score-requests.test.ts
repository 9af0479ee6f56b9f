/** What a scorer is asked for: all that rules ask scores of, and for a verdict alone what can change it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine, type Engine, type Rule, type Scores, type Semantics } from '../../src/index.js';
import { anyReadings, anyRuleSet } from '../support/arbitrary.js';
import { anyMedia, anyMessage } from '../support/arbitrary-message.js';

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

/** An engine that asks for everything, and one that asks for what can change the verdict: the same verdict, never more requests. */
it('scores that are not asked for change no verdict, for random rules, messages, scores and readings', () => {
  let [spared, changed] = [0, 0];
  const labels = fc.dictionary(
    fc.constantFrom('violence', 'any unsafe content', 'alcohol', 'a'),
    fc.constantFrom(0, 31, 71, 100),
    { maxKeys: 3 },
  );
  fc.assert(
    fc.property(
      anyRuleSet,
      anyMessage,
      anyMedia,
      anyReadings,
      fc.array(fc.option(labels), { minLength: 8, maxLength: 8 }),
      (ruleSet, message, scores, readings, given) => {
        const engine = createEngine(ruleSet, readings);
        const all = engine.scoreRequests(message, scores, { all: true });
        const open = engine.scoreRequests(message, scores);
        // Whatever a scorer knows, nothing included: by what it is asked for.
        const answers = new Map(
          all.map(({ operand, text, url }, index) => [`${operand} ${text} ${url}`, given[index % 8]]),
        );
        const withScores = (requests: typeof all): Scores[] => [
          ...scores,
          ...requests.flatMap(({ operand, text, url }) => {
            const known = answers.get(`${operand} ${text} ${url}`);
            return known ? [{ operand, labels: known, ...(url !== undefined && { url }) }] : [];
          }),
        ];
        const verdict = engine.decide(message, withScores(all));
        expect(engine.decide(message, withScores(open))).toBe(verdict);
        expect(
          open.every((request) =>
            all.some(
              ({ text, url, operand }) => text === request.text && url === request.url && operand === request.operand,
            ),
          ),
        ).toBe(true);
        spared += all.length - open.length;
        if (verdict !== engine.decide(message, scores)) changed++;
      },
    ),
    { numRuns: 3000 },
  );
  // The trials are about something.
  expect(spared).toBeGreaterThan(100);
  expect(changed).toBeGreaterThan(100);
});

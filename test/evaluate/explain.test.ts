import { describe, expect, it } from 'vitest';
import { type PatternEngine, PatternFault } from '../../src/engine/match/patterns/engine.js';
import { resolveSemantics } from '../../src/engine/semantics.js';
import {
  createEngine,
  type MessageDraft,
  type Rule,
  type Semantics,
  UsageError,
  type WordReading,
} from '../../src/index.js';

const rule = (id: string, action: string | string[], ...conditions: object[]): Rule =>
  ({
    id,
    name: `Rule ${id}`,
    action,
    revisionId: `app_${id}_2`,
    conditions: conditions.map((condition, index) => ({
      id: index + 1,
      category: 'word',
      operator: 'contains',
      ...condition,
    })),
  }) as unknown as Rule;
const lists = [{ id: 'swears', searchTerms: ['darn', 'buy now'], revisionId: 'app_swears_7' }];
const swears = { operand: 'text', isKeywordsReferencePresent: true, value: ['swears'], message: 'mind your tongue' };
const engineOf = (rules: Rule[], semantics?: Partial<Semantics>) => createEngine({ rules, lists }, semantics);

describe('explain', () => {
  it('reports rule, condition, list, term and span of a match', () => {
    const decision = engineOf([rule('tongue', ['blockMessage', 'kick'], swears)]).explain({
      data: { text: 'oh DARN, buy  now' },
    });
    expect(decision).toEqual({
      verdict: 'blockMessage',
      actions: ['blockMessage', 'kick'],
      matched: [
        {
          ruleId: 'tongue',
          ruleName: 'Rule tongue',
          revisionId: 'app_tongue_2',
          actions: ['blockMessage', 'kick'],
          determining: true,
          shadow: false,
          conditions: [
            {
              conditionId: 1,
              operand: 'text',
              message: ['mind your tongue'],
              matches: [
                {
                  kind: 'word',
                  path: 'data.text',
                  span: { start: 3, end: 7 },
                  text: 'DARN',
                  term: 'darn',
                  listId: 'swears',
                  listRevisionId: 'app_swears_7',
                },
                {
                  kind: 'word',
                  path: 'data.text',
                  span: { start: 9, end: 17 },
                  text: 'buy  now',
                  term: 'buy now',
                  listId: 'swears',
                  listRevisionId: 'app_swears_7',
                },
              ],
            },
          ],
        },
      ],
      unevaluated: [],
      excepted: [],
      exempt: false,
      truncated: false,
      revision: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  });

  it('sorts determining rules first', () => {
    const rules = [
      rule('flag', 'flagMessage', swears),
      rule('block', 'blockMessage', swears),
      rule('drop', 'dropMessage', swears),
    ];
    const { verdict, matched, actions } = engineOf(rules).explain('darn');
    expect(verdict).toBe('dropMessage');
    expect(matched.map(({ ruleId, determining }) => [ruleId, determining])).toEqual([
      ['drop', true],
      ['flag', false],
      ['block', false],
    ]);
    expect(actions).toEqual(['flagMessage', 'blockMessage', 'dropMessage']);
  });

  it('reports shadow rules, which have no effect on the verdict', () => {
    const decision = engineOf([rule('block', 'blockMessage', swears)], { shadow: ['block'] }).explain('darn');
    expect(decision).toMatchObject({
      verdict: 'allow',
      actions: [],
      matched: [{ ruleId: 'block', shadow: true, determining: false }],
    });
  });

  it('scans every string of custom data, then its text, with JSON paths', () => {
    const engine = engineOf([rule('r', 'blockMessage', { operand: 'custom', value: ['darn'] })]);
    const message = {
      category: 'custom',
      data: { text: 'darn', customData: { a: ['x', { 'b c': 'darn' }], darn: 1, n: null, deep: { z: 'a darn' } } },
    };
    const paths = engine
      .explain(message)
      .matched.flatMap((hit) => hit.conditions.flatMap(({ matches }) => matches.map(({ path }) => path)));
    expect(paths).toEqual(['data.customData.a[1]["b c"]', 'data.customData.deep.z', 'data.text']);
    expect(engine.decide({ ...message, category: 'message' })).toBe('allow');
    expect(
      engineOf([rule('r', 'blockMessage', { operand: 'custom', value: ['darn'] })], {
        customText: ['data.customData.a[0]', 'meta'],
      }).decide(message),
    ).toBe('allow');
  });

  it.each([
    ['a caption', { category: 'message', type: 'image', data: { text: 'darn' } }, 'blockMessage'],
    ['a draft', { data: { text: 'darn' } }, 'blockMessage'],
    ['an unknown category', { category: 'interactive', data: { text: 'darn' } }, 'blockMessage'],
    ['an action message', { category: 'action', data: { text: 'darn' } }, 'allow'],
    ['a custom message', { category: 'custom', data: { text: 'darn' } }, 'allow'],
    ['a text that is none', { data: { text: ['darn'] } }, 'allow'],
    ['a deleted message', { category: 'message', deletedAt: 5 }, 'allow'],
  ])('evaluates the text of %s', (_, message, verdict) => {
    expect(engineOf([rule('r', 'blockMessage', swears)]).decide(message as MessageDraft)).toBe(verdict);
  });

  it.each([[undefined], [null], [5], [true], [Symbol('x')], [() => 'darn'], [['darn']]])(
    'rejects %s as a message',
    (message) => {
      const engine = engineOf([]);
      expect(() => engine.decide(message as never)).toThrow(UsageError);
      expect(() => engine.explain(message as never)).toThrow(UsageError);
    },
  );

  it('caps the matches and sets `truncated`', () => {
    const decision = engineOf([rule('a', 'blockMessage', swears), rule('b', 'blockMessage', swears)]).explain(
      'darn '.repeat(700),
    );
    expect(decision.truncated).toBe(true);
    expect(decision.matched.map((hit) => hit.conditions[0]!.matches.length)).toEqual([700, 300]);
    expect(engineOf([rule('a', 'blockMessage', swears)]).explain('darn '.repeat(1000)).truncated).toBe(false);
  });

  it('reports matches of determining rules first when there are more than the cap', () => {
    const inline = (word: string) => ({ operand: 'text', value: [word] });
    const decision = engineOf([
      rule('often', 'blockMessage', inline('a')),
      rule('once', 'dropMessage', inline('b')),
    ]).explain(`${'a '.repeat(1000)}b`);
    expect(decision.matched.map(({ ruleId, conditions: [hit] }) => [ruleId, hit!.matches.length])).toEqual([
      ['once', 1],
      ['often', 999],
    ]);
    expect(decision.actions).toEqual(['blockMessage', 'dropMessage']);
    expect(decision.truncated).toBe(true);
  });

  it('discards word matches inside an exception', () => {
    const engine = engineOf([rule('r', 'blockMessage', { operand: 'text', value: ['dick', 'van'] })], {
      exceptions: ['Dick van Dyke'],
    });
    expect(engine.decide('I like dick  VAN dyke')).toBe('allow');
    expect(engine.explain('Dick van Dyke, dick').matched[0]!.conditions[0]!.matches).toMatchObject([
      { span: { start: 15, end: 19 } },
    ]);
  });

  it('later decisions do not depend on changes to earlier ones', () => {
    const engine = engineOf([rule('r', ['blockMessage'], swears)], { exempt: (message) => message.sender === 'bot' });
    const exempt = engine.explain({ sender: 'bot', data: { text: 'darn' } });
    (exempt.actions as string[]).push('ban');
    expect(engine.explain({ sender: 'bot', data: { text: 'darn' } }).actions).toEqual([]);
    const hit = engine.explain('darn').matched[0]!;
    expect(() => (hit.actions as string[]).push('ban')).toThrow(TypeError);
    expect(() => (hit.conditions[0]!.message as string[]).pop()).toThrow(TypeError);
  });

  it('allows exempt messages without evaluation', () => {
    const draft = {
      sender: 'ann',
      data: { text: 'darn', entities: { sender: { entity: { uid: 'ann', role: 'manager' } } } },
    };
    const managers = { entity: 'user', type: 'sender', operand: 'role', operator: 'equals', value: 'manager' };
    const engine = engineOf([rule('r', 'blockMessage', swears)], { exempt: [managers] });
    expect(engine.explain(draft)).toMatchObject({ verdict: 'allow', exempt: true, matched: [] });
    expect(engine.explain({ sender: 'ann', data: { text: 'darn' } })).toMatchObject({
      verdict: 'blockMessage',
      exempt: false,
    });
    const bots = engineOf([rule('r', 'blockMessage', swears)], { exempt: (message) => message.sender === 'bot' });
    expect([bots.decide({ sender: 'bot', data: { text: 'darn' } }), bots.decide('darn')]).toEqual([
      'allow',
      'blockMessage',
    ]);
    expect(() => engineOf([], { exempt: [{ ...managers, operator: 'resembles' }] })).toThrow(UsageError);
  });
});

describe('unevaluated', () => {
  const image = { operand: 'image', value: ['AnyOf_greaterThan_50'] };

  it('lists media conditions without scores, unless the rule matched', () => {
    const engine = engineOf([rule('r', 'blockMessage', image, swears)]);
    const picture = { type: 'image', data: { text: 'hello' } };
    expect(engine.explain(picture).unevaluated).toMatchObject([{ ruleId: 'r', conditionId: 1, why: 'no-scores' }]);
    expect(engine.explain({ ...picture, data: { text: 'darn' } }).unevaluated).toEqual([]);
    expect(engine.explain('hello').unevaluated).toEqual([]);
    expect(engine.explain(picture, [{ operand: 'image', labels: { x: 50 } }])).toMatchObject({
      verdict: 'allow',
      unevaluated: [],
    });
    expect(engine.decide(picture, [{ operand: 'image', labels: { x: 50.1 } }])).toBe('blockMessage');
    expect(engineOf([rule('r', 'blockMessage', image)], { missingScores: 'block' }).explain(picture)).toMatchObject({
      verdict: 'blockMessage',
      unevaluated: [],
    });
  });

  it('lists rules whose filters lack a property, and not those whose filters fail', () => {
    const filtered = {
      ...rule('r', 'blockMessage', swears),
      filters: [{ entity: 'user', type: 'sender', operand: 'role', operator: 'not equals', value: 'manager' }],
    };
    const engine = engineOf([filtered]);
    const from = (role: string) => ({ data: { text: 'darn', entities: { sender: { entity: { uid: 'x', role } } } } });
    expect(engine.explain('darn')).toMatchObject({
      verdict: 'allow',
      unevaluated: [{ ruleId: 'r', why: 'not-answerable', lacks: { party: 'sender', property: 'role' } }],
    });
    expect(engine.explain(from('manager'))).toMatchObject({ verdict: 'allow', unevaluated: [] });
    expect(engine.explain(from('default'))).toMatchObject({ verdict: 'blockMessage', unevaluated: [] });
  });

  it('lists operands that cannot be evaluated, whatever the message holds', () => {
    const engine = engineOf([rule('r', 'blockMessage', { operand: 'sticker', value: ['x'] })]);
    expect(engine.explain({ type: 'sticker', data: {} }).unevaluated).toMatchObject([{ why: 'not-compiled' }]);
    expect(engine.explain({ data: { attachments: [{ mimeType: 'Sticker/ogg' }] } }).unevaluated).toHaveLength(1);
    expect(engine.explain('hello').unevaluated).toMatchObject([{ why: 'not-compiled' }]);
  });

  it('reports a failing pattern engine as a fault, never as a verdict', () => {
    const failing: PatternEngine = {
      name: 'failing',
      compile: () => ({
        rejected: [],
        mark: () => {
          throw new PatternFault('out of memory');
        },
        find: () => {},
        close: () => {},
      }),
    };
    const patterns = rule('p', 'blockMessage', { operand: 'text', category: 'pattern', value: ['a'] });
    const engine = engineOf([patterns, rule('w', 'dropMessage', swears)], { engine: failing });
    expect(engine.explain('a')).toMatchObject({
      verdict: 'allow',
      unevaluated: [{ ruleId: 'p', why: 'engine-fault', detail: 'out of memory' }],
    });
    expect(engine.decide('darn')).toBe('dropMessage');
    const dead: PatternEngine = {
      name: 'dead',
      compile: () => {
        throw new PatternFault('no heap');
      },
    };
    expect(engineOf([patterns], { engine: dead }).explain('a').unevaluated).toMatchObject([{ why: 'engine-fault' }]);
    expect(engineOf([patterns], { engine: dead }).issues).toMatchObject([{ code: 'engine-fault', severity: 'error' }]);
  });
});

describe('semantics', () => {
  it.each([
    [{ wrods: 'word' }, /unknown reading `wrods`/],
    [{ words: 'letters' }, /^reading `words` must be one of word, substring, prefix, suffix, or an object/],
    [
      { words: 'links' },
      /^reading `words` must not be links, which is a reading of single lists: \{ lists: \{ ID: 'links'/,
    ],
    [
      { words: { default: 'links', lists: {} } },
      /^`words.default` must not be links, which is a reading of single lists/,
    ],
    [{ words: ['word'] }, /^reading `words` must be one of word, substring/],
    [{ words: null }, /^reading `words` must be one of word, substring/],
    [{ words: {} }, /^`words.lists` must be an object of readings by list id$/],
    [{ words: { default: 'word', lists: ['word'] } }, /^`words.lists` must be an object of readings by list id$/],
    [{ words: { default: 'words', lists: {} } }, /^`words.default` must be one of word, substring, prefix, suffix/],
    [{ words: { lists: { x: 'word', y: true } } }, /^`words.lists.y` must be one of word, substring, prefix, suffix/],
    [{ words: { list: {}, lists: {} } }, /^unknown `words.list`; there are default, lists$/],
    [{ wildcards: 'on' }, /^reading `wildcards` must be one of off, asterisk$/],
    [{ precedence: 'dropMessage' }, /`precedence` must be an array of strings/],
    [
      { precedence: [] },
      /^reading `precedence` must name each of allow, blockMessage, dropMessage once, strongest first$/,
    ],
    [{ precedence: ['dropMessage', 'blockMessage'] }, /`precedence` must name each/],
    [{ precedence: ['dropMessage', 'blokMessage', 'allow'] }, /`precedence` must name each/],
    [{ precedence: ['dropMessage', 'dropMessage', 'allow'] }, /`precedence` must name each/],
    [{ precedence: ['dropMessage', 'blockMessage', 'allow', 'flagMessage'] }, /`precedence` must name each/],
    [{ shadow: new Array(2) }, /`shadow` must be an array of strings/],
    [{ shadow: 'a' }, /`shadow` must be an array of strings/],
    [{ shadow: [7] }, /`shadow` must be an array of strings/],
    [{ customText: [''] }, /`` is not a JSON path/],
    [{ exempt: 'admin' }, /`exempt` must be an array of filters/],
    [{ exempt: [{ operand: 'role' }] }, /^reading `exempt`: filter 1 is not about a sending or receiving user/],
    [{ customText: ['a..b'] }, /`a\.\.b` is not a JSON path/],
    [{ customText: ['data["\\x"]'] }, /is not a JSON path/],
    [{ engine: 're2' }, /`engine` must be a pattern engine/],
    [{ exempt: ['x'] }, /`exempt`/],
    [5, /semantics must be an object/],
  ])('rejects %j', (changes, message) => {
    expect(() => engineOf([], changes as never)).toThrow(UsageError);
    expect(() => engineOf([], changes as never)).toThrow(message);
  });

  it('keep the readings of lists as they were given', () => {
    const given: { default?: WordReading; lists: Record<string, WordReading> } = { lists: { x: 'prefix' } };
    const { words } = resolveSemantics({ words: given });
    given.default = 'substring';
    given.lists.x = 'word';
    expect(words).toEqual({ lists: { x: 'prefix' } });
    expect([Object.isFrozen(words), Object.isFrozen(Object(words).lists)]).toEqual([true, true]);
  });

  it('are part of the revision, as are rules and lists, but not the order of fields', () => {
    const rules = [rule('r', 'blockMessage', swears)];
    const revision = engineOf(rules).revision;
    expect(engineOf(rules, { words: 'word' }).revision).toBe(revision);
    expect(engineOf(rules, { words: 'substring' }).revision).not.toBe(revision);
    expect(engineOf(rules, { words: { lists: { x: 'prefix' } } }).revision).not.toBe(revision);
    expect(createEngine({ rules, lists: [] }).revision).not.toBe(revision);
    expect(
      createEngine({ rules, lists: [Object.fromEntries(Object.entries(lists[0]!).reverse()) as never] }).revision,
    ).toBe(revision);
  });
});

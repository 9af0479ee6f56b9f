import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { createEngine, createModerator, type Engine } from '../../src/index.js';
import { createModerationHandler, type ModerationHandlerOptions } from '../../src/live/http/handler.js';
import { never, platform } from '../moderator/platform.js';
import { call, ruleSet } from './call.js';

interface Payload {
  readonly contextMessages: readonly Readonly<Record<string, unknown>>[];
}

/** What platforms document that they send, and take for an answer. */
const { request, response } = JSON.parse(readFileSync(new URL('custom-api.json', import.meta.url), 'utf8')) as {
  readonly request: Payload;
  readonly response: object;
};

/** The documented request with other fields of the message under moderation. */
function payload(changes: object): Payload {
  const [[uid, message]] = Object.entries(request.contextMessages.at(-1)!) as [[string, object]];
  return { contextMessages: [...request.contextMessages.slice(0, -1), { [uid]: { ...message, ...changes } }] };
}
const saying = (text: string) => payload({ data: { text } });

const engine = createEngine(ruleSet);
const ask = async (body: unknown, query = '', options: ModerationHandlerOptions = {}, by: Partial<Engine> = {}) => {
  const { status, json } = await call(
    createModerationHandler({ ...engine, ...by }, options),
    `/custom-api${query}`,
    body,
  );
  return { status, ...(json as object) };
};
const no = { status: 200, isMatchingCondition: false, confidence: 0, reason: '' };
const yes = { status: 200, isMatchingCondition: true, confidence: 1, reason: expect.any(String) };

describe('the documented request', () => {
  it('gets an answer of the documented fields and types', async () => {
    for (const body of [request, saying('You moron!')]) {
      const { status, ...answer } = await ask(body);
      expect(status).toBe(200);
      const types = (value: object) => Object.entries(value).map(([name, field]) => [name, typeof field]);
      expect(types(answer)).toEqual(types(response));
    }
  });

  it('is judged by its last message alone, with all of its fields', async () => {
    expect(await ask(request)).toEqual(no);
    expect(await ask(saying('You moron!'))).toEqual(yes);
    const context = [{ 'uid-ana': 'you moron' }, ...request.contextMessages];
    expect(await ask({ contextMessages: context })).toEqual(no);
    const filters = [{ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: 'default' }];
    const filtered = createEngine({ ...ruleSet, rules: ruleSet.rules.map((rule) => ({ ...rule, filters }) as never) });
    const message = request.contextMessages.at(-1)!['uid-ben'] as { readonly data: object };
    expect(await ask(payload({ data: { ...message.data, text: 'You moron!' } }), '', {}, filtered)).toEqual(yes);
    expect(await ask(saying('hello'), '', {}, filtered)).toEqual(no);
    expect(await ask(saying('You moron!'), '', {}, filtered)).toMatchObject({ status: 503 });
  });

  it('may be without context, and may hold a text in place of a message', async () => {
    expect(await ask({ contextMessages: saying('moron').contextMessages.slice(-1) })).toEqual(yes);
    expect(await ask({ contextMessages: [{ 'uid-ana': 'moron' }] })).toEqual(yes);
    expect(await ask({ contextMessages: [JSON.parse('{"__proto__":"moron"}')] })).toEqual(yes);
  });

  it.each([
    [{}],
    [[]],
    ['moron'],
    [{ contextMessages: {} }],
    [{ contextMessages: [] }],
    [{ contextMessages: [null] }],
    [{ contextMessages: [{}] }],
    [{ contextMessages: [{ a: 7 }] }],
    [{ contextMessages: [{ a: { text: 'x' } }] }],
    [{ contextMessages: [{ a: { data: { text: 'x' } }, b: { data: { text: 'y' } } }] }],
  ])('%j is none: a 400', async (body) => {
    expect(await ask(body)).toEqual({ status: 400, error: expect.any(String) });
  });
});

describe('what counts', () => {
  it.each<[text: string, query: string, matches: boolean]>([
    ['moron', '', true],
    ['buy now', '', true],
    // Flagged, and so allowed.
    ['http://a', '', false],
    ['moron', '?rule=insults', true],
    ['moron', '?rule=scams', false],
    ['moron', '?rule=scams&rule=insults', true],
    ['http://a', '?rule=links', true],
    ['moron', '?rule=resting', false],
    ['trial', '?rule=trial', false],
    ['moron', '?verdict=blockMessage', true],
    ['moron', '?verdict=dropMessage', false],
    ['moron, buy now', '?verdict=dropMessage', true],
    ['moron, buy now', '?verdict=blockMessage', false],
    ['moron, buy now', '?verdict=blockMessage&verdict=dropMessage', true],
    ['http://a', '?action=flagMessage', true],
    ['buy now', '?action=kick', true],
    ['moron', '?action=kick', false],
    ['moron, http://a', '?rule=insults&action=flagMessage', false],
    ['moron, http://a', '?rule=links&verdict=blockMessage', true],
    ['http://a', '?rule=links&verdict=blockMessage', false],
  ])('%s, with %s: %s', async (text, query, matches) => {
    expect(await ask(saying(text), query)).toEqual(matches ? yes : no);
  });

  it('is no rule and no action that is not there, no verdict that never counts, and no parameter of another name', async () => {
    expect(await ask(saying('x'), '?rule=insult')).toEqual({ status: 404, error: 'there is no rule `insult`' });
    const error404 = 'there is no rule of the action `flagmessage`';
    expect(await ask(saying('x'), '?action=kick&action=flagmessage')).toEqual({ status: 404, error: error404 });
    expect(await ask(saying('x'), '?rule=insults&rule=')).toMatchObject({ status: 404 });
    expect(await ask(saying('x'), '?verdict=dropmessage')).toMatchObject({ status: 400 });
    expect(await ask(saying('x'), '?verdict=allow')).toMatchObject({ status: 400 });
    const { error } = (await ask(saying('x'), '?verdit=dropMessage')) as unknown as { readonly error: string };
    expect(error).toContain('did you mean `verdict`?');
  });

  it('is nothing that could not be evaluated, which the metrics say: that is a 503 where it could change the answer', async () => {
    const handler = createModerationHandler(engine);
    const picture = payload({ type: 'image', data: { url: 'https://files.example/a.png' } });
    const answers = [];
    for (const query of ['', '?rule=gore', '?action=blockMessage', '?verdict=blockMessage', '?rule=insults&rule=gore'])
      answers.push((await call(handler, `/custom-api${query}`, picture)).json);
    expect(new Set(answers.map(({ error }) => error))).toEqual(new Set(['there are no scores']));
    for (const query of [
      '?rule=insults',
      '?action=flagMessage',
      '?verdict=dropMessage',
      '?rule=gore&verdict=dropMessage',
    ])
      expect((await call(handler, `/custom-api${query}`, picture)).json).toMatchObject({ isMatchingCondition: false });
    const { text } = await call(handler, '/metrics');
    expect(text).toContain('sluice_unevaluated_total{why="no-scores",rule="gore"} 9\n');
    expect(text).toContain('sluice_unanswered_total{why="there are no scores"} 5\n');
  });
});

describe('confidence and reason', () => {
  const scored = (gore: number) => ({
    explain: () => engine.explain({ type: 'image' }, [{ operand: 'image', labels: { gore } }]),
  });

  it('say the score by a hundred, the rule, the term or pattern with its list, and the place', async () => {
    const reasons = async (detail: 'full' | 'rule' | 'none') => [
      await ask(saying('oh buy now'), '', { reason: detail }),
      await ask(saying('see http://a'), '?rule=links', { reason: detail }),
      await ask(saying('x'), '', { reason: detail }, scored(87)),
    ];
    expect(await reasons('full')).toEqual([
      { ...yes, reason: 'rule scams: term "buy now" of list scam-words at data.text 3-10' },
      { ...yes, reason: 'rule links: pattern "https?://\\w+" at data.text 4-12' },
      { ...yes, confidence: 0.87, reason: 'rule gore: gore 87, over 70' },
    ]);
    const short = (await reasons('rule')) as unknown as readonly { readonly reason: string }[];
    expect(short.map(({ reason }) => reason)).toEqual(['rule scams', 'rule links', 'rule gore']);
    const none = (await reasons('none')) as unknown as readonly { readonly reason: string }[];
    expect(none.map(({ reason }) => reason)).toEqual(['', '', '']);
  });

  it('the largest of what matched is the confidence, and what matched without a match is certain', async () => {
    const both = () =>
      engine.explain({ type: 'image', data: { text: 'moron' } }, [{ operand: 'image', labels: { gore: 71 } }]);
    expect(await ask(saying('x'), '', {}, { explain: both })).toEqual(yes);
    expect(await ask(saying('x'), '?rule=gore', {}, { explain: both })).toMatchObject({ confidence: 0.71 });
    const strict = createEngine(ruleSet, { missingScores: 'block' });
    expect(await ask(payload({ type: 'image', data: { url: 'https://files.example/a.png' } }), '', {}, strict)).toEqual(
      {
        ...yes,
        reason: 'rule gore',
      },
    );
  });

  it('a reason is at most 255 characters on one line, and splits no surrogate pair', async () => {
    for (const length of [100, 200, 201, 202, 203, 204, 205, 400]) {
      const term = `${'a'.repeat(length)}${'😀'.repeat(100)}\n\u001bz`;
      const rules = [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: [term] }] }];
      const { reason } = (await ask(saying(term), '', {}, createEngine({ rules, lists: [] }))) as unknown as {
        readonly reason: string;
      };
      expect(reason.length).toBeLessThanOrEqual(255);
      expect(reason.length).toBeGreaterThanOrEqual(254);
      expect(reason.isWellFormed()).toBe(true);
      expect(reason).not.toMatch(/\p{Cc}/u);
    }
  });
});

describe('a message that cannot be judged', () => {
  const outcomes = async (by: object, query = '') => [
    await ask(saying('moron'), query, {}, by),
    await ask(saying('moron'), query, { onUnanswered: 'no-match' }, by),
    await ask(saying('moron'), query, { onUnanswered: 'match', reason: 'none' }, by),
  ];
  const are = (why: string) => [
    { status: 503, error: why },
    { status: 200, isMatchingCondition: false, confidence: 0, reason: `not judged: ${why}` },
    { status: 200, isMatchingCondition: true, confidence: 1, reason: '' },
  ];

  it('is one without rules, or with rules that are too old or fail', async () => {
    expect(await outcomes({ status: { state: 'loading' } }, '?rule=insults')).toEqual(are('the rules are not there'));
    expect(await outcomes({ status: { state: 'closed' } })).toEqual(are('the rules are not there'));
    expect(await outcomes({ status: { state: 'stale', expired: true } })).toEqual(are('the rules are too old'));
    const broken = () => {
      throw new Error('secret');
    };
    expect(await outcomes({ explain: broken })).toEqual(are('the rules could not be used'));
    expect(await ask(saying('moron'), '', {}, { status: { state: 'stale' } } as object)).toEqual(yes);
  });

  it('is one by rules beyond `maxStaleMs`, whatever `whenStale` says', async () => {
    for (const whenStale of ['keep', 'block', 'throw'] as const) {
      const { source } = platform();
      const moderator = await createModerator({ source, maxStaleMs: 1_000, whenStale });
      const live = createModerationHandler(moderator);
      expect((await call(live, '/custom-api', saying('darn'))).json.isMatchingCondition).toBe(true);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 });
      try {
        expect((await call(live, '/custom-api', saying('darn'))).status).toBe(503);
      } finally {
        vi.useRealTimers();
        await moderator.close();
      }
    }
  });

  it('is one whose scorer is late, long before the two seconds of a platform', async () => {
    vi.useFakeTimers();
    try {
      const aborted: boolean[] = [];
      const explainAsync = (_message: unknown, _scores: unknown, { deadline }: { readonly deadline: AbortSignal }) => {
        deadline.addEventListener('abort', () => aborted.push(true));
        return never;
      };
      const rules = [
        {
          id: 'r',
          action: ['blockMessage'],
          conditions: [{ operand: 'text', category: 'toxicity', value: ['x_greaterThan_7'] }],
        },
      ];
      const asked = outcomes({ ...createEngine({ rules, lists: [] }), explainAsync });
      for (let times = 0; times < 3; times++) {
        await vi.waitUntil(() => vi.getTimerCount() > 0);
        await vi.advanceTimersByTimeAsync(1_500);
      }
      expect(await asked).toEqual(are('the scores did not come in time'));
      expect(aborted).toEqual([true, true, true]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is none that words drop, whose scores can change nothing but whether a rule matched', async () => {
    const conditionOf = (category: string, value: string) => [{ operand: 'text', category, value: [value] }];
    const { source } = platform({
      rules: [
        { id: 'scams', action: ['dropMessage'], conditions: conditionOf('word', 'scam') },
        { id: 'toxic', action: ['blockMessage'], conditions: conditionOf('toxicity', 'toxicity_greaterThan_70') },
      ],
    });
    const score = vi.fn(() => Promise.reject(new Error('secret')));
    const moderator = await createModerator({ source, scorer: { score } });
    const live = createModerationHandler(moderator);
    const { json } = await call(live, '/custom-api', saying('a scam'));
    expect([json.isMatchingCondition, json.confidence, score.mock.calls.length]).toEqual([true, 1, 0]);
    expect((await call(live, '/metrics')).text).not.toContain('sluice_unevaluated_total{');
    const { json: byRule } = await call(live, '/custom-api?rule=toxic', saying('a scam'));
    expect([byRule.error, score.mock.calls.length]).toEqual(['there are no scores', 1]);
    const { json: byWord } = await call(live, '/custom-api?rule=toxic&rule=scams', saying('a scam'));
    expect([byWord.isMatchingCondition, score.mock.calls.length]).toEqual([true, 1]);
    await call(live, '/custom-api', saying('fine'));
    expect((await call(live, '/metrics')).text).toContain('{why="no-scores",rule="toxic"} 2\n');
    await moderator.close();
  });

  it('is counted', async () => {
    const late = createModerationHandler({ ...engine, status: { state: 'loading' } }, { onUnanswered: 'match' });
    await call(late, '/custom-api', saying('moron'));
    const { text } = await call(late, '/metrics');
    expect(text).toContain('sluice_unanswered_total{why="the rules are not there"} 1\n');
    expect(text).toContain('sluice_rules_ready 0\n');
  });
});

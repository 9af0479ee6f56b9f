/**
 * Every way in which a scorer can fail, and every limit, at every endpoint and under every setting.
 */
import { MockAgent } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHttpScorer, createModerator, type Scorer } from '../../src/index.js';
import { createModerationHandler, type ModerationHandlerOptions } from '../../src/live/http/handler.js';
import { never, platform, workplace } from '../moderator/platform.js';
import { turns } from '../support/until.js';
import { call, type Handler } from './call.js';

const { moderatorOf } = workplace();
afterEach(() => void vi.useRealTimers());

const block = { action: ['blockMessage'] };
const conditionOf = (category: string, value: string, operand = 'text') => [{ operand, category, value: [value] }];
const words = { id: 'insults', ...block, conditions: conditionOf('word', 'moron') };
const toxic = { id: 'toxic', ...block, conditions: conditionOf('toxicity', 'toxicity_greaterThan_70') };
const rules = [words, toxic];

/** A scorer over HTTP whose endpoint answers so. */
function answering(status: number, body: string, headers: Record<string, string> = {}): Scorer {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  const pool = dispatcher.get('https://scores.example');
  pool.intercept({ path: '/', method: 'POST' }).reply(status, body, { headers }).persist();
  return createHttpScorer({ url: 'https://scores.example/', dispatcher });
}
function unreachable(): Scorer {
  const dispatcher = new MockAgent();
  const pool = dispatcher.get('https://scores.example');
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  pool.intercept({ path: '/', method: 'POST' }).replyWithError(refused).persist();
  return createHttpScorer({ url: 'https://scores.example/', dispatcher });
}
const scoring = (score: () => unknown): Scorer => ({ score: score as Scorer['score'] });

const failing: Readonly<Record<string, () => Scorer>> = {
  'nobody listens': unreachable,
  'a 500': () => answering(500, '{"error":"x"}'),
  'a 204': () => answering(204, ''),
  'a redirect': () => answering(302, '', { location: 'https://elsewhere.example/' }),
  HTML: () => answering(200, '<html>hello</html>', { 'content-type': 'text/html' }),
  'broken JSON': () => answering(200, '{"labels":{"toxicity":'),
  'an empty body': () => answering(200, ''),
  'another shape': () => answering(200, '{"toxicity":91}'),
  'a text for a score': () => answering(200, '{"labels":{"toxicity":"91"}}'),
  'a score above 100': () => answering(200, '{"labels":{"toxicity":910}}'),
  'no known scores': () => answering(200, '{"labels":null}'),
  'other labels only': () => answering(200, '{"labels":{"spam":3}}'),
  'too much': () => answering(200, `{"labels":{"toxicity":1,"x${'x'.repeat(70_000)}":1}}`),
  'a function that throws': () =>
    scoring(() => {
      throw new Error('secret');
    }),
  'a promise that rejects': () => scoring(() => Promise.reject('secret')),
  'something else than scores': () => scoring(async () => 'fine'),
  'no answer': () => scoring(() => never),
};

const settings = ['fail', 'no-match', 'match'] as const;
const platformBody = (text: string) => ({ contextMessages: [{ ana: text }] });

/** A handler over a moderator with such a scorer, and how to ask it with the clock in hand. */
async function handlerOf(scorer: Scorer, options: ModerationHandlerOptions = {}, own: readonly object[] = rules) {
  const { source } = platform({ rules: own as never });
  const moderator = await moderatorOf({ source, scorer, scoring: { timeoutMs: 600_000, concurrency: 1_000 } });
  return createModerationHandler(moderator, options);
}
/** Answers, after as many deadlines as pass until they are there. */
async function within<T>(asked: Promise<T>): Promise<T> {
  let isThere = false;
  const done = asked.finally(() => {
    isThere = true;
  });
  for (await turns(); !isThere; await turns()) await vi.advanceTimersByTimeAsync(5_000);
  return done;
}
const fakeClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
const unanswered = (setting: (typeof settings)[number]) =>
  setting === 'fail'
    ? { status: 503, json: { error: expect.any(String) } }
    : {
        status: 200,
        json: { isMatchingCondition: setting === 'match', reason: expect.stringMatching(/^not judged: /) },
      };

describe.each(Object.keys(failing))('a scorer with %s', (name) => {
  it.each(settings)(
    'is what `onUnanswered: %s` says to a platform, and `unevaluated` to a backend',
    async (onUnanswered) => {
      const handler = await handlerOf(failing[name]!(), { onUnanswered });
      fakeClock();
      const ask = (path: string, body: unknown) => within(call(handler, path, body));
      const full = (await ask('/decide', 'fine')).json;
      expect([full.verdict, full.unevaluated]).toEqual(['allow', [expect.objectContaining({ why: 'no-scores' })]]);
      expect(JSON.stringify(full)).not.toContain('secret');
      const short = { verdict: 'allow', unevaluated: 1 };
      expect((await ask('/decide?explain=false', 'fine')).json).toEqual(short);
      const stopped = { verdict: 'blockMessage', unevaluated: 1 };
      expect((await ask('/decide/batch?explain=false', ['fine', 'moron', 'well'])).json).toEqual([
        short,
        stopped,
        short,
      ]);
      for (const query of [
        '',
        '?rule=toxic',
        '?verdict=blockMessage',
        '?action=blockMessage',
        '?rule=toxic&rule=insults',
      ]) {
        expect(await ask(`/custom-api${query}`, platformBody('fine'))).toMatchObject(unanswered(onUnanswered));
      }
      // What words say stands, and what is not about scores.
      const match = { status: 200, json: { isMatchingCondition: true, confidence: 1 } };
      for (const query of ['', '?rule=insults', '?rule=toxic&rule=insults', '?action=blockMessage'])
        expect(await call(handler, `/custom-api${query}`, platformBody('moron'))).toMatchObject(match);
      const none = { status: 200, json: { isMatchingCondition: false, reason: '' } };
      for (const query of ['?rule=insults', '?verdict=dropMessage'])
        expect(await call(handler, `/custom-api${query}`, platformBody('fine'))).toMatchObject(none);
      expect((await call(handler, '/decide', 'moron')).json.verdict).toBe('blockMessage');
      const { text } = await call(handler, '/metrics');
      const counted = [...text.matchAll(/^sluice_unanswered_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(5);
      // A full answer, a short one, two of a batch, and those of the platform.
      expect(text).toMatch(/sluice_unevaluated_total\{why="no-scores",rule="toxic"\} 9\n/);
    },
  );
});

describe('what a message lacks, a fault, and what could not be compiled', () => {
  const guest = [{ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: 'guest' }];
  const broken = { id: 'broken', ...block, conditions: [{ operand: 'txt', category: 'word', value: ['fine'] }] };
  const pattern = { id: 'pattern', ...block, conditions: conditionOf('pattern', '(') };
  it.each<[string, readonly object[], unknown, boolean]>([
    ['a role', [{ ...words, filters: guest }], platformBody('moron'), true],
    ['a role, of a rule that cannot match', [{ ...words, filters: guest }], platformBody('fine'), false],
    ['a text', [words], { contextMessages: [{ ana: { type: 'text', data: { text: 7 } } }] }, true],
    ['nothing: rules that could not be compiled', [words, broken, pattern], platformBody('fine'), false],
    ['scores, where there is no scorer', [words, toxic], platformBody('fine'), true],
    ['scores of a rule that flags', [words, { ...toxic, action: ['flagMessage'] }], platformBody('fine'), false],
  ])('%s', async (_, own, body, isUnanswered) => {
    const { source } = platform({ rules: own as never });
    const moderator = await moderatorOf({ source });
    for (const onUnanswered of settings) {
      const answer = await call(createModerationHandler(moderator, { onUnanswered }), '/custom-api', body);
      expect(answer).toMatchObject(isUnanswered ? unanswered(onUnanswered) : { status: 200, json: { reason: '' } });
    }
  });
});

describe('a deadline', () => {
  it('is one of each message of a batch, and an option; scores that came by then count', async () => {
    const picture = (name: string) => ({ url: `https://files.example/${name}`, mimeType: 'image/png' });
    const gore = { id: 'gore', ...block, conditions: [{ operand: 'image', value: ['gore_greaterThan_70'] }] };
    const partial = scoring((({ url }: { url: string }) => (url.endsWith('bad') ? { gore: 90 } : never)) as never);
    const handler = await handlerOf(partial, { deadlineMs: 700 }, [gore]);
    fakeClock();
    const message = (...names: string[]) => ({ type: 'image', data: { attachments: names.map(picture) } });
    let batch: unknown;
    const batches = Array.from({ length: 17 }, () => message('slow'));
    const asked = call(handler, '/decide/batch?explain=false', [message('bad', 'slow'), ...batches]).then(
      ({ json }) => {
        batch = json;
      },
    );
    await turns();
    await vi.advanceTimersByTimeAsync(700);
    await turns();
    expect(batch).toBeUndefined();
    await vi.advanceTimersByTimeAsync(700);
    await asked;
    const [first, ...others] = batch as readonly object[];
    expect(first).toEqual({ verdict: 'blockMessage', unevaluated: 0 });
    expect(others).toEqual(batches.map(() => ({ verdict: 'allow', unevaluated: 1 })));
  });

  it('holds for judges that do not heed it', async () => {
    const { source } = platform({ rules });
    const moderator = await moderatorOf({ source });
    const judge = { decide: moderator.decide, explain: moderator.explain, explainAsync: () => never as never };
    const handler = createModerationHandler(judge);
    fakeClock();
    for (const [text, verdict] of [
      ['fine', 'allow'],
      ['moron', 'blockMessage'],
    ])
      expect((await within(call(handler, '/decide?explain=false', text))).json).toEqual({ verdict, unevaluated: 1 });
    expect(await within(call(handler, '/custom-api', platformBody('fine')))).toMatchObject(unanswered('fail'));
  });
});

describe('load', () => {
  const inFlight = async (handler: Handler) => (await call(handler, '/metrics')).text.match(/in_flight (\d+)/)?.[1];

  it.each(settings)('messages that wait for a scorer hold up no others, under `%s`', async (onUnanswered) => {
    const handler = await handlerOf(
      scoring(() => never),
      { onUnanswered },
    );
    fakeClock();
    const open = Array.from({ length: 300 }, (_, at) => call(handler, '/decide', `fine ${at}`));
    await turns(60);
    expect(await inFlight(handler)).toBe('256');
    for (const path of ['/decide', '/decide?explain=false']) {
      expect((await call(handler, path, 'moron')).json.verdict).toBe('blockMessage');
      expect((await call(handler, path, 'fine')).status).toBe(429);
    }
    expect((await call(handler, '/decide/batch', ['moron'])).json[0].verdict).toBe('blockMessage');
    const asked = Array.from({ length: 300 }, (_, at) => call(handler, '/custom-api', platformBody(`fine ${at}`)));
    await turns(60);
    for (let times = 0; times < 30; times++) {
      const { json } = await call(handler, '/custom-api', platformBody(`you moron ${times}`));
      expect(json.isMatchingCondition).toBe(true);
    }
    const refused = await call(handler, '/custom-api', platformBody('fine'));
    expect(refused).toMatchObject({ ...unanswered(onUnanswered), ...(onUnanswered === 'fail' && { status: 429 }) });
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await Promise.all(open)).filter(({ status }) => status === 200)).toHaveLength(256);
    const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
    expect(statuses).toEqual(new Set(onUnanswered === 'fail' ? [503, 429] : [200]));
    expect(await inFlight(handler)).toBe('0');
  });

  it.each(settings)(
    'bodies over a limit, and full places, are answered as `%s` says, and counted',
    async (onUnanswered) => {
      const auth = { bearer: 'canary' };
      const handler = createModerationHandler(await createModerator({ source: platform({ rules }).source }), {
        onUnanswered,
        auth,
      });
      const headers = { authorization: 'Bearer canary' };
      const bytes = (text: string) => new TextEncoder().encode(text);
      const ask = (body: unknown, given: Record<string, string> = headers) =>
        call(handler, '/custom-api', body, { headers: given });
      const long = bytes(JSON.stringify(platformBody('moron '.repeat(200_000))));
      const many = bytes(`{"contextMessages":[{"ana":"moron"}],"x":[${'0,'.repeat(200_000)}0]}`);
      const deep = bytes(`{"contextMessages":[{"ana":"moron"}],"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
      for (const [body, status] of [
        [long, 413],
        [many, 400],
        [deep, 400],
      ] as const) {
        const answer = await ask(body);
        expect(answer).toMatchObject({ ...unanswered(onUnanswered), ...(onUnanswered === 'fail' && { status }) });
        if (body === long) expect(answer.headers.get('connection')).toBe('close');
        expect((await ask(body, {})).status).toBe(401);
      }
      expect((await ask(bytes('{"contextMessages":[{"ana":"mor'))).status).toBe(400);
      expect((await ask({})).status).toBe(400);
      for (let held = 0; held < 256; held++) void ask(new ReadableStream());
      await turns();
      const full = await ask(platformBody('moron'));
      expect(full).toMatchObject({ ...unanswered(onUnanswered), ...(onUnanswered === 'fail' && { status: 429 }) });
      expect((await ask(platformBody('moron'), {})).status).toBe(401);
      expect((await call(handler, '/decide?explain=false', 'moron', { headers })).json.verdict).toBe('blockMessage');
      const { text } = await call(handler, '/metrics', undefined, { headers });
      expect(text.match(/^sluice_unanswered_total\{why=".*"\} 1$/gm)).toHaveLength(4);
    },
  );
});

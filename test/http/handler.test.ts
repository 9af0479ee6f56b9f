import { describe, expect, it, vi } from 'vitest';
import { createEngine, createModerator, reasonFor, UsageError } from '../../src/index.js';
import { createModerationHandler } from '../../src/live/http/handler.js';
import { platform } from '../moderator/platform.js';
import { until } from '../support/until.js';
import { call, ruleSet } from './call.js';

const engine = createEngine(ruleSet);
const handler = createModerationHandler(engine);
const draft = (text: string) => ({ sender: 'ana', data: { text } });
/** JSON of so many bytes. */
const jsonOf = (bytes: number) => new TextEncoder().encode(`"${'a'.repeat(bytes - 2)}"`);
const streamOf = (...chunks: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

describe('POST /decide', () => {
  it.each<[string, unknown, Parameters<typeof engine.explain>]>([
    ['a text', 'You moron!', ['You moron!']],
    ['a draft', draft('buy  now'), [draft('buy  now')]],
    ['a message', { id: '1', category: 'message', type: 'text', ...draft('hello') }, [draft('hello')]],
    ['a message in `message`', { message: draft('You moron!') }, [draft('You moron!')]],
    ['a text in `message`', { message: 'You moron!' }, ['You moron!']],
    ['a draft with a field `message`', { message: 'moron', ...draft('fine') }, [draft('fine')]],
    [
      'scores',
      { message: { type: 'image' }, scores: [{ operand: 'image', labels: { gore: 87 } }] },
      [{ type: 'image' }, [{ operand: 'image', labels: { gore: 87 } }]],
    ],
  ])('%s: the decision of `explain`, or the verdict alone', async (_, body, asked) => {
    const decision = engine.explain(...asked);
    expect(await call(handler, '/decide', body)).toMatchObject({ status: 200, json: decision });
    const { json } = await call(handler, '/decide?explain=false', body);
    expect(json).toEqual({ verdict: decision.verdict, unevaluated: decision.unevaluated.length });
  });

  it.each<[unknown, string]>([
    [[], 'a message must be a text, or an object with its text at `data.text`'],
    [null, 'a message must be a text, or an object with its text at `data.text`'],
    [{ text: 'x' }, '`data.text`, and has one at `text`'],
    [{ data: { text: ['secret'] } }, '`data.text` of a message must be a string'],
    [{ message: { category: 'custom', data: { text: { a: 'secret' } } } }, '`data.text` of a message must be a string'],
    [{ message: 'x', scroes: [] }, 'beside `message` there may be `scores`, and nothing else'],
    [{ message: 'x', scores: 7 }, 'must be an array of { operand, labels, url? }'],
    [new TextEncoder().encode('{"data":{"text":"secret'), 'the body must be json in utf-8'],
    [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'the body must be json in utf-8'],
    [new Uint8Array(), 'the body is empty'],
    [new TextEncoder().encode('[1,2] [3]'), 'the body must be json in utf-8'],
    [streamOf(new TextEncoder().encode('"sec'), new TextEncoder().encode('ret')), 'the body must be json in utf-8'],
  ])('%j is a 400 that says what is wrong, without the text', async (body, words) => {
    const { status, json, text } = await call(handler, '/decide', body);
    expect([status, Object.keys(json)]).toEqual([400, ['error']]);
    expect(json.error).toContain(words);
    expect(text).not.toContain('secret');
  });

  it('takes a byte order mark, and text in chunks', async () => {
    const bytes = new TextEncoder().encode('\ufeff"You möron, moron!"');
    const chunks = [...bytes].map((byte) => new Uint8Array([byte]));
    const { json } = await call(handler, '/decide', streamOf(...chunks));
    expect(json).toEqual(engine.explain('You möron, moron!'));
  });

  it('refuses compressed bodies, mistyped parameters and other values', async () => {
    const gzip = await call(handler, '/decide', 'x', { headers: { 'content-encoding': 'gzip' } });
    expect([gzip.status, gzip.json]).toEqual([400, { error: 'the body must not be compressed' }]);
    for (const none of ['identity', 'Identity', '']) {
      expect((await call(handler, '/decide', 'x', { headers: { 'content-encoding': none } })).status).toBe(200);
    }
    const mistyped = await call(handler, '/decide?explian=false', 'x');
    expect([mistyped.status, mistyped.json.error]).toEqual([400, expect.stringContaining('did you mean `explain`?')]);
    expect((await call(handler, '/decide?explain=no', 'x')).json).toEqual({ error: '`explain` must be true or false' });
  });

  it('judges messages as deep as a platform takes them, and refuses deeper ones and those of too many values', async () => {
    const nested = (levels: number) =>
      `{"category":"custom","data":{"customData":${'['.repeat(levels)}"moron"${']'.repeat(levels)}}}`;
    const rules = [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'custom', value: ['moron'] }] }];
    const custom = createModerationHandler(createEngine({ rules, lists: [] }));
    const ask = (text: string) => call(custom, '/decide', new TextEncoder().encode(text));
    for (const levels of [1_000, 9_000]) expect((await ask(nested(levels))).json.verdict).toBe('blockMessage');
    expect(await ask(nested(400_000))).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining('deeper') },
    });
    expect(await ask('['.repeat(1_000_000))).toMatchObject({ status: 400 });
    expect(await ask(`[${'1,'.repeat(300_000)}1]`)).toMatchObject({ status: 400 });
  });

  it('a body over 1 MiB is a 413, whatever its length says; reading stops there', async () => {
    expect((await call(handler, '/decide', jsonOf(2 ** 20))).status).toBe(200);
    expect((await call(handler, '/decide', jsonOf(2 ** 20 + 1))).status).toBe(413);
    const stated = { headers: { 'content-length': '5' } };
    expect((await call(handler, '/decide', streamOf(jsonOf(2 ** 20 + 1)), stated)).status).toBe(413);
    let pulled = 0;
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    expect((await call(handler, '/decide', endless)).status).toBe(413);
    expect([pulled < 20, isCancelled]).toEqual([true, true]);
  });

  it('a body that does not come is a 408, and one that breaks off a 400', async () => {
    vi.useFakeTimers();
    try {
      const silent = call(handler, '/decide', new ReadableStream());
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await silent).status).toBe(408);
    } finally {
      vi.useRealTimers();
    }
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('secret')) });
    const { status, text } = await call(handler, '/decide', broken);
    expect([status, text]).toEqual([400, '{"error":"the body could not be read"}']);
  });
});

describe('POST /decide/batch', () => {
  it('answers in order, with an error in the place of a bad entry', async () => {
    const entries = ['You moron!', 7, { message: draft('hello') }, { body: 'x' }, draft('buy now')];
    const { status, json } = await call(handler, '/decide/batch', entries);
    expect(status).toBe(200);
    expect(json).toEqual([
      engine.explain('You moron!'),
      { error: expect.stringContaining('a message must be') },
      engine.explain(draft('hello')),
      { error: expect.stringContaining('`data.text`') },
      engine.explain(draft('buy now')),
    ]);
    const short = await call(handler, '/decide/batch?explain=false', ['You moron!', null]);
    expect(short.json).toEqual([{ verdict: 'blockMessage', unevaluated: 0 }, { error: expect.any(String) }]);
    expect((await call(handler, '/decide/batch', [])).json).toEqual([]);
  });

  it('takes a thousand messages and no more', async () => {
    const { json } = await call(handler, '/decide/batch?explain=false', Array(1_000).fill('x'));
    expect(json).toHaveLength(1_000);
    expect((await call(handler, '/decide/batch', Array(1_001).fill('x'))).status).toBe(400);
    expect((await call(handler, '/decide/batch', { 0: 'x' })).status).toBe(400);
  });

  it('lets others have their turns: one that came later is answered before a long batch', async () => {
    const ended: string[] = [];
    const long = call(handler, '/decide/batch', Array(1_000).fill('moron '.repeat(150))).then(() => ended.push('long'));
    await new Promise((resolve) => setImmediate(resolve));
    await call(handler, '/decide', 'x').then(() => ended.push('short'));
    await long;
    expect(ended).toEqual(['short', 'long']);
  });

  it('bounds its answer: what comes behind 4 MiB is an error', async () => {
    const { json, text } = await call(handler, '/decide/batch', Array(1_000).fill('moron '.repeat(150)));
    expect(text.length).toBeLessThan(6 * 2 ** 20);
    expect(json).toHaveLength(1_000);
    expect([json[0].verdict, json[999]]).toEqual(['blockMessage', { error: expect.stringContaining('too large') }]);
  });
});

describe('paths and methods', () => {
  it.each([
    ['/', 404],
    ['/decide/', 404],
    ['/DECIDE', 404],
    ['/decide', 405],
    ['/custom-api', 405],
    ['/healthz', 200],
    ['/readyz', 200],
    ['/metrics', 200],
  ])('GET %s is %i', async (path, status) => {
    expect((await call(handler, path)).status).toBe(status);
  });

  it('a 405 says what the path takes', async () => {
    expect((await call(handler, '/decide')).headers.get('allow')).toBe('POST');
    expect((await call(handler, '/metrics', 'x')).headers.get('allow')).toBe('GET, HEAD');
    expect((await call(handler, '/healthz', undefined, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('keys', () => {
  const basic = { username: 'anä', password: 'pass:wörd' };
  const auth = { basic, bearer: 'canary-token' };
  const guarded = createModerationHandler(engine, { auth });
  const pair = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const status = async (authorization: string | undefined, of = guarded, path = '/decide') =>
    (await call(of, path, 'x', authorization === undefined ? {} : { headers: { authorization } })).status;

  it.each([
    [pair('anä:pass:wörd'), 200],
    [pair('anä:pass:wörd').replace('Basic', 'bAsIc'), 200],
    ['Bearer canary-token', 200],
    ['bearer canary-token', 200],
    [undefined, 401],
    ['', 401],
    ['Basic', 401],
    ['Basic ****', 401],
    ['Bearer', 401],
    ['canary-token', 401],
    ['Basic canary-token', 401],
    ['Bearer canary-toke', 401],
    ['Bearer canary-tokencanary-token', 401],
    ['Bearer canary-tokeN', 401],
    ['Bearer canary-token x', 401],
    [pair('anä:pass'), 401],
    [pair('anä:pass:wörd:'), 401],
    [pair(':'), 401],
    [`Bearer ${'x'.repeat(10_000)}`, 401],
  ])('%s: %i', async (authorization, expected) => {
    expect(await status(authorization)).toBe(expected);
  });

  it('one kind alone takes the other for none', async () => {
    const only = createModerationHandler(engine, { auth: { bearer: 'canary-token' } });
    expect([await status('Bearer canary-token', only), await status(pair('anä:pass:wörd'), only)]).toEqual([200, 401]);
  });

  it('are asked of everything but /healthz and /readyz, before anything else is said', async () => {
    for (const path of ['/decide', '/decide/batch', '/custom-api', '/metrics', '/nothing']) {
      const { status, headers, text } = await call(guarded, path, undefined);
      expect([path, status]).toEqual([path, 401]);
      expect(headers.get('www-authenticate')).toBe('Basic realm="sluice", charset="UTF-8", Bearer');
      expect(text).not.toContain('canary');
    }
    for (const path of ['/healthz', '/readyz']) expect((await call(guarded, path)).status).toBe(200);
  });

  it.each<[unknown, string]>([
    [{}, '`auth` has neither'],
    [{ bearer: undefined }, '`auth` has neither'],
    [{ bearer: '' }, '`auth.bearer`'],
    [{ bearer: 'two words' }, '`auth.bearer`'],
    [{ bearer: 'x', basics: basic }, "did you mean 'basic'?"],
    [{ basic: { username: 'a:b', password: 'x' } }, '`auth.basic.username`'],
    [{ basic: { username: 'a', password: '' } }, '`auth.basic.password`'],
    [{ basic: { username: 'a', pasword: 'x' } }, "did you mean 'password'?"],
  ])('%j is refused', (given, words) => {
    const create = () => createModerationHandler(engine, { auth: given as never });
    expect(create).toThrow(UsageError);
    expect(create).toThrow(words);
  });
});

describe('requests in flight', () => {
  it('are 256 at most: what comes more is a 429 at once, before its body is read', async () => {
    const slow = createModerationHandler(engine);
    const bodies: ReadableStreamDefaultController[] = [];
    const unfinished = () => new ReadableStream({ start: (controller) => void bodies.push(controller) });
    const held = Array.from({ length: 256 }, () => call(slow, '/decide', unfinished()));
    const body = new ReadableStream({ pull: () => expect.unreachable('the body was read') }, { highWaterMark: 0 });
    const refused = await call(slow, '/decide', body);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await call(slow, '/custom-api', { contextMessages: [{ ana: 'moron' }] })).status).toBe(200);
    expect((await call(slow, '/metrics')).text).toContain('sluice_requests_in_flight 256\n');
    for (const controller of bodies) {
      controller.enqueue(new TextEncoder().encode('"x"'));
      controller.close();
    }
    expect((await Promise.all(held)).every(({ status }) => status === 200)).toBe(true);
    expect((await call(slow, '/decide', 'x')).status).toBe(200);
    expect((await call(slow, '/metrics')).text).toContain('sluice_requests_in_flight 0\n');
  });

  it('give their places back when their client is gone, and wait for no scores any more', async () => {
    const conditions = [{ operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_70'] }];
    const { source } = platform({ rules: [{ id: 'toxic', action: ['blockMessage'], conditions }] });
    const asked: AbortSignal[] = [];
    const score = (_request: unknown, { signal }: { readonly signal: AbortSignal }) => {
      asked.push(signal);
      return new Promise<never>(() => {});
    };
    const moderator = await createModerator({ source, scorer: { score }, scoring: { timeoutMs: 600_000 } });
    const live = createModerationHandler(moderator);
    for (const [target, body] of [
      ['/decide', '"a"'],
      ['/decide?explain=false', '"b"'],
      ['/decide/batch', '["c"]'],
    ] as const) {
      const client = new AbortController();
      const request = new Request(`http://x${target}`, { method: 'POST', body, signal: client.signal });
      const answered = live(request);
      await until(() => asked.length > 0);
      client.abort();
      expect((await answered).status).toBe(499);
      expect(asked.splice(0).map(({ aborted }) => aborted)).toEqual([true]);
    }
    expect((await call(live, '/metrics')).text).toContain('sluice_requests_in_flight 0\n');
    await moderator.close();
  });

  it('give their places back when they fail', async () => {
    const failing = createModerationHandler({ ...engine, explain: () => Promise.reject(new Error('secret')) as never });
    for (let asked = 0; asked < 300; asked++) {
      const { status, text } = await call(failing, '/decide', 'x');
      expect([status, text]).toEqual([500, '{"error":"the message could not be judged"}']);
    }
  });
});

describe('a moderator', () => {
  it('says why it blocks what no rule stops, once its rules are too old', async () => {
    const { source } = platform();
    const moderator = await createModerator({ source, maxStaleMs: 1_000, whenStale: 'block' });
    const live = createModerationHandler(moderator);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 });
    try {
      const reason = expect.stringContaining('the rules are too old');
      expect((await call(live, '/decide', 'fine')).json).toMatchObject({
        verdict: 'blockMessage',
        matched: [],
        reason,
      });
      const { json } = await call(live, '/decide?explain=false', 'fine');
      expect(json).toEqual({ verdict: 'blockMessage', unevaluated: 0, reason });
      expect(reasonFor(moderator.explain('fine'))).toBe('This message cannot be checked.');
    } finally {
      vi.useRealTimers();
      await moderator.close();
    }
  });

  it('is ready while its rules are, answers as `whenStale` says, and not at all once it is closed', async () => {
    const { source, state } = platform();
    const moderator = await createModerator({ source, maxStaleMs: 1_000, whenStale: 'throw' });
    const live = createModerationHandler(moderator);
    expect((await call(live, '/readyz')).status).toBe(200);
    expect((await call(live, '/decide', 'oh darn')).json).toMatchObject({
      verdict: 'blockMessage',
      ageMs: expect.any(Number),
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 });
    try {
      expect((await call(live, '/readyz')).status).toBe(503);
      expect((await call(live, '/decide', 'fine')).json).toEqual({ error: 'the rules are too old' });
      expect((await call(live, '/healthz')).status).toBe(200);
      state.down = true;
      await expect(moderator.refresh()).rejects.toThrow();
      state.down = false;
      await moderator.refresh();
      expect((await call(live, '/decide', 'fine')).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
    await moderator.close();
    expect((await call(live, '/decide', 'fine')).status).toBe(503);
    expect((await call(live, '/readyz')).status).toBe(503);
  });

  it('says at `/readyz` what is held and what is wrong with its rules, without the details, which may quote terms', async () => {
    const issue = {
      code: 'unknown-operand',
      severity: 'error',
      ruleId: 'r',
      conditionId: 1,
      detail: 'canary',
    } as const;
    const held = { revision: 'abc', since: 7, reason: 'canary' };
    const status = { state: 'stale', held, issues: { error: 1, warning: 0, first: [issue] } };
    const live = createModerationHandler({ ...engine, status });
    expect(await call(live, '/readyz')).toMatchObject({
      status: 200,
      text: expect.not.stringContaining('canary'),
      json: {
        status: 'ready',
        held: { revision: 'abc', since: 7 },
        issues: { error: 1, warning: 0, first: [{ code: 'unknown-operand', ruleId: 'r', conditionId: 1 }] },
      },
    });
    expect((await call(live, '/metrics')).text).toContain('sluice_rule_issues{severity="error"} 1\n');
    const unready = createModerationHandler({ ...engine, status: { state: 'no-rules' } });
    expect(await call(unready, '/readyz')).toMatchObject({ status: 503, text: expect.stringContaining('no-rules') });
  });
});

it.each([
  undefined,
  { method: 'POST', url: '/decide', headers: { host: 'x' } },
  { method: 'POST', url: 'https://moderation.example/decide', headers: new Headers() },
])('answers 400 to %o, which is not a request', async (value) => {
  const response = await handler(value as never);
  expect([response.status, await response.json()]).toEqual([400, { error: expect.stringContaining('`Request`') }]);
});

it.each<[unknown, unknown, string]>([
  [{}, {}, 'needs an object with `decide` and `explain`'],
  [undefined, {}, 'needs an object with `decide` and `explain`'],
  [engine, { reasons: 'full' }, "did you mean 'reason'?"],
  [engine, { reason: 'all' }, '`reason` must be'],
  [engine, { onUnanswered: 'allow' }, '`onUnanswered` must be'],
  [engine, { deadlineMs: 0 }, '`deadlineMs` must be'],
  [engine, { deadlineMs: 3_600_001 }, '`deadlineMs` must be'],
])('refuses %o with %j', (judge, options, words) => {
  expect(() => createModerationHandler(judge as never, options as never)).toThrow(words);
});

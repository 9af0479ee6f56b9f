import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { HttpError, NetworkError, ShapeError, TimeoutError, UsageError } from '../../src/foundation/errors.js';
import { createHttpScorer, type HttpScorerOptions } from '../../src/live/scorers/http-scorer.js';
import { stopClock } from '../support/clock.js';
import { json, rejection, serve, serveJson } from '../support/http.js';
import { until } from '../support/until.js';

const secret = 'canary-secret-0123456789';
const signed = `https://files.example/a.png?signature=${secret}`;
const attachment = { operand: 'image', url: signed, mimeType: 'image/png', labels: ['violence'], message: {} } as const;
const { signal } = new AbortController();

/** A scorer for a server, with secrets in its query and in a header. */
const scorerOf = ({ url }: { readonly url: string }, options: Partial<HttpScorerOptions> = {}) =>
  createHttpScorer({ url: `${url}?token=${secret}`, headers: { Authorization: `Bearer ${secret}` }, ...options });

function expectNoSecret(error: unknown): void {
  const { stack, message, cause } = error as Error;
  const shown = [
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    JSON.stringify(error),
    stack,
    message,
  ];
  expect(shown.join('\n')).not.toContain(secret);
  if (cause !== undefined) expectNoSecret(cause);
}

describe('http scorer: request', () => {
  it('posts a text, without its message where JSON has no words for it', async () => {
    const server = await serveJson({ labels: { toxicity: 87.5 } });
    const data: Record<string, unknown> = { text: 'darn' };
    const request = { operand: 'text', text: 'darn', labels: ['toxicity'], message: { data } } as const;
    expect(await scorerOf(server).score(request, { signal })).toEqual({ toxicity: 87.5 });
    data.self = data;
    await scorerOf(server).score(request, { signal });
    const [whole, without] = server.received.map(({ body }) => JSON.parse(body));
    expect(whole).toEqual({ ...request, message: { data: { text: 'darn' } } });
    expect(without).toEqual({ operand: 'text', text: 'darn', labels: ['toxicity'] });
  });

  it('posts what it is asked for with the given headers', async () => {
    const server = await serveJson({ labels: { violence: 87.5 } });
    expect(await scorerOf(server).score(attachment, { signal })).toEqual({ violence: 87.5 });
    const [request] = server.received;
    expect(request).toMatchObject({ method: 'POST', target: `/v3?token=${secret}` });
    expect(JSON.parse(request!.body)).toEqual(attachment);
    expect(request!.rawHeaders).toMatchObject({
      authorization: `Bearer ${secret}`,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    });
  });

  it('with `scale: 1` scores count to 1, and are multiplied', async () => {
    const server = await serveJson({ labels: { violence: 0.87, 'Any unsafe content': 0.07 } });
    const scores = await scorerOf(server, { scale: 1 }).score(attachment, { signal });
    expect(scores).toEqual({ violence: 87, 'Any unsafe content': 7 });
    const percent = await serveJson({ labels: { violence: 87 } });
    expect(await rejection(scorerOf(percent, { scale: 1 }).score(attachment, { signal }))).toMatchObject({
      message: expect.stringContaining('must be scores from 0 to 1 by label, or null'),
    });
    const none = await serveJson({ labels: null });
    expect(await scorerOf(none, { scale: 1 }).score(attachment, { signal })).toBeUndefined();
    expect(() => scorerOf(none, { scale: 10 as never })).toThrow('`scale` must be 1 or 100');
  });

  it('its own headers stand, whatever the case of those that were given', async () => {
    const server = await serveJson({ labels: {} });
    await scorerOf(server, { headers: { 'Content-Type': 'text/plain', ACCEPT: 'text/html' } }).score(attachment, {
      signal,
    });
    expect(server.received[0]!.rawHeaders).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    });
  });

  it('sends through an injected dispatcher', async () => {
    const sent: unknown[] = [];
    const request = async (options: unknown) => {
      sent.push(options);
      throw Object.assign(new Error(`could not send ${JSON.stringify(options)}`), { code: 'ECONNREFUSED' });
    };
    const dispatcher = { request } as unknown as Dispatcher;
    const error = await rejection(
      scorerOf({ url: 'http://127.0.0.1:1/v3' }, { dispatcher }).score(attachment, { signal }),
    );
    expect(sent).toHaveLength(1);
    expect(error).toBeInstanceOf(NetworkError);
    expect((error as Error).message).toBe(
      'POST http://127.0.0.1:1 could not connect to http://127.0.0.1:1 (ECONNREFUSED)',
    );
    expectNoSecret(error);
  });
});

describe('http scorer: answer', () => {
  it.each([{}, { a: 0, b: 100 }])('labels %j', async (labels) => {
    expect(await scorerOf(await serveJson({ labels, more: 1 })).score(attachment, { signal })).toEqual(labels);
  });

  it('`labels: null`: no scores are known', async () => {
    expect(await scorerOf(await serveJson({ labels: null })).score(attachment, { signal })).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [{}, 'labels'],
    [{ labels: [] }, 'labels'],
    [{ labels: { a: '7' } }, 'labels'],
    [{ labels: { a: 101 } }, 'labels'],
    [{ labels: { a: -1 } }, 'labels'],
    [{ labels: { [secret]: null } }, 'labels'],
    [[], 'the whole value'],
    [secret, 'the whole value'],
  ])('%j: a ShapeError', async (body, path) => {
    const error = await rejection(scorerOf(await serveJson(body)).score(attachment, { signal }));
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ path });
    expectNoSecret(error);
  });

  it.each([
    ['a page for people', '<html>', 'must be JSON, and is not'],
    ['nothing', '', 'is empty'],
    ['a megabyte', `{"labels":{},"more":"${'x'.repeat(1_000_000)}"}`, 'is larger than 65536 bytes'],
    ['deep nesting', `{"labels":{},"more":${'['.repeat(1000)}`, 'must be JSON, and is not'],
  ])('%s: a ShapeError', async (_, body, words) => {
    const server = await serve((response) => void response.writeHead(200).end(body));
    const error = await rejection(scorerOf(server).score(attachment, { signal }));
    expect(error).toBeInstanceOf(ShapeError);
    expect((error as Error).message).toBe(
      `POST ${server.origin}: the whole value ${words.startsWith('is empty') ? 'must be JSON, and is empty' : words}`,
    );
    expectNoSecret(error);
  });

  it.each([204, 302, 400, 401, 429, 500])('status %i: an HttpError after one request', async (status) => {
    const headers = { location: `https://elsewhere.example/${secret}` };
    const server = await serve(
      (response) => void response.writeHead(status, headers).end(status === 204 ? '' : `"${secret}"`),
    );
    const error = await rejection(scorerOf(server).score(attachment, { signal }));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status, message: `POST ${server.origin} was answered with status ${status}` });
    expectNoSecret(error);
    expect(server.received).toHaveLength(1);
  });

  it('no server, or one that breaks off: a NetworkError', async () => {
    const server = await serve((response) => void response.writeHead(200).write('{"labels"', () => response.destroy()));
    for (const at of [server, { url: 'http://127.0.0.1:1/v3' }]) {
      const error = await rejection(scorerOf(at).score(attachment, { signal }));
      expect(error).toBeInstanceOf(NetworkError);
      expectNoSecret(error);
    }
  });
});

describe('http scorer: end of a request', () => {
  it('no answer in time: a TimeoutError', async () => {
    const world = stopClock();
    const server = await serve(() => {});
    const scorer = createHttpScorer({ url: `${server.url}?token=${secret}`, timeoutMs: 1_800_000 });
    const scoring = rejection(scorer.score(attachment, { signal }));
    await until(() => server.received.length === 1);
    await world.pass(1_800_000);
    const error = await scoring;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      afterMs: 1_800_000,
      message: `POST ${server.origin} did not finish within 1800000 ms`,
    });
    expectNoSecret(error);
    expect(world.timers()).toBe(0);
  });

  it('an abort rejects with its reason, before and while it waits', async () => {
    const server = await serve(() => {});
    const scorer = scorerOf(server);
    expect(await rejection(scorer.score(attachment, { signal: AbortSignal.abort('early') }))).toBe('early');
    const controller = new AbortController();
    const scoring = rejection(scorer.score(attachment, { signal: controller.signal }));
    await until(() => server.received.length === 1);
    controller.abort('enough');
    expect(await scoring).toBe('enough');
    expect(server.received).toHaveLength(1);
  });

  it('a lone surrogate in the address of a file changes no error', async () => {
    const server = await serve((response) => json(response, {}, 500));
    expect(await rejection(scorerOf(server).score({ ...attachment, url: 'a\ud800' }, { signal }))).toBeInstanceOf(
      HttpError,
    );
    const refused = scorerOf({ url: 'http://127.0.0.1:1/v3' }).score({ ...attachment, url: 'a\ud800' }, { signal });
    expect(await rejection(refused)).toBeInstanceOf(NetworkError);
  });
});

describe('http scorer: options', () => {
  it.each<[unknown, string]>([
    [undefined, '`createHttpScorer` must be an object of options'],
    [{ uri: 'https://a.example' }, "`createHttpScorer` has no option 'uri'; did you mean 'url'?"],
    [{ url: 'a.example' }, '`url` must be an http or https address'],
    [{ url: 'ftp://a.example' }, '`url` must be an http or https address'],
    [{ url: `https://ann:${secret}@a.example` }, '`url` holds credentials'],
    [{ url: 'https://a.example', timeoutMs: 0 }, '`timeoutMs`'],
    [{ url: 'https://a.example', timeout: 5 }, "did you mean 'timeoutMs'?"],
    [{ url: 'https://a.example', headers: [] }, '`headers`'],
    [{ url: 'https://a.example', headers: { 'a b': 'x' } }, '`headers` has a name'],
    [{ url: 'https://a.example', headers: { 'X-Key': `${secret}\n` } }, '`headers.x-key` holds characters'],
    [{ url: 'https://a.example', headers: { 'X-Key': '' } }, '`headers.x-key` must be a string'],
  ])('refuses %j', (options, words) => {
    let error: unknown;
    try {
      createHttpScorer(options as HttpScorerOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain(words);
    expect((error as Error).message).not.toContain(secret);
  });
});

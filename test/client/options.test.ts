import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { createClient } from '../../src/platform/client/client.js';
import type { ClientOptions } from '../../src/platform/client/options.js';
import { apiKey, rejection } from '../support/http.js';

function refusal(options: unknown): string {
  try {
    createClient(options as ClientOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return String(error);
  }
  throw new Error('accepted');
}

describe('base url', () => {
  it.each([
    ...['https://app.api-eu.example/v3', 'https://app.api-eu.example/v3/', 'http://localhost:1234/v3'],
    ...['http://127.0.0.1/v3', 'http://127.8.9.10:80', 'http://[::1]:3000/v3'],
  ])('takes %s', (baseUrl) => {
    expect(() => createClient({ baseUrl, apiKey })).not.toThrow();
  });

  it.each([
    [undefined, 'http or https'],
    ['app.api-eu.example/v3', 'http or https'],
    ['https://ann:secret@app.example/v3', 'credentials'],
    ['https://app.example/v3?', 'query'],
    ['https://app.example/v3#x', 'fragment'],
    ['http://app.example/v3', '`allowHttp: true`'],
    ['http://localhost.example/v3', '`allowHttp: true`'],
    ['http://10.0.0.1/v3', '`allowHttp: true`'],
    ['http://[::ffff:7f00:1]:80/v3', '`allowHttp: true`'],
    ['http://0.0.0.0/v3', '`allowHttp: true`'],
    ['http://127.0.0.1%2esecret.example/v3', '`allowHttp: true`'],
    ['http://127.0.0.1@secret.example/v3', 'credentials'],
    ['file:///v3', 'http or https'],
    ['//secret.example/v3', 'http or https'],
  ])('refuses %s, naming the mistake', (baseUrl, words) => {
    const error = refusal({ baseUrl, apiKey });
    expect(error).toContain('`baseUrl`');
    expect(error).toContain(words);
    expect(error).not.toContain('secret');
  });

  it('takes plain http to another machine with `allowHttp`', () => {
    expect(() => createClient({ baseUrl: 'http://10.0.0.1/v3', apiKey, allowHttp: true })).not.toThrow();
    expect(refusal({ baseUrl: 'http://10.0.0.1/v3', apiKey, allowHttp: 'yes' })).toContain('allowHttp');
  });
});

describe('client options', () => {
  it.each([
    ...[undefined, '', 7, 'key-with-line-break\n', ' key-with-blank', 'këy-not-ascii', 'key\u0000nul', 'key\r\nx: y'],
  ])('refuses the api key %j and never shows it', (key) => {
    const error = refusal({ baseUrl: 'https://app.example/v3', apiKey: key });
    expect(error).toContain('`apiKey`');
    if (typeof key === 'string' && key !== '') expect(error).not.toContain(key.trim().slice(0, 6));
  });

  it.each([
    [{ timeouts: { totalMs: 2 ** 31 } }, '`timeouts.totalMs`'],
    [{ timeouts: { connectMs: Number.NaN } }, '`timeouts.connectMs`'],
    [{ timeouts: { headersMs: '5' } }, '`timeouts.headersMs`'],
    [{ timeouts: { bodyMs: -1 } }, '`timeouts.bodyMs`'],
    [{ maxResponseBytes: 1.5 }, '`maxResponseBytes`'],
    [{ dispatcher: {} }, '`dispatcher`'],
    [{ timeouts: 5 }, '`timeouts`'],
    [{ retry: true }, '`retry`'],
    [{ retry: { attempts: 0 } }, '`retry.attempts`'],
    [{ retry: { attempts: 11 } }, '`retry.attempts`'],
    [{ retry: { baseMs: -1 } }, '`retry.baseMs`'],
    [{ retry: { capMs: 2 ** 31 } }, '`retry.capMs`'],
    [{ retry: { maxWaitMs: 0 } }, '`retry.maxWaitMs`'],
    [{ retry: { maxWaitMs: 2 ** 31 } }, '`retry.maxWaitMs`'],
    [{ retry: { budget: '5' } }, '`retry.budget`'],
    [{ retry: { budgetRatio: 1.1 } }, '`retry.budgetRatio`'],
    [{ retry: { budgetRatio: Number.NaN } }, '`retry.budgetRatio`'],
    [{ concurrency: 0 }, '`concurrency`'],
  ])('refuses %j', (options, words) => {
    expect(refusal({ baseUrl: 'https://app.example/v3', apiKey, ...options })).toContain(words);
  });

  it('refuses no options at all', () => {
    expect(refusal(undefined)).toContain('createClient');
  });

  it.each([
    [
      { retires: { attempts: 3 } },
      "`createClient` has no option 'retires'; known are 'baseUrl', 'apiKey', 'timeouts', 'retry', ",
    ],
    [{ timeoutMs: 100 }, "`createClient` has no option 'timeoutMs'; did you mean 'timeouts'?"],
    [{ zzzzzzz: undefined }, "`createClient` has no option 'zzzzzzz'"],
    [{ timeouts: { total: 100 } }, "`timeouts` has no option 'total'; did you mean 'totalMs'?"],
    [{ retry: { attempt: 2 } }, "`retry` has no option 'attempt'; did you mean 'attempts'?"],
  ])('refuses the unknown option of %j', (options, words) => {
    expect(refusal({ baseUrl: 'https://app.example/v3', apiKey, ...options })).toContain(words);
  });

  it('takes every option that is documented, `undefined` as absent', () => {
    const timeouts = { totalMs: 1, connectMs: undefined, headersMs: 3, bodyMs: 4 };
    const some = { attempts: 1, baseMs: 2, capMs: undefined, maxWaitMs: 3, budget: 0, budgetRatio: 1 };
    const more = { timeouts, concurrency: 1, dispatcher: undefined, maxResponseBytes: 5, allowHttp: false };
    for (const retry of [some, {}, undefined, false] as const) {
      expect(() => createClient({ baseUrl: 'https://app.example/v3', apiKey, retry, ...more })).not.toThrow();
    }
  });
});

describe('options of calls', () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1/v3', apiKey });
  const acting = { onBehalfOf: 'ann' };

  /** What a method is called with by mistake, as callers from JavaScript can. */
  const mistaken = (options: object): never => options as never;

  it.each<[string, () => Promise<unknown>, string]>([
    ['users.get', () => client.users.get('a', mistaken({ late: 5 })), "GET /users/{uid} has no option 'late'"],
    ['users.get', () => client.users.get('ann', mistaken({ onbehalfof: 'bob' })), "did you mean 'onBehalfOf'?"],
    ['groups.get', () => client.groups.get('g', mistaken({ tags: [] })), "GET /groups/{guid} has no option 'tags'"],
    [
      'users.updateConversation',
      () => client.users.updateConversation('ann', mistaken({ ...acting, tag: ['a'] })),
      "PUT /users/{uid}/conversation has no option 'tag'; did you mean 'tags'?",
    ],
    ['groups.markAsRead', () => client.groups.markAsRead('g', mistaken({ messageID: 5 })), "did you mean 'messageId'?"],
    ['groups.markAsUnread', () => client.groups.markAsUnread('g', mistaken({ id: 5 })), "has no option 'id'"],
    ['messages.list', () => client.messages.list({}, mistaken({ onPage: () => {} })), "has no option 'onPage'"],
    ['rules.list', () => client.rules.list(mistaken({ limits: 5 })), "did you mean 'limit'?"],
    ['rules.list, which acts for nobody', () => client.rules.list(mistaken(acting)), "has no option 'onBehalfOf'"],
    ['rules.get', () => client.rules.get('r', mistaken({ limit: 5 })), "has no option 'limit'; known are 'signal'"],
    ['rules.get', () => client.rules.get('r', mistaken(null!)), 'must be an object of options'],
    [
      'messages.iterate',
      async () => {
        for await (const _ of client.messages.iterate({}, mistaken({ onpage: () => {} })));
      },
      "GET /messages has no option 'onpage'; did you mean 'onPage'?",
    ],
  ])('%s refuses an unknown one', async (_, call, words) => {
    const error = await rejection(call());
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toContain(words);
  });
});

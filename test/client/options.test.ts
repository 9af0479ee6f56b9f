import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import type { ClientOptions } from '../../src/client/options.js';
import { UsageError } from '../../src/errors.js';
import { apiKey } from '../support/http.js';

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
    'https://app.api-eu.example/v3',
    'https://app.api-eu.example/v3/',
    'http://localhost:1234/v3',
    'http://127.0.0.1/v3',
    'http://127.8.9.10:80',
    'http://[::1]:3000/v3',
  ])('takes %s', (baseUrl) => {
    expect(() => createClient({ baseUrl, apiKey })).not.toThrow();
  });

  it.each([
    [undefined, 'http or https'],
    ['', 'http or https'],
    ['app.api-eu.example/v3', 'http or https'],
    ['ftp://app.example/v3', 'http or https'],
    ['https://ann:secret@app.example/v3', 'credentials'],
    ['https://app.example/v3?x=1', 'query'],
    ['https://app.example/v3?', 'query'],
    ['https://app.example/v3#x', 'fragment'],
    ['http://app.example/v3', '`allowHttp: true`'],
    ['http://localhost.example/v3', '`allowHttp: true`'],
    ['http://127.0.0.1.example/v3', '`allowHttp: true`'],
    ['http://10.0.0.1/v3', '`allowHttp: true`'],
    ['http://[::2]/v3', '`allowHttp: true`'],
    ['http://[::ffff:7f00:1]:80/v3', '`allowHttp: true`'],
    ['http://0.0.0.0/v3', '`allowHttp: true`'],
    ['http://127.0.0.1%2esecret.example/v3', '`allowHttp: true`'],
    ['http://127.0.0.1@secret.example/v3', 'credentials'],
    ['javascript:alert(1)', 'http or https'],
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
    undefined,
    '',
    7,
    'key-with-line-break\n',
    ' key-with-blank',
    'këy-not-ascii',
    'key\u0000nul',
    'key\r\nx: y',
  ])('refuses the api key %j and never shows it', (key) => {
    const error = refusal({ baseUrl: 'https://app.example/v3', apiKey: key });
    expect(error).toContain('`apiKey`');
    if (typeof key === 'string' && key !== '') expect(error).not.toContain(key.trim().slice(0, 6));
  });

  it.each([
    [{ timeouts: { totalMs: 0 } }, '`timeouts.totalMs`'],
    [{ timeouts: { totalMs: 2 ** 31 } }, '`timeouts.totalMs`'],
    [{ timeouts: { connectMs: Number.NaN } }, '`timeouts.connectMs`'],
    [{ timeouts: { headersMs: '5' } }, '`timeouts.headersMs`'],
    [{ timeouts: { bodyMs: -1 } }, '`timeouts.bodyMs`'],
    [{ maxResponseBytes: 1.5 }, '`maxResponseBytes`'],
    [{ dispatcher: {} }, '`dispatcher`'],
    [{ timeouts: 5 }, '`timeouts`'],
    [{ timeouts: null }, '`timeouts`'],
    [{ retry: true }, '`retry`'],
    [{ retry: null }, '`retry`'],
    [{ retry: 3 }, '`retry`'],
    [{ retry: { attempts: 0 } }, '`retry.attempts`'],
    [{ retry: { attempts: 11 } }, '`retry.attempts`'],
    [{ retry: { attempts: 1.5 } }, '`retry.attempts`'],
    [{ retry: { baseMs: -1 } }, '`retry.baseMs`'],
    [{ retry: { capMs: Number.POSITIVE_INFINITY } }, '`retry.capMs`'],
    [{ retry: { budget: '5' } }, '`retry.budget`'],
    [{ retry: { budgetRatio: 1.1 } }, '`retry.budgetRatio`'],
    [{ retry: { budgetRatio: Number.NaN } }, '`retry.budgetRatio`'],
    [{ concurrency: 0 }, '`concurrency`'],
    [{ concurrency: Number.POSITIVE_INFINITY }, '`concurrency`'],
  ])('refuses %j', (options, words) => {
    expect(refusal({ baseUrl: 'https://app.example/v3', apiKey, ...options })).toContain(words);
  });

  it.each([
    { retry: false },
    { retry: {} },
    { retry: undefined },
    { retry: { budget: 0 } },
    { concurrency: 1 },
  ] as const)('takes %j', (options) => {
    expect(() => createClient({ baseUrl: 'https://app.example/v3', apiKey, ...options })).not.toThrow();
  });

  it('refuses no options at all', () => {
    expect(refusal(undefined)).toContain('createClient');
  });

  it('ignores unknown options', () => {
    const options = { baseUrl: 'https://app.example/v3', apiKey, retries: { attempts: 3 } };
    expect(() => createClient(options)).not.toThrow();
  });
});

import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { createPlayHandler } from '../../src/play/handler.js';

const html = `<meta http-equiv="content-security-policy" content="default-src 'none'; connect-src 'none'">`;
const token = 'the-token';
const rules = { rules: { rules: [], lists: [] }, rulesName: 'a', messagesName: 'b' };
const scores = [{ operand: 'image' as const, labels: { gore: 1 } }];
const handler = createPlayHandler({
  html,
  token,
  rules,
  messages: async function* () {
    yield [{ id: '1' }];
    yield [{ id: '2' }, scores];
    throw new UsageError('the file is gone');
  },
});
const local = { host: '127.0.0.1:8080' };
const withToken = { ...local, authorization: `Bearer ${token}` };
const get = (path: string, headers: Record<string, string>, method = 'GET') =>
  handler(new Request(`http://127.0.0.1:8080${path}`, { headers, method }));

describe('the server of the page', () => {
  it('gives the page to anybody on this machine, with a policy that lets it reach no other place', async () => {
    for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:80']) {
      const response = get('/', { host });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("connect-src 'self'");
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
      );
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('gives rules and messages to those with the token, and an error among the messages at their end', async () => {
    expect(await get('/rules', withToken).json()).toEqual(rules);
    const lines = (await get('/messages', withToken).text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      [{ id: '1' }],
      [{ id: '2' }, scores],
      { error: 'the file is gone' },
    ]);
  });

  it.each<[string, string, Record<string, string>, string, number]>([
    ['another host', '/', { host: 'evil.example' }, 'GET', 403],
    ['a name that begins like this machine', '/', { host: '127.0.0.1.evil.example' }, 'GET', 403],
    ['no host', '/', {}, 'GET', 403],
    ['another origin', '/rules', { ...withToken, origin: 'https://evil.example' }, 'GET', 403],
    ['a page from disk', '/rules', { ...withToken, origin: 'null' }, 'GET', 403],
    ['another port', '/rules', { ...withToken, origin: 'http://127.0.0.1:9' }, 'GET', 403],
    ['no token', '/rules', local, 'GET', 401],
    ['a wrong token', '/messages', { ...local, authorization: 'Bearer the-tokem' }, 'GET', 401],
    ['a token in the query', '/rules?token=the-token', local, 'GET', 401],
    ['another method', '/rules', withToken, 'POST', 405],
    ['another path', '/key', withToken, 'GET', 404],
  ])('refuses %s', async (_name, path, headers, method, status) => {
    const response = get(path, headers, method);
    expect(response.status).toBe(status);
    expect(Object.keys((await response.json()) as object)).toEqual(['error']);
  });

  it('has nothing but the page where it was given nothing', () => {
    const bare = createPlayHandler({ html, token });
    for (const path of ['/rules', '/messages']) {
      const request = new Request(`http://127.0.0.1${path}`, { headers: { ...withToken, host: '127.0.0.1' } });
      expect(bare(request).status).toBe(404);
    }
  });
});

/** Writes of rules and keyword lists, over HTTP and by the client. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/index.js';
import { type ServedRequest, type ServiceOptions, startService } from '../../src/platform/service/index.js';
import { callerOf } from './call.js';
import { loseAnswers } from './intercepts.js';
import { data as sample } from './sample-data.js';

const data = { ...sample, rules: sample.rules.filter(({ id }) => id !== 'broken') };

async function serving(options: ServiceOptions = {}) {
  const service = await startService({ data, ...options });
  onTestFinished(() => service.close());
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey, retry: false });
  onTestFinished(() => client.close());
  return { service, client, call: callerOf(service) };
}

const rule = { id: 'scams', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['buy now'] }], note: 1 };
const list = { id: 'words', name: 'Words', category: 'word', searchTerms: ['one', 'two'] };
const revised = (id: string, count: number) => ({
  active: true,
  createdAt: expect.any(Number),
  updatedAt: expect.any(Number),
  revisionId: `local_${id}_${count}`,
});

describe('rules and keyword lists', () => {
  it('are created, replaced by counted revisions, and deleted', async () => {
    const { client } = await serving();
    const before = await client.rules.list();
    expect(await client.rules.create(rule)).toEqual({ ...rule, ...revised('scams', 1) });
    expect(await client.rules.replace('scams', { ...rule, enabled: false })).toEqual({
      ...rule,
      enabled: false,
      ...revised('scams', 2),
    });
    expect((await client.rules.list()).data).toHaveLength(before.data.length + 1);
    expect(await client.rules.delete('scams')).toMatchObject({
      success: true,
      message: expect.stringContaining('scams'),
    });
    expect(await client.rules.list()).toEqual(before);
    const lists = await client.lists.list();
    expect(await client.lists.create(list)).toEqual({ ...list, ...revised('words', 1) });
    expect(await client.lists.replace('words', { ...list, searchTerms: [] })).toMatchObject({ searchTerms: [] });
    expect(await client.lists.get('words')).toMatchObject({ revisionId: 'local_words_2', searchTerms: [] });
    await client.lists.delete('words');
    expect(await client.lists.list()).toEqual(lists);
  });

  it('keep what the service sets, whatever a request says of it', async () => {
    const given = { ...rule, default: true, createdAt: 7, updatedAt: 7, revisionId: 'app_scams_25' };
    const { client } = await serving({ data: { ...data, rules: [given] } });
    const replaced = await client.rules.replace('scams', { ...rule, default: false, createdAt: 1, revisionId: 'mine' });
    expect(replaced).toMatchObject({ default: true, createdAt: 7, revisionId: 'app_scams_26' });
    expect(replaced.updatedAt).toBeGreaterThan(7);
  });

  it.each<[string, string, number, string, object | undefined]>([
    ['POST', 'rules', 409, 'ERR_RULE_ALREADY_EXISTS', { ...rule, id: 'r1' }],
    ['POST', 'keywords', 409, 'ERR_KEYWORD_ALREADY_EXISTS', { ...list, id: 'l1' }],
    ['PUT', 'rules/none', 404, 'ERR_RULE_NOT_FOUND', rule],
    ['PUT', 'rules/l1', 404, 'ERR_RULE_NOT_FOUND', { ...rule, id: 'l1' }],
    ['DELETE', 'rules/none', 404, 'ERR_RULE_NOT_FOUND', undefined],
    ['PUT', 'keywords/none', 404, 'ERR_KEYWORD_NOT_FOUND', list],
    ['DELETE', 'keywords/r1', 404, 'ERR_KEYWORD_NOT_FOUND', undefined],
    ['PUT', 'rules/r1', 400, 'id', rule],
    ['POST', 'rules', 400, 'conditions', {}],
    ['POST', 'rules', 400, 'id', { ...rule, id: undefined }],
    ['POST', 'rules', 400, 'id', { ...rule, id: 'two words' }],
    ['POST', 'rules', 400, 'id', { ...rule, id: 'x'.repeat(101) }],
    ['POST', 'rules', 400, 'name', { ...rule, name: 'x'.repeat(101) }],
    ['POST', 'rules', 400, 'description', { ...rule, description: 'x'.repeat(256) }],
    ['POST', 'rules', 400, 'conditions', { ...rule, conditions: Array(11).fill({}) }],
    ['POST', 'rules', 400, 'filters', { ...rule, filters: Array(11).fill({}) }],
    ['PUT', 'rules/r1', 400, 'action', { ...rule, id: 'r1', action: 7 }],
    ['POST', 'keywords', 400, 'searchTerms[0]', { ...list, searchTerms: ['x'.repeat(101)] }],
    ['POST', 'keywords', 400, 'searchTerms', { ...list, searchTerms: Array(10_000).fill('x'.repeat(100)) }],
    ['PUT', 'keywords/l1', 400, 'searchTerms', { id: 'l1' }],
  ])('%s %s is %i: %s', async (method, path, status, word, body) => {
    const { call, client } = await serving();
    const before = [await client.rules.list(), await client.lists.list()];
    const answer = await call(`/moderation/${path}`, { method, body });
    const { error } = answer.body as { error: { code: string; details?: Readonly<Record<string, unknown>> } };
    expect([answer.status, error.details === undefined ? error.code : Object.keys(error.details)[0]]).toEqual([
      status,
      word,
    ]);
    expect([await client.rules.list(), await client.lists.list()]).toEqual(before);
  });

  it('are at most 25 each, those of the platform aside, counted where one is created', async () => {
    const rules = Array.from({ length: 25 }, (_, at) => ({ ...rule, id: `r${at}` }));
    const { client } = await serving({ data: { rules: [...rules, { ...rule, id: 'own', default: true }], lists: [] } });
    await expect(client.rules.create(rule)).rejects.toMatchObject({ status: 400 });
    await client.rules.replace('r7', rules[7]!);
    await client.rules.delete('r3');
    await client.rules.create(rule);
    for (let at = 0; at < 25; at++) await client.lists.create({ ...list, id: `l${at}` });
    await expect(client.lists.create(list)).rejects.toMatchObject({ status: 400 });
  });
});

describe('a hook in front of the service', () => {
  it.each(['reset', 'html', 'content-type'] as const)('can lose the answer of a write: %s', async (kind) => {
    const intercept = loseAnswers({ kind, method: 'POST', after: 0, count: 1 });
    const served: ServedRequest[] = [];
    const { client } = await serving({ data: { rules: [] }, intercept, onRequest: (one) => served.push(one) });
    const outcome = await client.rules.create(rule).catch((error: Error) => error);
    expect(outcome).toBeInstanceOf(Error);
    expect((await client.rules.list()).data.map(({ id }) => id)).toEqual(['scams']);
    expect(served[0]?.status).toBe(kind === 'reset' ? undefined : 200);
  });

  it('can answer in its place, before the key is looked at', async () => {
    const { service } = await serving({ intercept: ({ url }) => Response.json({ url }, { status: 503 }) });
    const response = await fetch(`${service.url}/messages`);
    expect([response.status, await response.json()]).toEqual([503, { url: '/v3/messages' }]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ShapeError, UsageError } from '../../src/errors.js';
import { createClient, createModerator, loadRuleSet, type RuleSet } from '../../src/index.js';
import { writeRuleSetFile } from '../../src/loader/rule-set-file.js';
import { type ServiceBug, type ServiceOptions, startService } from '../../src/service/index.js';
import { demandFromHere } from '../../src/service/revisions.js';
import { callerOf } from './call.js';
import { data } from './sample-data.js';

const ruleOf = (id: string, list: string) => ({
  id,
  name: id,
  enabled: true,
  active: true,
  action: ['blockMessage'],
  conditions: [
    { id: 1, operand: 'text', category: 'word', operator: 'contains', isKeywordsReferencePresent: true, value: [list] },
  ],
});
const listOf = (id: string, ...searchTerms: string[]) => ({ id, name: id, category: 'word', searchTerms });

/** A file for each path; anything but a string is written as JSON. */
function directoryOf(files: Readonly<Record<string, unknown>>) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-revisions-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const write = (more: Readonly<Record<string, unknown>>): void => {
    for (const [path, content] of Object.entries(more)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content));
    }
  };
  write(files);
  return { directory, write };
}

const mild = { rules: [ruleOf('words', 'swears')], lists: [listOf('swears', 'darn')] };
const strict = { rules: [ruleOf('words', 'swears')], lists: [listOf('swears', 'darn', 'heck')] };
const two = { '2026-01-01.json': mild, '2026-02-01/rules.json': strict.rules, '2026-02-01/lists.json': strict.lists };

async function serve(options: ServiceOptions) {
  const service = await startService({ data, ...options });
  onTestFinished(service.close);
  return { service, call: callerOf(service), control: controlOf(service) };
}

function controlOf({ url, apiKey }: { readonly url: string; readonly apiKey: string }) {
  return async (method: string, body?: unknown, apikey: string | null = apiKey) => {
    const response = await fetch(new URL('/revisions', url), {
      method,
      headers: { ...(apikey === null ? {} : { apikey }), 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };
}

const termsOf = async (call: ReturnType<typeof callerOf>) =>
  ((await call('/moderation/keywords/swears')).body as { data: { searchTerms: string[] } }).data.searchTerms;

describe('a directory of revisions', () => {
  it('is served from its newest, or from the one that is named', async () => {
    const { directory } = directoryOf(two);
    const newest = await serve({ revisions: directory });
    expect(newest.service.revisions).toMatchObject({ names: ['2026-01-01', '2026-02-01'], current: '2026-02-01' });
    expect(await termsOf(newest.call)).toEqual(['darn', 'heck']);
    expect((await newest.call('/moderation/rules')).body).toMatchObject({ data: strict.rules });
    expect((await newest.call('/moderation/rules/r1')).status).toBe(404);
    const named = await serve({ revisions: directory, revision: '2026-01-01' });
    expect(named.service.revisions.current).toBe('2026-01-01');
    expect(await termsOf(named.call)).toEqual(['darn']);
    expect((await named.call('/users/alice')).status).toBe(200);
  });

  it('takes files as they are pulled, names with a word behind the date, and leaves other files alone', async () => {
    const { directory } = directoryOf({
      '2026-01-01-a/rules.json': { data: mild.rules },
      '.git/config': 'x',
      'README.md': 'notes',
      '2025-12-31T10.json': strict,
    });
    const { service, call } = await serve({ revisions: directory });
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    onTestFinished(client.close);
    expect(service.revisions.names).toEqual(['2025-12-31T10', '2026-01-01-a']);
    service.revisions.use('2025-12-31T10');
    const pulled: RuleSet = await loadRuleSet(client);
    await writeRuleSetFile(join(directory, '2026-03-01.json'), pulled);
    await service.revisions.reread();
    service.revisions.use('2026-03-01');
    expect((await loadRuleSet(client)).revision).toBe(pulled.revision);
    expect(await termsOf(call)).toEqual(['darn', 'heck']);
  });

  it('is switched from the next request on, and read again as a whole or not at all', async () => {
    const { directory, write } = directoryOf(two);
    const { service, call } = await serve({ revisions: directory });
    const { revisions } = service;
    revisions.use('2026-01-01');
    expect(await termsOf(call)).toEqual(['darn']);
    expect(() => revisions.use('2026-01-02')).toThrow('there are `2026-01-01`, `2026-02-01`');
    expect(() => revisions.use('toString')).toThrow(UsageError);
    write({ '2026-01-01.json': { ...mild, lists: [listOf('swears', 'drat')] }, '2026-03-01.json': '{ "rules": [' });
    await expect(revisions.reread()).rejects.toThrow('2026-03-01.json: `the whole value` must be JSON');
    expect([await termsOf(call), revisions.names.length]).toEqual([['darn'], 2]);
    write({ '2026-03-01.json': mild });
    await revisions.reread();
    expect(revisions.names).toEqual(['2026-01-01', '2026-02-01', '2026-03-01']);
    expect([await termsOf(call), revisions.current]).toEqual([['drat'], '2026-01-01']);
    rmSync(join(directory, '2026-01-01.json'));
    await expect(revisions.reread()).rejects.toThrow('there is no revision of that name');
    expect(await termsOf(call)).toEqual(['drat']);
  });

  it('follows the newest while none was chosen', async () => {
    const { directory, write } = directoryOf(two);
    const { service, call } = await serve({ revisions: directory });
    write({ '2026-03-01.json': mild });
    await Promise.all([service.revisions.reread(), service.revisions.reread()]);
    expect([service.revisions.current, await termsOf(call)]).toEqual(['2026-03-01', ['darn']]);
  });

  it('gives each request one revision', async () => {
    const revisionOf = (name: string) => ({
      rules: Array.from({ length: 50 }, (_, index) => ({ id: `${index}`, name })),
      lists: [],
    });
    const names = ['2026-01-01', '2026-01-02', '2026-01-03'];
    const { directory } = directoryOf(Object.fromEntries(names.map((name) => [`${name}.json`, revisionOf(name)])));
    const { service, call } = await serve({
      revisions: directory,
      faults: { faults: [{ kind: 'latency', ms: 0, jitterMs: 20 }] },
    });
    const seen = new Set<string>();
    const ask = async (): Promise<void> => {
      const { body } = await call('/moderation/rules?limit=1000');
      const served = new Set((body as { data: { name: string }[] }).data.map(({ name }) => name));
      expect(served.size).toBe(1);
      for (const name of served) seen.add(name);
    };
    for (let round = 0; round < 30; round += 1) {
      service.revisions.use(names[round % 3]!);
      await Promise.all([ask(), ask(), ask()]);
    }
    expect([...seen].toSorted()).toEqual(names);
  });

  it.each<readonly [Readonly<Record<string, unknown>>, typeof UsageError | typeof ShapeError, string]>([
    [{}, UsageError, 'must hold revisions, such as 2026-01-31.json or 2026-01-31/rules.json'],
    [{ 'latest.json': mild }, UsageError, '/latest.json` must have a name that begins with a date'],
    [{ '2026-13-01.json': mild }, UsageError, '/2026-13-01.json` must have a name that begins with a date'],
    [{ '2026-02-30.json': mild }, UsageError, '/2026-02-30.json` must have a name that begins with a date'],
    [{ ...two, 'old/rules.json': [] }, UsageError, '/old` must have a name that begins with a date'],
    [{ ...two, '2026-02-01.json': mild }, UsageError, 'there are two revisions `2026-02-01`'],
    [{ '2026-01-01/lists.json': [] }, UsageError, '/2026-01-01` must hold rules.json'],
    [{ '2026-01-01.json': 'x' }, ShapeError, '/2026-01-01.json: `the whole value` must be JSON'],
    [{ '2026-01-01.json': [] }, ShapeError, '/2026-01-01.json: `the whole value` must be an object'],
    [{ '2026-01-01.json': 'null' }, ShapeError, '/2026-01-01.json: `the whole value` must be an object'],
    [{ '2026-01-01.json': { rules: [] } }, ShapeError, '/2026-01-01.json: `lists` must be an array'],
    [{ '2026-01-01.json': { rules: [{}], lists: [] } }, ShapeError, '/2026-01-01.json: rules[0]: `id` must be'],
    [{ '2026-01-01/rules.json': [7] }, ShapeError, '/2026-01-01/rules.json[0]: `the whole value` must be an object'],
    [{ '2026-01-01/rules.json': '[' }, ShapeError, '/2026-01-01/rules.json: `the whole value` must be json'],
    [
      { '2026-01-01/rules.json': [], '2026-01-01/lists.json': [{ id: '' }] },
      ShapeError,
      '/2026-01-01/lists.json[0]: `id` must be a non-empty string',
    ],
  ])('%j is refused by name', async (files, kind, words) => {
    const started = startService({ data, revisions: directoryOf(files).directory });
    await expect(started).rejects.toThrow(kind);
    await expect(started).rejects.toThrow(words);
  });

  it('that is none, or a revision that is not in it, is refused', async () => {
    const { directory } = directoryOf(two);
    for (const [options, words] of [
      [{ revisions: join(directory, 'nowhere') }, /^cannot read `.+nowhere`: no such file or directory$/],
      [{ revisions: join(directory, '2026-01-01.json') }, /^cannot read `.+2026-01-01\.json`: .+ is not a directory$/],
      [{ revisions: '' }, /^options: `revisions` must be the path of a directory of revisions$/],
      [{ revisions: directory, revision: '2026' }, /^there is no revision of that name; there are `2026-01-01`/],
      [{ revision: '2026-01-01' }, /^`revision` is one of a directory of them: give that as `revisions`$/],
    ] as const) {
      const started = startService({ data, ...options });
      await expect(started).rejects.toThrow(UsageError);
      await expect(started).rejects.toThrow(words);
    }
  });
});

describe('the control of revisions', () => {
  it('tells, switches and reads again', async () => {
    const { directory, write } = directoryOf(two);
    const { call, control } = await serve({ revisions: directory });
    const names = ['2026-01-01', '2026-02-01'];
    expect(await control('GET')).toEqual({ status: 200, body: { data: { current: '2026-02-01', names } } });
    expect(await control('PUT', { name: '2026-01-01' })).toMatchObject({ body: { data: { current: '2026-01-01' } } });
    expect(await termsOf(call)).toEqual(['darn']);
    write({ '2026-01-01.json': { ...mild, lists: [listOf('swears', 'drat')] } });
    expect((await control('POST')).status).toBe(200);
    expect(await termsOf(call)).toEqual(['drat']);
  });

  it('refuses what it cannot do, and changes nothing', async () => {
    const { directory, write } = directoryOf(two);
    const { control } = await serve({ revisions: directory });
    write({ '2026-03-01.json': '[]' });
    const error = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });
    for (const [method, body, status, expected] of [
      ['PUT', { name: 'x' }, 404, error('ERR_REVISION_NOT_FOUND', /there are `2026-01-01`/)],
      ['PUT', {}, 400, error('ERR_BAD_REQUEST', /`name` must be/)],
      ['POST', undefined, 422, error('ERR_REVISION_INVALID', /2026-03-01\.json: `the whole value` must be an object/)],
      ['DELETE', undefined, 405, error('ERR_METHOD_NOT_ALLOWED', /DELETE/)],
    ] as const) {
      expect(await control(method, body), method).toMatchObject({ status, body: expected });
    }
    for (const key of [null, 'wrong']) {
      expect((await control('PUT', { name: '2026-01-01' }, key)).status).toBe(401);
    }
    expect(await control('GET')).toMatchObject({ body: { data: { current: '2026-02-01' } } });
  });

  it('answers HEAD without a body, OPTIONS with what there is, and no other type than JSON', async () => {
    const { directory } = directoryOf(two);
    const { service } = await serve({ revisions: directory });
    const ask = async (method: string, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(new URL('/revisions', service.url), {
        method,
        headers: { apikey: service.apiKey, ...headers },
      });
      return { status: response.status, allow: response.headers.get('allow'), text: await response.text() };
    };
    const allow = 'GET, HEAD, PUT, POST, OPTIONS';
    expect(await ask('HEAD')).toEqual({ status: 200, allow: null, text: '' });
    expect(await ask('OPTIONS')).toEqual({ status: 204, allow, text: '' });
    expect(await ask('OPTIONS', { apikey: 'wrong' })).toMatchObject({ status: 401, allow: null });
    expect(await ask('DELETE')).toMatchObject({ status: 405, allow });
    expect(await ask('GET', { accept: 'text/html' })).toMatchObject({ status: 406 });
    expect(await ask('GET', { accept: 'application/json' })).toMatchObject({ status: 200 });
  });

  it('tells of a bug, and answers 500 without its words', async () => {
    const { directory } = directoryOf(two);
    const told: ServiceBug[] = [];
    const { service, control } = await serve({ revisions: directory, onBug: (bug) => told.push(bug) });
    vi.spyOn(service.revisions, 'use').mockImplementation(() => {
      throw new TypeError('private');
    });
    const { status, body } = await control('PUT', { name: '2026-01-01' });
    expect([status, JSON.stringify(body).includes('private')]).toEqual([500, false]);
    expect(told).toMatchObject([{ operation: 'the control of revisions', error: 'TypeError' }]);
    expect(JSON.stringify(told)).not.toContain('private');
  });

  it('is for this machine alone, whatever the key', () => {
    for (const here of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
      expect(() => demandFromHere(here), here).not.toThrow();
    }
    for (const elsewhere of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', '127.0.0.1.example', '0.0.0.0', undefined])
      expect(() => demandFromHere(elsewhere), elsewhere).toThrow('there is nothing at this path');
  });

  it('is not there without the option, and out of reach of faults and limits with it', async () => {
    const without = await serve({});
    for (const method of ['GET', 'PUT', 'POST']) expect((await without.control(method)).status).toBe(404);
    expect(without.service.revisions).toMatchObject({ names: [], current: undefined });
    expect(() => without.service.revisions.use('2026-01-01')).toThrow('start it with the option `revisions`');
    await expect(without.service.revisions.reread()).rejects.toThrow(UsageError);
    const { directory } = directoryOf(two);
    const faults = { faults: [{ kind: 'never' }] as const };
    const { control } = await serve({ revisions: directory, faults, rateLimit: { requestsPerMinute: 1 } });
    for (let i = 0; i < 3; i += 1) expect((await control('GET')).status).toBe(200);
  });
});

describe('a moderator', () => {
  it('follows a switch, and its decisions say by which revision', async () => {
    const { directory } = directoryOf(two);
    const { service, control } = await serve({ revisions: directory, revision: '2026-01-01' });
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    onTestFinished(client.close);
    const moderator = await createModerator({ source: client });
    onTestFinished(moderator.close);
    const before = moderator.explain('what the heck');
    expect(before.verdict).toBe('allow');
    expect(await moderator.refresh()).toBe(false);

    service.revisions.use('2026-02-01');
    expect(moderator.explain('what the heck')).toEqual({ ...before, ageMs: expect.any(Number) });
    expect(await moderator.refresh()).toBe(true);
    const after = moderator.explain('what the heck');
    expect(after.verdict).toBe('blockMessage');
    expect(after.revision).toBe(moderator.revision);
    expect(after.revision).not.toBe(before.revision);

    await control('PUT', { name: '2026-01-01' });
    expect(await moderator.refresh()).toBe(true);
    expect(moderator.explain('what the heck')).toEqual({ ...before, ageMs: expect.any(Number) });
  });

  it('keeps the last good rules while the service fails', async () => {
    const { directory } = directoryOf(two);
    const faults = {
      controlHeader: false,
      faults: [{ kind: 'truncate', path: '/moderation/rules', after: 1, count: 40 }],
    } as const;
    const { service } = await serve({ revisions: directory, revision: '2026-01-01', faults });
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey, retry: { baseMs: 1 } });
    onTestFinished(client.close);
    const moderator = await createModerator({ source: client });
    onTestFinished(moderator.close);
    const { revision } = moderator;
    service.revisions.use('2026-02-01');
    await expect(moderator.refresh()).rejects.toThrow();
    expect(moderator.revision).toBe(revision);
    expect(moderator.status.state).toBe('stale');
    expect(moderator.decide('what the heck')).toBe('allow');
  });
});

import { chmod, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/platform/client/client.js';
import type { RuleSet } from '../../src/platform/contract/rule-set.js';
import { loadRuleSet } from '../../src/platform/loader/load-rule-set.js';
import { digestParts } from '../../src/platform/loader/part-form.js';
import { startService } from '../../src/platform/service/index.js';
import { acceptanceRevision } from '../../src/review/compare/acceptance-revision.js';
import { pagesOf } from '../service/intercepts.js';
import { json, serve } from '../support/http.js';
import { sluice } from './terminal.js';
import { openWorld, world } from './world.js';

const { service, files, env } = await openWorld();
const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
const fetched = await loadRuleSet(client);
const ruleSet = { ...fetched, pulled: digestParts(fetched) };
await client.close();

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('sluice pull --semantics', () => {
  it('fetches the keyword lists that exceptions name as well', async () => {
    const semantics = files.file('exceptions.json');
    await writeFile(semantics, JSON.stringify({ exceptions: ['a', { lists: ['scam-list', 'no-list'] }] }));
    const { code, stdout, stderr } = await sluice(['pull', '--out', '-', '--semantics', semantics], { env });
    const { lists, missing } = JSON.parse(stdout) as RuleSet;
    expect(code).toBe(0);
    expect(lists.map(({ id }) => id)).toContain('scam-list');
    expect(missing.map(({ listId }) => listId)).toEqual([...ruleSet.missing.map(({ listId }) => listId), 'no-list']);
    expect(stderr).toContain('warning: no keyword list `no-list`');
  });
});

describe('sluice pull --messages', () => {
  it('keeps every message with all its fields, one a line, so that an audit of the file equals that of the platform', async () => {
    const target = files.file('kept.ndjson');
    const { code, stdout, stderr } = await sluice(['pull', '--messages', target], { env });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(`pulling messages from ${service.url}\npulled 40 messages, into ${target}\n`);
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    const listed = [];
    for await (const message of client.messages.iterate()) listed.push(message);
    await client.close();
    const lines = (await readFile(target, 'utf8')).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toEqual(listed);
    expect(listed[0]).toMatchObject({ data: { entities: { sender: { entity: { uid: 'bob', name: 'Bob' } } } } });
    const audit = ['audit', '--rules', files.file('rule-set.json'), '--json', '--quiet'];
    const summaries = [];
    for (const source of [[], ['--messages', target]]) {
      const { input: _, ...summary } = JSON.parse((await sluice([...audit, ...source], { env })).stdout);
      summaries.push(summary);
    }
    expect(summaries[1]).toEqual(summaries[0]);
  });

  it('keeps the roles of senders, which filters of rules are about', async () => {
    const target = files.file('roles.ndjson');
    const filters = [{ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: 'admin' }];
    const condition = { id: 1, operand: 'text', value: ['hello'] };
    const rules = [{ id: 'admins', action: ['blockMessage'], filters, conditions: [condition] }];
    const { users = [], ...rest } = world(8);
    const admins = users.map((user) => ({ ...user, role: 'admin' }));
    const platform = await startService({ data: { ...rest, users: admins, rules, lists: [] } });
    onTestFinished(() => platform.close());
    const own = { SLUICE_BASE_URL: platform.url, SLUICE_API_KEY: platform.apiKey };
    await sluice(['pull', '--messages', target, '--out', files.file('admins.json'), '--quiet'], { env: own });
    const args = ['audit', '--rules', files.file('admins.json'), '--messages', target, '--json', '--quiet'];
    expect(JSON.parse((await sluice(args)).stdout)).toMatchObject({
      verdicts: { blockMessage: 1 },
      unevaluated: { messages: 0 },
    });
  });

  it('takes the filters of an audit', async () => {
    const target = files.file('some.ndjson');
    const filters = ['--conversation', 'group_team', '--since', '2026-03-02', '--quiet'];
    await sluice(['pull', '--messages', target, ...filters], { env });
    const { stdout } = await sluice(['audit', ...filters, '--json'], { env });
    const kept = (await readFile(target, 'utf8')).trimEnd().split('\n');
    expect(kept).toHaveLength(8);
    expect(kept).toHaveLength(JSON.parse(stdout).messages);
  });

  it('makes a file that is readable by its owner alone, and keeps the permissions of one that is there', async () => {
    const target = files.file('private.ndjson');
    await sluice(['pull', '--messages', target, '--quiet'], { env });
    expect(await modeOf(target)).toBe(0o600);
    await chmod(target, 0o640);
    await sluice(['pull', '--messages', target, '--force', '--quiet'], { env });
    expect(await modeOf(target)).toBe(0o640);
  });

  it('prints messages with `-`, and writes rules beside them', async () => {
    const target = files.file('beside.json');
    const { stdout } = await sluice(['pull', '--messages', '-', '--out', target, '--quiet'], { env });
    expect(stdout.trimEnd().split('\n')).toHaveLength(40);
    expect(JSON.parse(await readFile(target, 'utf8')).rules).toHaveLength(6);
  });

  it('fetches no more messages once nobody reads what it prints', async () => {
    let pages = 0;
    const large = await startService({
      data: world(1000),
      intercept: pagesOf(10),
      onRequest: ({ path }) => (pages += Number(path.endsWith('/messages'))),
    });
    onTestFinished(() => large.close());
    const print = (isUnread: boolean) => {
      pages = 0;
      const own = { SLUICE_BASE_URL: large.url, SLUICE_API_KEY: large.apiKey };
      return sluice(['pull', '--messages', '-', '--quiet'], {
        env: own,
        isUnread: () => isUnread,
      });
    };
    expect(await print(false)).toMatchObject({ code: 0, stderr: '' });
    const all = pages;
    expect(await print(true)).toMatchObject({ code: 0, stderr: '' });
    expect([all, pages < all / 2]).toEqual([expect.any(Number), true]);
  });

  it('writes nothing when it is interrupted or the platform fails, and says how far it came', async () => {
    const large = await startService({ data: world(1000) });
    onTestFinished(() => large.close());
    const target = files.file('half.ndjson');
    await writeFile(target, 'old');
    const before = await readdir(files.directory);
    for (const ending of ['interrupted', 'failed']) {
      const controller = new AbortController();
      let pages = 0;
      const platform = await serve(async (response, { target }) => {
        if (target.includes('/messages')) pages += 1;
        if (pages > 3 && ending === 'interrupted') return controller.abort(new Error('interrupted'));
        if (pages > 3) return json(response, { error: { code: 'AUTH_ERR_NO_ACCESS' } }, 403);
        const answer = await fetch(new URL(target.replace('limit=1000', 'limit=100'), large.url), {
          headers: { apikey: large.apiKey },
        });
        json(response, await answer.json());
      });
      const args = ['pull', '--messages', target, '--force', '--base-url', platform.url];
      const { code, stderr } = await sluice(args, {
        env: { SLUICE_API_KEY: large.apiKey },
        interrupted: controller.signal,
      });
      expect(code).toBe(ending === 'interrupted' ? 130 : 4);
      expect(stderr).toContain('\nstopped after 300 messages; no file was written\n');
      expect(await readFile(target, 'utf8')).toBe('old');
      expect(await readdir(files.directory)).toEqual(before);
    }
  });
});

describe('sluice pull --blocked and --reviewed', () => {
  const message = (id: string, sentAt: number) => ({ id, sender: 'bob', sentAt, data: { text: `text ${id}` } });
  const entry = (id: string, fields: object) => ({
    ruleId: 'r',
    revisionId: 'r_3',
    message: message(id, 100),
    updatedAt: 5,
    ...fields,
  });
  /**
   * A platform that lists messages 1 to 3, and answers the other two lists with these pages; one
   * that is a number is a status.
   */
  const platform = (pages: Readonly<Record<string, unknown>>) =>
    serve((response, { target }) => {
      const path = target.replace(/^\/v3|\?.*/g, '');
      const answer =
        path === '/messages' ? { data: [1, 2, 3].map((id) => message(String(id), 100 + id)) } : pages[path];
      if (typeof answer === 'number') return json(response, { error: { code: 'ERR' } }, answer);
      json(response, { meta: {}, ...(answer as object) });
    });
  const pull = (url: string, ...args: readonly string[]) =>
    sluice(['pull', '--base-url', url, ...args], { env: { SLUICE_API_KEY: 'k' } });

  it('adds messages that were stopped behind those that are listed, none twice, by the filters of these', async () => {
    const ids = ['9', '2', '8', '9'];
    const data = ids.map((id) => ({ ruleId: 'r', message: { ...message(id, id === '8' ? 50 : 105), kept: [id] } }));
    const { url } = await platform({ '/moderation/blocked-messages': { data } });
    const [all, some] = [files.file('with-blocked.ndjson'), files.file('some-blocked.ndjson')];
    const first = await pull(url, '--messages', all, '--blocked');
    expect([first.code, first.stderr.split('\n').slice(1)]).toEqual([
      0,
      [`pulled 3 messages, into ${all}`, 'added 2 blocked messages; 1 had been listed', ''],
    ]);
    const rows = (await readFile(all, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ id }) => id)).toEqual(['1', '2', '3', '9', '8']);
    expect(rows[3].kept).toEqual(['9']);
    const { stderr } = await pull(url, '--messages', some, '--blocked', '--since', '100');
    expect(stderr).toContain('added 1 blocked message; 1 had been listed; 1 not selected by the filters');
  });

  it('writes what reviewers decided as labels, the last decision last', async () => {
    const data = [
      entry('1', { status: 'approved', updatedAt: 9 }),
      entry('1', { status: 'rejected' }),
      entry('2', { status: 'Disapproved' }),
      entry('3', { message: { ...message('3', 1), data: { moderation: { status: 'approved' } } }, revisionId: null }),
      entry('4', { status: 'pending' }),
      ...[entry('5', { ruleId: null, status: 'approved' }), entry('6', { ruleId: undefined, status: 'disapproved' })],
    ];
    const { url } = await platform({ '/moderation/reviewed-messages': { data } });
    const target = files.file('reviewed.ndjson');
    const { code, stderr } = await pull(url, '--reviewed', target);
    expect([code, stderr]).toEqual([
      0,
      `pulled 6 labels of reviewers, into ${target}; 1 without a decision left out\n`,
    ]);
    expect(await modeOf(target)).toBe(0o600);
    const rows = (await readFile(target, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const noted = { source: 'reviewed', ruleRevision: 'r_3' };
    expect(rows).toEqual([
      { messageId: '1', ruleId: 'r', outcome: 'right', ...noted },
      { messageId: '2', ruleId: 'r', outcome: 'right', ...noted },
      { messageId: '3', ruleId: 'r', outcome: 'wrong', source: 'reviewed' },
      { messageId: '5', outcome: 'right', ...noted },
      { messageId: '6', outcome: 'wrong', ...noted },
      { messageId: '1', ruleId: 'r', outcome: 'wrong', ...noted },
    ]);
    expect((await pull(url, '--reviewed', target)).stderr).toContain('is there and not empty');
    expect((await pull(url, '--reviewed', '-', '--quiet')).stdout.split('\n')).toHaveLength(7);
  });

  it.each(['blocked', 'reviewed'])('says when the page of %s messages is full', async (which) => {
    const data = [entry('7', { status: 'approved' })];
    const path = `/moderation/${which}-messages`;
    const args = which === 'blocked' ? ['--blocked', '--messages', '-'] : ['--reviewed', '-'];
    const full = `warning: the list of ${which} messages filled its page of 1, and the platform has no next one: there may be more\n`;
    for (const [page, isFull] of [
      [{ data }, false],
      [{ data, meta: { current: { limit: 1, count: 1 } } }, true],
    ] as const) {
      const { url } = await platform({ [path]: page });
      expect((await pull(url, ...args)).stderr.includes(full)).toBe(isFull);
    }
  });

  it.each([
    ['a refused key', 403, /403/],
    ['a row without a message', { data: [entry('1', { message: null })] }, /`data\[0\].message/],
    ['a row with another decision', { data: [entry('1', { status: 7 })] }, /`data\[0\].status/],
  ])('exits with 4 for %s, and writes nothing', async (_, page, words) => {
    const { url } = await platform({ '/moderation/blocked-messages': page, '/moderation/reviewed-messages': page });
    const before = await readdir(files.directory);
    for (const args of [
      ['--reviewed', files.file('no.ndjson')],
      ['--blocked', '--messages', files.file('no.ndjson')],
    ]) {
      const { code, stderr } = await pull(url, ...args);
      expect([code, stderr]).toEqual([4, expect.stringMatching(words)]);
    }
    expect(await readdir(files.directory)).toEqual(before);
  });

  it('asks again without a limit where the platform takes none, and works over the demo', async () => {
    const { url, received } = await serve((response, { target }) =>
      target.includes('limit=')
        ? json(response, {}, 400)
        : json(response, { data: [entry('1', { status: 'approved' })] }),
    );
    expect((await pull(url, '--reviewed', '-', '--quiet')).stdout.split('\n')).toHaveLength(2);
    expect(received).toHaveLength(2);
    const target = files.file('demo.ndjson');
    const demo = await sluice(['pull', '--demo', '--reviewed', target]);
    expect([demo.code, demo.stderr]).toEqual([0, expect.stringContaining('pulled 1,000 labels of reviewers')]);
    const outcomes = (await readFile(target, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).outcome);
    expect([...new Set(outcomes)].sort()).toEqual(['right', 'wrong']);
  });
});

describe('sluice pull', () => {
  it('writes a file for --rules, and reports its content and the missing lists', async () => {
    const target = files.file('pulled.json');
    const { code, stdout, stderr } = await sluice(['pull', '--out', target], { env });
    expect([code, stdout]).toEqual([0, '']);
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({ ...ruleSet, digest: expect.any(String) });
    const revision = await acceptanceRevision(ruleSet);
    expect(stderr.split('\n')).toEqual([
      `pulling rules from ${service.url}`,
      `pulled 6 rules and 2 keyword lists with 5 terms, revision ${revision}, into ${target}`,
      'warning: no keyword list `lost-list`: http 404 (ERR_KEYWORD_NOT_FOUND)',
      '',
    ]);
    const audit = ['audit', '--messages', files.file('messages.ndjson'), '--json', '--quiet'];
    const byFile = await sluice([...audit, '--rules', target]);
    expect(byFile.stdout).toBe((await sluice(audit, { env })).stdout);
  });

  it('prints the rule set with --out - or --json', async () => {
    for (const args of [['--out', '-'], ['--json'], ['--json', '--out', '-']]) {
      const { code, stdout, stderr } = await sluice(['pull', ...args, '--quiet'], { env });
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toEqual(ruleSet);
    }
  });

  it('keeps a link and the permissions of the file that it leads to', async () => {
    await writeFile(files.file('private.json'), 'old', { mode: 0o600 });
    await symlink('private.json', files.file('link.json'));
    expect((await sluice(['pull', '--out', files.file('link.json'), '--force', '--quiet'], { env })).code).toBe(0);
    expect(await readlink(files.file('link.json'))).toBe('private.json');
    expect((await stat(files.file('private.json'))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(files.file('private.json'), 'utf8'))).toEqual({
      ...ruleSet,
      digest: expect.any(String),
    });
  });

  it('warns when the list of rules may be truncated', async () => {
    const { url } = await serve((response) =>
      json(response, { data: [{ id: 'a', conditions: [] }], meta: { current: { limit: 1, count: 1 } } }),
    );
    const { code, stderr } = await sluice(['pull', '--json', '--base-url', url], { env });
    expect(code).toBe(0);
    expect(stderr).toContain('warning: the list of rules filled its page');
  });

  it('prefers the key of --api-key-file to that of the environment', async () => {
    const { code, stderr } = await sluice(
      ['pull', '--json', '--quiet', '--api-key-file', files.file('rule-set.json')],
      {
        env,
      },
    );
    expect(code).not.toBe(0);
    expect(stderr).not.toContain('profanity');
    expect(stderr).not.toContain(service.apiKey);
  });

  it('exits with 4 for a refused key and for a malformed response', async () => {
    const refused = await sluice(['pull', '--json', '--quiet'], { env: { ...env, SLUICE_API_KEY: 'wrong' } });
    expect([refused.code, refused.stdout]).toEqual([4, '']);
    expect(refused.stderr).toMatch(/^sluice: .*401.*\n$/);
    const { url } = await serve((response) => json(response, { data: [{ id: 7 }] }));
    const nonsense = await sluice(['pull', '--json', '--quiet', '--base-url', url], { env });
    expect([nonsense.code, nonsense.stdout]).toEqual([4, '']);
    expect(nonsense.stderr).toMatch(/^sluice: GET \/moderation\/rules: `data\[0\].+\n$/);
  });
});

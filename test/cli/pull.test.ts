import { readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import type { RuleSet } from '../../src/contract/rule-set.js';
import { loadRuleSet } from '../../src/loader/load-rule-set.js';
import { type Service, startService } from '../../src/service/index.js';
import { json, serve } from '../support/http.js';
import { sluice } from './terminal.js';
import { world, worldFiles } from './world.js';

let service: Service;
let files: Awaited<ReturnType<typeof worldFiles>>;
let env: Record<string, string>;
let ruleSet: RuleSet;

beforeAll(async () => {
  service = await startService({ data: world() });
  files = await worldFiles();
  env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  ruleSet = await loadRuleSet(client);
  await client.close();
});
afterAll(async () => {
  await service.close();
  await files.remove();
});

describe('sluice pull', () => {
  it('writes a file for --rules, and reports its content and the missing lists', async () => {
    const target = files.file('pulled.json');
    const { code, stdout, stderr } = await sluice(['pull', '--out', target], { env });
    expect([code, stdout]).toEqual([0, '']);
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({ ...ruleSet, digest: expect.any(String) });
    const { revision } = ruleSet;
    expect(stderr.split('\n')).toEqual([
      `pulling rules from ${service.url}`,
      `pulled 6 rules and 2 keyword lists with 5 terms, revision ${revision.slice(0, 12)}, into ${target}`,
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
    expect((await sluice(['pull', '--out', files.file('link.json'), '--quiet'], { env })).code).toBe(0);
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

import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/platform/client/client.js';
import type { RuleSet } from '../../src/platform/contract/rule-set.js';
import { loadRuleSet } from '../../src/platform/loader/load-rule-set.js';
import { digestParts } from '../../src/platform/loader/part-form.js';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { type Intercept, type ModerationRow, startService } from '../../src/platform/service/index.js';
import { loseAnswers } from '../service/intercepts.js';
import { type RunOptions, sluice } from './terminal.js';

const text = { id: 1, operand: 'text', category: 'word', operator: 'contains' };
const rules: readonly ModerationRow[] = [
  {
    id: 'scams',
    name: 'Scams',
    action: ['blockMessage'],
    conditions: [{ ...text, isKeywordsReferencePresent: true, value: ['scam-words'] }],
    revisionId: 'app_scams_1',
  },
  {
    id: 'built-in',
    name: 'Built in',
    default: true,
    enabled: true,
    action: ['blockMessage'],
    conditions: [{ ...text, value: ['heck'] }],
    revisionId: 'app_built-in_1',
  },
];
const lists: readonly ModerationRow[] = [
  {
    id: 'scam-words',
    name: 'Scam words',
    category: 'word',
    isCSV: true,
    searchTerms: ['"buy now"', '"free money"'],
    revisionId: 'app_scam-words_1',
  },
];

let client: Client;
let env: Record<string, string>;
let folder: string;
let path: string;

/** A service with the rules above, and these rules in a folder. */
async function start(intercept?: Intercept): Promise<void> {
  const service = await startService({ data: { rules, lists }, intercept });
  client = createClient({ baseUrl: service.url, apiKey: service.apiKey, retry: { attempts: 1 } });
  env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
  folder = await mkdtemp(join(tmpdir(), 'sluice-apply-'));
  path = join(folder, 'rules');
  onTestFinished(async () => {
    await client.close();
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  expect((await run('pull', '--out', `${path}/`, '--quiet')).code).toBe(0);
}

const run = (...args: string[]) => sluice(args, { env });
const onTerminal = (given: RunOptions, ...args: string[]) => sluice(args, { env, isTTY: true, columns: 100, ...given });
const live = async () => digestParts(await loadRuleSet(client, { lists: ['scam-words', 'new-words'] }));
const befores = async () => {
  const names = (await readdir(folder)).filter((name) => /^rules\.before-[\dT_-]+\.json$/.test(name));
  return names.sort().map((name) => join(folder, name));
};

/** Edits the rules of the folder. */
async function edit(
  change: (file: { rules: Record<string, unknown>[]; [field: string]: unknown }) => void,
): Promise<void> {
  const file = JSON.parse(await readFile(join(path, 'rules.json'), 'utf8'));
  change(file);
  await writeFile(join(path, 'rules.json'), JSON.stringify(file, null, 2));
}

const secondRule = {
  id: 'links',
  action: ['dropMessage'],
  conditions: [{ ...text, isKeywordsReferencePresent: true, value: ['new-words'] }],
};

async function editAll(): Promise<void> {
  await writeFile(join(path, 'lists/scam-words.txt'), '# name: Scam words\n# category: word\n\nbuy now\nwire me\n');
  await writeFile(join(path, 'lists/new-words.txt'), 'evil.example\n');
  await edit((file) => file.rules.push(secondRule));
}

describe('sluice apply', () => {
  beforeEach(() => start());

  it('shows the plan, applies it, renews what was pulled, and takes it back', async () => {
    const before = await live();
    expect(await run('apply', path, '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing to do'),
    });
    await editAll();
    const plan = await run('apply', path, '--dry-run');
    expect(plan.code).toBe(1);
    expect(plan.stdout.replace(env.SLUICE_BASE_URL!, 'URL')).toMatchInlineSnapshot(`
      "plan for URL
        rule "links" added
        list "new-words" ("links") added, with 1 term
        list "scam-words" ("Scams") gained 1 term: "wire me"; lost 1 term: "free
          money"

      4 writes, in an order that leaves no gap
      "
    `);
    expect(await live()).toEqual(before);
    const applied = await run('apply', path, '--yes');
    expect([applied.code, applied.stderr]).toEqual([
      0,
      expect.stringMatching(/4 writes done, read back and compared; the way back: sluice apply \S+ --delete\n/),
    ]);
    const file = await readRuleSetFile(path);
    expect(await live()).toEqual(digestParts(file));
    expect(file.pulled).toEqual(digestParts(file));
    expect((await run('apply', path, '--dry-run')).code).toBe(0);
    const [kept] = await befores();
    expect((await stat(kept!)).mode & 0o777).toBe(0o600);
    expect(digestParts(await readRuleSetFile(kept!, { verify: true }))).toEqual(before);
    expect((await run('apply', kept!, '--yes', '--delete')).code).toBe(0);
    expect(await live()).toEqual(before);
    // The rules are to be taken back as well: to apply them once more overwrites that.
    expect((await run('apply', path, '--dry-run')).code).toBe(3);
    expect((await run('apply', path, '--yes', '--overwrite')).code).toBe(0);
    expect(await live()).toEqual(digestParts(file));
    expect((await run('apply', (await befores()).at(-1)!, '--yes', '--delete')).code).toBe(0);
    expect(await live()).toEqual(before);
  });

  it('refuses what somebody else changed, unless it may overwrite it', async () => {
    await editAll();
    await client.lists.replace('scam-words', { id: 'scam-words', searchTerms: ['theirs'] });
    const refused = await run('apply', path, '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('refused: list `scam-words` was changed on the platform since'),
    ]);
    expect(await befores()).toEqual([]);
    expect((await run('apply', path, '--yes', '--overwrite')).code).toBe(0);
    expect(await live()).toEqual(digestParts(await readRuleSetFile(path)));
  });

  it('takes back a rule that named another list, and one that was deleted', async () => {
    const before = await live();
    await writeFile(join(path, 'lists/new-words.txt'), 'evil.example\n');
    await edit((file) => file.rules.splice(0, 1, { ...secondRule, id: 'scams' }));
    expect((await run('apply', path, '--yes', '--delete')).code).toBe(0);
    await edit((file) => file.rules.splice(0, 1));
    expect((await run('apply', path, '--yes', '--delete')).code).toBe(0);
    const [first, second] = await befores();
    for (const kept of [second!, first!]) expect((await run('apply', kept, '--yes', '--delete')).code).toBe(0);
    expect(await live()).toEqual(before);
  });

  it('takes back the mend of an error, and refuses errors that others made', async () => {
    const wrong = {
      id: 'wrong',
      action: ['blockMessage'],
      conditions: [{ ...text, category: 'pattern', value: ['(['] }],
    };
    await client.rules.create(wrong as never);
    const before = await live();
    expect((await run('pull', '--out', `${path}/`, '--force')).code).toBe(0);
    await edit((file) => file.rules.splice(0, file.rules.length, ...file.rules.filter(({ id }) => id !== 'wrong')));
    expect((await run('apply', path, '--yes', '--delete')).code).toBe(0);
    const [kept] = await befores();
    await client.lists.replace('scam-words', { id: 'scam-words', searchTerms: ['theirs'] });
    expect((await run('apply', kept!, '--yes', '--delete')).code).toBe(3);
    expect((await run('apply', kept!, '--yes', '--delete', '--overwrite')).code).toBe(0);
    expect(await live()).toEqual(before);
  });

  it('keeps the rules of the platform where --before says, and never over another file', async () => {
    await editAll();
    const kept = join(folder, 'kept.json');
    await writeFile(kept, '{}');
    expect(await run('apply', path, '--yes', '--before', kept)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is there, and is not that of an apply that goes on'),
    });
    execFileSync('mkfifo', [`${kept}-pipe`, join(folder, 'rules.before-2026-11-24T101500.json')]);
    expect((await run('apply', path, '--yes', '--before', `${kept}-pipe`)).code).toBe(2);
    await rm(kept);
    expect((await run('apply', path, '--yes', '--before', kept)).code).toBe(0);
    expect((await run('apply', kept, '--yes', '--delete')).code).toBe(0);
    expect((await run('apply', path, '--yes', '--overwrite', '--before', kept)).code).toBe(2);
  });

  it('begins anew once an apply is done, even to a target that it had before', async () => {
    await editAll();
    expect((await run('apply', path, '--yes')).code).toBe(0);
    const between = await live();
    await writeFile(join(path, 'lists/new-words.txt'), 'evil.example\nbad.example\n');
    expect((await run('apply', path, '--yes')).code).toBe(0);
    await writeFile(join(path, 'lists/new-words.txt'), 'evil.example\n');
    expect((await run('apply', path, '--yes')).code).toBe(0);
    expect(await live()).toEqual(between);
    expect(await befores()).toHaveLength(3);
  });

  it('sends no list that only exceptions name, and says so', async () => {
    await writeFile(join(path, 'lists/fine-words.txt'), 'buy now please\n');
    await writeFile(join(path, 'semantics.json'), '{"exceptions":[{"lists":["fine-words"]}]}');
    const { code, stdout } = await run('apply', path, '--dry-run');
    expect([code, stdout]).toEqual([0, expect.stringContaining('list fine-words, since only exceptions name it')]);
    expect((await run('apply', path, '--yes')).code).toBe(0);
    await expect(client.lists.get('fine-words')).rejects.toMatchObject({ status: 404 });
    expect((await run('diff', '--rules', path, '--live', '--fail-on-change')).code).toBe(0);
  });

  it('says of rules that were never pulled that they were not', async () => {
    await edit((file) => {
      delete file.pulled;
      file.rules[0] = { ...file.rules[0]!, name: 'Mine', revisionId: 'elsewhere_1' };
      file.rules.push({ ...secondRule, revisionId: 'elsewhere_2', conditions: [{ ...text, value: ['x'] }] });
    });
    const { code, stderr } = await run('apply', path, '--yes');
    expect(code).toBe(3);
    for (const id of ['scams', 'links'])
      expect(stderr).toMatch(new RegExp(`rule \`${id}\` .*these rules were never pulled`));
  });

  it('makes no folder one that was pulled until it is done', async () => {
    await edit((file) => delete file.pulled);
    expect((await run('apply', path, '--dry-run')).code).toBe(0);
    expect((await run('pull', '--out', `${path}/`)).code).toBe(2);
    expect((await run('apply', path, '--yes')).code).toBe(0);
    expect((await run('pull', '--out', `${path}/`)).code).toBe(0);
  });

  it('is followed by a diff without changes, which judges no message', async () => {
    await editAll();
    expect((await run('apply', path, '--yes')).code).toBe(0);
    const diff = await run('diff', '--rules', path, '--live', '--fail-on-change');
    expect([diff.code, diff.stdout]).toEqual([0, expect.stringMatching(/^the rule sets are equal\n/)]);
    await client.lists.replace('new-words', { id: 'new-words', searchTerms: ['theirs'] });
    const changed = await run('diff', '--rules', path, '--live', '--fail-on-change');
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining('list "new-words" ("links")')]);
  });

  it('goes by revisions without digests', async () => {
    await editAll();
    await edit((file) => delete file.pulled);
    expect((await run('apply', path, '--dry-run')).code).toBe(1);
    await client.lists.replace('scam-words', { id: 'scam-words', searchTerms: ['theirs'] });
    expect((await run('apply', path, '--dry-run')).code).toBe(3);
  });

  it('deletes with --delete alone, and changes built-in rules in two fields', async () => {
    await edit((file) => {
      file.rules = [{ ...file.rules[1]!, enabled: false, name: 'Mine' }];
      file.lists = [];
    });
    await rm(join(path, 'lists/scam-words.txt'));
    const kept = await run('apply', path, '--yes');
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringMatching(/name of rule built-in, which is built in/)]);
    expect(kept.stdout).toContain('rule scams is gone from the rules, and is deleted with --delete only');
    expect(await client.rules.get('built-in')).toMatchObject({ name: 'Built in', enabled: false });
    expect((await run('apply', path, '--yes', '--delete')).code).toBe(0);
    expect(await live()).toEqual({ rules: { 'built-in': expect.any(String) }, lists: {} });
  });

  it('refuses errors that the live rules do not have, and what the platform would', async () => {
    await edit((file) =>
      file.rules.push({ id: 'wrong', conditions: [{ ...text, category: 'pattern', value: ['(['] }] }),
    );
    expect(await run('apply', path, '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('refused: rule `wrong`'),
    });
    await edit((file) => file.rules.splice(2, 1, { id: 'wrong', name: 'x'.repeat(101), conditions: [] }));
    expect(await run('apply', path, '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('its name has more than 100 characters'),
    });
  });

  it('asks on a terminal, and needs --yes elsewhere', async () => {
    await editAll();
    expect((await run('apply', path)).code).toBe(2);
    expect(await onTerminal({ stdin: ['n\n'] }, 'apply', path)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing was written'),
    });
    expect(await befores()).toEqual([]);
    expect((await onTerminal({ stdin: ['y', '\n'] }, 'apply', path)).code).toBe(0);
    expect((await run('apply', path, '--dry-run')).code).toBe(0);
  });

  it('ends after the write under way when it is interrupted, and goes on', async () => {
    await editAll();
    const controller = new AbortController();
    const onWrite = (stream: string) => stream === 'stdout' && controller.abort(new Error('interrupted'));
    const ended = await sluice(['apply', path, '--yes'], { env, interrupted: controller.signal, onWrite });
    expect([ended.code, ended.stderr]).toEqual([
      130,
      expect.stringContaining('0 of 4 writes are done, 4 are not: interrupted'),
    ]);
    expect((await run('apply', path, '--yes')).code).toBe(0);
  });

  it('prints the plan as JSON, and says how it is used', async () => {
    await editAll();
    const { stdout } = await run('apply', path, '--dry-run', '--json');
    const { writes, refusals } = JSON.parse(stdout) as { writes: { kind: string; id: string }[]; refusals: unknown[] };
    expect([writes.map(({ kind, id }) => `${kind} ${id}`), refusals]).toEqual([
      ['list new-words', 'list scam-words', 'rule links', 'list scam-words'],
      [],
    ]);
    expect((await run('apply', '--yes')).code).toBe(2);
  });
});

describe('sluice apply against a platform that fails', () => {
  const kinds = ['reset', 'html', 'content-type'] as const;

  it.each(kinds.flatMap((kind) => [0, 1, 2, 3].map((after) => [kind, after] as const)))(
    '%s at write %i: stops and says so, and the same command goes on',
    async (kind, after) => {
      await start(loseAnswers({ kind, method: after < 2 ? 'POST' : 'PUT', after: after % 2, count: 1 }));
      await editAll();
      let failures = 0;
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        const { code, stderr } = await run('apply', path, '--yes');
        if (code === 0) break;
        expect([code, stderr]).toEqual([4, expect.stringContaining('the same command goes on')]);
        failures += 1;
      }
      expect(failures).toBeLessThanOrEqual(1);
      const file: RuleSet = await readRuleSetFile(path);
      expect(await live()).toEqual(digestParts(file));
    },
  );
});

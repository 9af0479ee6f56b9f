import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Service, startService } from '../../src/platform/service/index.js';
import { sluice } from './terminal.js';
import { openFiles, world } from './world.js';

const rule = {
  id: 'scams',
  name: 'Scams',
  action: ['blockMessage'],
  conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: ['scam-words'] }],
};
const list = (...lines: string[]) => writeFile(`${folder}/lists/scam-words.txt`, `${lines.join('\n')}\n`);

const files = await openFiles();
const folder = files.file('kept');
await mkdir(`${folder}/lists`, { recursive: true });
await writeFile(`${folder}/rules.json`, JSON.stringify({ rules: [rule] }));
await list('# owner: trust', '', 'sale', '# ticket 12,', 'buy now  # until 2026-06-30');
await writeFile(`${folder}/semantics.json`, '{ "words": "substring" }');

describe('--rules DIR', () => {
  it('check: shows why a term is there, and goes by the readings of the folder', async () => {
    const check = (...args: string[]) => sluice(['check', '--rules', folder, ...args], { today: '2026-06-30' });
    const { stdout, stderr, code } = await check('Buy nowadays');
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('why "buy now" is in scam-words: ticket 12, until 2026-06-30\n');
    expect((await check('--verbose', 'Buy nowadays')).stdout).toContain('why "buy now" is in scam-words');
    expect((await check('wholesale')).stdout).not.toContain('why');
  });

  it('says which terms are over their date, and they still count', async () => {
    const { stderr, code } = await sluice(['check', '--rules', folder, 'buy now'], { today: '2026-07-01' });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'warning: 1 expired term: list `scam-words`: the term `buy now` was meant until 2026-06-30, and still counts\n',
    );
    const messages = files.file('messages.ndjson');
    const [one, other] = await Promise.all(
      ['2026-01-01', '2027-01-01'].map((today) =>
        sluice(['audit', '--rules', folder, '--messages', messages, '--json'], { today }),
      ),
    );
    expect(one?.stdout).toBe(other?.stdout);
    expect(other?.stderr).toContain('expired term');
  });

  it('diff: compares folders and files, with the comments of terms that are new, and the readings of each side', async () => {
    const old = files.file('old.json');
    await writeFile(old, JSON.stringify({ rules: [rule], lists: [{ id: 'scam-words', searchTerms: ['sale'] }] }));
    const messages = files.file('some.ndjson');
    await writeFile(messages, '{"id":"1","data":{"text":"buy nowadays"}}\n{"id":"2","data":{"text":"wholesale"}}\n');
    const diff = ['diff', '--rules', folder, '--against', old, '--messages', messages];
    const stdout = (await sluice(diff)).stdout.replace(/\s+/g, ' ');
    expect(stdout).toContain('gained 1 term: "buy now" ("ticket 12, until 2026-06-30")');
    expect(stdout).toContain('"buy now" of "scam-words" → "Scams", why: "ticket 12, until 2026-06-30"');
    expect(stdout).toContain('readings of the new rules: words "substring"; of the old: the defaults');
    expect((await sluice([...diff, '--markdown'])).stdout).toContain('ticket 12, until 2026-06-30');
    expect(JSON.parse((await sluice([...diff, '--json'])).stdout)).toMatchObject({ messages: 2, newlyStopped: 2 });
  });
});

describe('pull --out DIR', () => {
  let service: Service;
  let env: Record<string, string>;
  const serve = async (terms: readonly string[]) => {
    await service?.close();
    service = await startService({
      data: { ...world(3), rules: [rule], lists: [{ id: 'scam-words', searchTerms: terms }] } as never,
    });
    env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
  };
  afterAll(() => service.close());

  it('writes a folder where there is one, where the path ends in `/`, and where it is new and has no ending', async () => {
    await serve(['sale', 'buy now']);
    const [one, other, dated] = ['one/', 'other', 'dated.rules'].map((name) => files.file(name));
    onTestFinished(() => Promise.all([one, other].map((path) => rm(path!, { recursive: true }))).then(() => undefined));
    await mkdir(dated!);
    for (const path of [one, other, dated]) {
      expect(await sluice(['pull', '--out', path!, '--quiet'], { env })).toMatchObject({ code: 0, stderr: '' });
      expect(await readFile(`${path}/lists/scam-words.txt`, 'utf8')).toBe('sale\nbuy now\n');
    }
    const file = files.file('one.json');
    await sluice(['pull', '--out', file, '--quiet'], { env });
    const against = await sluice(['diff', '--rules', other!, '--against', file, '--fail-on-change']);
    expect([against.code, against.stdout]).toEqual([0, expect.stringContaining('the rule sets are equal')]);
    // What was pulled can be served.
    const served = await startService({ data: other! });
    onTestFinished(() => served.close());
    const again = { SLUICE_BASE_URL: served.url, SLUICE_API_KEY: served.apiKey };
    const live = ['diff', '--rules', file, '--live', '--fail-on-change'];
    expect((await sluice(live, { env: again })).code).toBe(0);
  });

  it('keeps the comments of the terms that stay, and says of what it replaces nothing else', async () => {
    await serve(['sale', 'new', 'buy now']);
    const before = await readFile(`${folder}/lists/scam-words.txt`, 'utf8');
    await sluice(['pull', '--out', folder, '--force', '--quiet'], { env });
    expect(await readFile(`${folder}/lists/scam-words.txt`, 'utf8')).toBe(before.replace('sale\n', 'sale\nnew\n'));
    expect((await readdir(folder)).sort()).toEqual(['lists', 'rules.json', 'semantics.json']);
    await list('buy now #why');
    const { code, stderr } = await sluice(['pull', '--out', folder, '--force', '--quiet'], { env });
    expect([code, stderr]).toEqual([3, expect.stringContaining('scam-words.txt:1: the whole line must have a blank')]);
  });
});

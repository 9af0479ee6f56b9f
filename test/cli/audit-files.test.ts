import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

/** The files of `audit --out`: the report, texts in rows, and who may read them. */

const count = 2_400;
const textOf = (rows: number) =>
  messages(rows)
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
const text = textOf(count);
const directory = temporaryFolder();
const file = (...names: readonly string[]) => join(directory, ...names);
const modeOf = async (...names: readonly string[]) => (await stat(file(...names))).mode & 0o777;
const audit = (out: string, ...args: readonly string[]) =>
  sluice(['audit', '--rules', file('rules.json'), '--messages', '-', '--out', file(out), ...args], { stdin: [text] });
const contents = async (out: string) =>
  Promise.all((await readdir(file(out))).sort().map(async (name) => [name, await readFile(file(out, name), 'utf8')]));

beforeAll(async () => {
  const { rules, lists } = world();
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  expect((await audit('whole', '--report', '--with-text')).code).toBe(0);
});

describe('audit --report', () => {
  it('writes a page with the result, its examples, and the digest of its messages', async () => {
    const page = await readFile(file('whole', 'report.html'), 'utf8');
    const { messages: judged } = JSON.parse(await readFile(file('whole', 'summary.json'), 'utf8'));
    expect(judged).toBe(count);
    expect(page).toMatch(/<h1>[\d,]+ of 2,400 messages were stopped \(\d+\.\d %\)<\/h1>/);
    expect(page).toContain('what the <mark>heck</mark>, <mark>HECK</mark>');
    const { results } = JSON.parse(await readFile(file('whole', 'manifest.json'), 'utf8'));
    expect(page).toContain(`${results.messages.sha256} (2,400 lines, `);
  });

  it('names no file, no machine and no time', async () => {
    const page = await readFile(file('whole', 'report.html'), 'utf8');
    expect(page).not.toContain(directory);
    const command = 'sluice audit --rules FILE --messages FILE --out DIR --report --with-text';
    expect(/<code>(sluice audit .*)<\/code>/.exec(page)?.[1]).toBe(command);
  });

  it('says how to make it again, with each option that the results depend on and no other', async () => {
    const filters = ['--since', '2026-01-02', '--conversation', 'c 1', '--on-bad-row', 'skip'];
    const asked = '--report --compare-platform --format csv --by term --shadow scam --shadow off'.split(' ');
    const others = ['--top', '3', '--verbose', '--quiet', '--force', '--threads', '1'];
    expect((await audit('filtered', ...filters, ...asked, ...others)).code).toBe(0);
    const page = await readFile(file('filtered', 'report.html'), 'utf8');
    const command =
      'sluice audit --rules FILE --messages FILE --shadow scam --shadow off --conversation &#39;c 1&#39; --since 2026-01-02 ' +
      '--on-bad-row skip --out DIR --report --format csv --by term --compare-platform';
    expect(/<code>(sluice audit .*)<\/code>/.exec(page)?.[1]).toBe(command);
  });

  it('of an audit that was interrupted and went on has the bytes of one that was not', async () => {
    const controller = new AbortController();
    // More than a shard of messages, so that something is kept.
    const text = textOf(7_600);
    const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--out', file('stopped')];
    const stdin = (async function* () {
      yield text.slice(0, text.length * 0.7);
      controller.abort(new Error('interrupted'));
      yield text.slice(text.length * 0.7);
    })();
    const options = ['--report', '--with-text', '--quiet'];
    expect((await sluice([...args, ...options], { stdin, interrupted: controller.signal })).code).toBe(130);
    for (const name of ['decisions.ndjson', 'manifest.json']) expect(await modeOf('stopped', name)).toBe(0o600);
    expect((await readFile(file('stopped', 'report.html'), 'utf8')).includes('stopped before its last message')).toBe(
      true,
    );
    expect((await sluice([...args, ...options], { stdin: [text] })).code).toBe(0);
    const whole = [...args.slice(0, -1), file('undisturbed'), ...options];
    expect((await sluice(whole, { stdin: [text] })).code).toBe(0);
    expect(await contents('stopped')).toEqual(await contents('undisturbed'));
  });

  it('is for its owner alone, unless it is redacted; then it holds no text of a message', async () => {
    expect(await modeOf('whole', 'report.html')).toBe(0o600);
    expect((await audit('redacted', '--report', '--redact')).code).toBe(0);
    const page = await readFile(file('redacted', 'report.html'), 'utf8');
    expect(page).not.toContain('what the');
    const place = 'characters 9 to 13, 15 to 19<p class="faint">';
    expect(page).toMatch(new RegExp(`${place}[^\n]*message <bdi>\\d+</bdi></p>`));
    expect(await modeOf('redacted', 'report.html')).toBe(await modeOf('redacted', 'summary.json'));
    // Also in the place of one that others could read.
    expect((await audit('redacted', '--report', '--force')).code).toBe(0);
    expect(await modeOf('redacted', 'report.html')).toBe(0o600);
  });

  it('is taken away by an audit of other rows, and no other file of that name is', async () => {
    expect((await audit('again', '--report')).code).toBe(0);
    expect((await audit('again', '--all')).code).toBe(0);
    expect((await readdir(file('again'))).sort()).toEqual(['decisions.ndjson', 'manifest.json', 'summary.json']);
    await writeFile(file('again', 'report.html'), 'of another program');
    expect((await audit('again', '--force')).code).toBe(0);
    expect(await readFile(file('again', 'report.html'), 'utf8')).toBe('of another program');
  });
});

describe('audit --out', () => {
  it('makes files with what matched for their owner alone', async () => {
    expect((await audit('plain', '--format', 'csv')).code).toBe(0);
    for (const name of ['decisions.ndjson', 'matches-0001.csv']) expect(await modeOf('plain', name)).toBe(0o600);
  });
});

describe('audit --with-text', () => {
  it('gives each message that is not allowed its text, in a file for its owner alone', async () => {
    const rows = (await readFile(file('whole', 'decisions.ndjson'), 'utf8'))
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));
    const texts = new Map(messages(count).map(({ id, data }) => [id, (data as { readonly text?: string }).text]));
    const stopped = rows.filter(({ decision }) => decision.verdict !== 'allow');
    expect(stopped.length).toBeGreaterThan(1_000);
    expect(stopped.filter((row) => row.text !== texts.get(row.messageId))).toEqual([]);
    expect(rows.filter(({ decision, text }) => decision.verdict === 'allow' && text !== undefined)).toEqual([]);
    expect(Object.keys(stopped[0]!).slice(-2)).toEqual(['decision', 'text']);
    expect(await modeOf('whole', 'decisions.ndjson')).toBe(0o600);
  });

  it('gives the tables their texts too, in files for their owner alone', async () => {
    expect((await audit('tables', '--with-text', '--format', 'csv')).code).toBe(0);
    await chmod(file('tables', 'decisions-0001.csv'), 0o644);
    expect((await audit('tables', '--with-text', '--format', 'csv', '--force')).code).toBe(0);
    expect(await modeOf('tables', 'decisions-0001.csv')).toBe(0o600);
    const table = Papa.parse<string[]>(
      await readFile(file('tables', 'decisions-0001.csv'), 'utf8').then((csv) => csv.trim()),
    );
    const [head = [], ...cells] = table.data;
    const rows = (await readFile(file('tables', 'decisions.ndjson'), 'utf8')).trim().split('\n');
    const texts = rows.map((row) => JSON.parse(row).text ?? '');
    expect(cells.map((row) => row[head.indexOf('message_text')])).toEqual(texts);
    expect(texts.filter(Boolean).length).toBeGreaterThan(1_000);
  });

  it('is absent without the option', async () => {
    expect((await audit('plain')).code).toBe(0);
    expect(await readFile(file('plain', 'decisions.ndjson'), 'utf8')).not.toMatch(/"text":"what the heck, HECK"/);
  });
});

describe('options about files', () => {
  it.each([
    ['--report', '`--report` goes with `--out DIR`'],
    ['--with-text', '`--with-text` goes with `--out DIR`'],
    ['--redact', '`--redact` goes with `--report`'],
  ])('%s alone is refused', async (option, message) => {
    const { code, stderr } = await sluice(['audit', '--demo', option]);
    expect([code, stderr]).toEqual([2, `sluice: ${message}\n`]);
  });
});

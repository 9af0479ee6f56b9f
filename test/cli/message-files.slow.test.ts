/**
 * `--messages` given several times: the messages of all files, in the order given, in every command
 * that judges many.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sluice } from './terminal.js';
import { messages, openFiles } from './world.js';

const rows = messages(11_000).map((row, at) => ({ ...row, sentAt: 1_772_323_200 + at }));
const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
/** Of more than one shard, of one, and of part of one. */
const parts = {
  'a.ndjson': lines.slice(0, 7_000),
  'b.ndjson': lines.slice(7_000, 10_900),
  'c.ndjson': lines.slice(10_900),
};
const each = (names: readonly string[]) => names.flatMap((name) => ['--messages', files.file(name)]);
const several = () => each(Object.keys(parts));

const files = await openFiles(1);
for (const [name, part] of Object.entries(parts)) await writeFile(files.file(name), part.join(''));
await writeFile(files.file('all.ndjson'), lines.join(''));
const words = { id: 1, operand: 'text', value: ['damn', 'heck'] };
const rule = { id: 'a', action: ['blockMessage'], conditions: [words] };
await writeFile(files.file('rules.json'), JSON.stringify({ rules: [rule], lists: [] }));
await writeFile(files.file('old.json'), '{ "rules": [], "lists": [] }');

const audit = (...args: readonly string[]) => sluice(['audit', '--rules', files.file('rules.json'), ...args]);
const contentOf = (out: string, name: string) => readFile(files.file(`${out}/${name}`), 'utf8');
async function summaryOf(out: string): Promise<unknown> {
  const { input: _, ...summary } = JSON.parse(await contentOf(out, 'summary.json'));
  return summary;
}

describe('several files of messages', () => {
  it.each([
    ['audit', ['--json'], /"source": "\w+"/],
    ['diff', ['--against', 'old.json', '--json'], /$^/],
    ['precision', ['--draw', 'sample.csv', '--force', '--quiet'], /$^/],
  ] as const)('are for `%s` what they are as one', async (name, options, source) => {
    const resultOf = async (given: readonly string[]) => {
      const words = ['--rules', 'rules.json', ...options].map((word) =>
        /\.(?:json|csv)$/.test(word) ? files.file(word) : word,
      );
      const { stdout, stderr } = await sluice([name, ...words, ...given]);
      expect(stderr).not.toContain('sluice:');
      return name === 'precision' ? readFile(files.file('sample.csv'), 'utf8') : stdout.replace(source, '');
    };
    const whole = await resultOf(each(['all.ndjson']));
    expect(whole.length).toBeGreaterThan(100);
    expect(await resultOf(several())).toBe(whole);
  });

  it('have rows and a summary as one file has, in the order given', async () => {
    expect((await audit(...several(), '--all', '--out', files.file('several'), '--quiet')).code).toBe(0);
    expect((await audit(...each(['all.ndjson']), '--all', '--out', files.file('one'), '--quiet')).code).toBe(0);
    expect(await contentOf('several', 'decisions.ndjson')).toBe(await contentOf('one', 'decisions.ndjson'));
    expect(await summaryOf('several')).toEqual(await summaryOf('one'));
    const { messages: read } = JSON.parse(await contentOf('several', 'manifest.json')).results;
    expect(read).toMatchObject({ bytes: Buffer.byteLength(lines.join('')), lines: 11_000 });
    // Others, and another order, are other messages.
    const other = await audit(...each(['b.ndjson', 'a.ndjson', 'c.ndjson']), '--all', '--out', files.file('several'));
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('messages of another source') });
    const again = await audit(...several(), '--all', '--out', files.file('several'));
    expect([again.code, again.stdout.includes('a.ndjson to ')]).toEqual([0, true]);
  });

  it('may differ in format, and one may be standard input', async () => {
    const csv = (part: readonly string[]) =>
      [
        'id,text',
        ...part
          .map((line) => JSON.parse(line))
          .map(({ id, data }) => `${id},"${(data.text ?? '').replaceAll('"', '""')}"`),
      ].join('\n');
    const texts = lines.slice(0, 300).filter((line) => JSON.parse(line).data.text !== undefined);
    await writeFile(files.file('texts.csv'), csv(texts.slice(0, 100)));
    await writeFile(files.file('texts.ndjson.gz'), gzipSync(texts.slice(100, 200).join('')));
    const args = ['audit', '--rules', files.file('rules.json'), '--json'];
    const mixed = [...each(['texts.csv', 'texts.ndjson.gz']), '--messages', '-'];
    const { stdout, stderr } = await sluice([...args, ...mixed], { stdin: [csv(texts.slice(200))] });
    expect(stderr).toMatch(/texts\.csv: text from `text`.*\n.*standard input: text from `text`/s);
    const whole = await sluice([...args, '--messages', '-'], { stdin: [csv(texts)] });
    const { input, firstSentAt: _, lastSentAt: __, days: ___, undated: ____, ...found } = JSON.parse(stdout);
    const { terms, verdicts } = JSON.parse(whole.stdout);
    expect([found.terms, found.verdicts]).toEqual([terms, verdicts]);
    expect(input.columns).toBe('text=text,id=id and none');
  });

  it('go on behind what is kept, with the bytes of a run that was not interrupted', async () => {
    const args = ['audit', '--rules', files.file('rules.json'), '--quiet', '--out'];
    expect(
      (
        await sluice([...args, files.file('whole'), ...each(['a.ndjson', 'b.ndjson']), '--messages', '-'], {
          stdin: parts['c.ndjson'],
        })
      ).code,
    ).toBe(0);
    const input = [...each(['a.ndjson', 'b.ndjson']), '--messages', '-'];
    for (const chunks of [0, 40]) {
      const controller = new AbortController();
      const stdin = (async function* () {
        yield parts['c.ndjson'].slice(0, chunks).join('');
        controller.abort(new Error('interrupted'));
        yield '';
      })();
      const { code } = await sluice([...args, files.file('stopped'), ...input], {
        stdin,
        interrupted: controller.signal,
      });
      expect(code).toBe(130);
    }
    const { kept } = JSON.parse(await contentOf('stopped', 'manifest.json'));
    expect(kept.messages).toBeGreaterThan(parts['a.ndjson'].length + parts['b.ndjson'].length);
    // A file before that is another one now.
    await writeFile(files.file('a.ndjson'), [...parts['a.ndjson'], lines[0]!].join(''));
    const changed = await sluice([...args, files.file('stopped'), ...input], { stdin: parts['c.ndjson'] });
    await writeFile(files.file('a.ndjson'), parts['a.ndjson'].join(''));
    expect([changed.code, changed.stderr]).toEqual([
      3,
      expect.stringContaining('does not begin as it did when the audit began'),
    ]);
    expect((await sluice([...args, files.file('stopped'), ...input], { stdin: parts['c.ndjson'] })).code).toBe(0);
    for (const name of await readdir(files.file('whole')))
      expect(await contentOf('stopped', name)).toBe(await contentOf('whole', name));
    expect(await readdir(files.file('stopped'))).toEqual(await readdir(files.file('whole')));
  });

  it('name themselves in bad rows, by their folders too where names repeat', async () => {
    await writeFile(files.file('bad.ndjson'), `${lines[0]}oops\n`);
    const skip = ['--on-bad-row', 'skip'];
    const found = await audit(...each(['c.ndjson', 'bad.ndjson']), ...skip, '--json');
    expect(JSON.parse(found.stdout).badRows.first).toMatchObject([{ file: 'bad.ndjson', line: 2 }]);
    expect((await audit(...each(['c.ndjson', 'bad.ndjson']), ...skip)).stdout).toMatch(/ in\s*bad\.ndjson:\s+line 2/);
    expect((await audit(...each(['bad.ndjson']), ...skip, '--json')).stdout).not.toContain('"file"');
    expect((await audit(...each(['c.ndjson', 'bad.ndjson']))).stderr).toContain('bad.ndjson:2: ');
    await mkdir(files.file('other'));
    await writeFile(files.file('other/bad.ndjson'), `oops\n${lines[0]}`);
    const twice = await audit(...each(['bad.ndjson', 'other/bad.ndjson']), ...skip, '--json');
    expect(JSON.parse(twice.stdout).badRows.first).toMatchObject([
      { file: files.file('bad.ndjson'), line: 2 },
      { file: files.file('other/bad.ndjson'), line: 1 },
    ]);
  });

  it('are refused where one is missing, has no message, or is standard input for the second time', async () => {
    await writeFile(files.file('empty.ndjson'), '');
    const missing = await audit(...each(['c.ndjson', 'nowhere.ndjson']), '--out', files.file('refused'));
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot read')]);
    expect(await readdir(files.file('refused'))).toEqual([]);
    const empty = await audit(...each(['empty.ndjson', 'c.ndjson']));
    expect([empty.code, empty.stderr]).toEqual([
      3,
      expect.stringContaining('empty.ndjson: the whole file has no message'),
    ]);
    const twice = await audit('--messages', '-', '--messages', '-');
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('standard input can be read once only')]);
    const pulled = await sluice(['pull', '--demo', '--messages', files.file('x'), '--messages', files.file('y')]);
    expect([pulled.code, pulled.stderr]).toEqual([2, expect.stringContaining('`--messages` is given more than once')]);
  });
});

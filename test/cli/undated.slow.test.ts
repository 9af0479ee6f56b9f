/** Messages without a time, and files without any message: the same everywhere. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { json, serve } from '../support/http.js';
import { sluice } from './terminal.js';
import { openFiles } from './world.js';

const files = await openFiles(20);
const rules = ['--rules', files.file('rule-set.json')];
const against = files.file('against.json');
await writeFile(against, '{ "rules": [], "lists": [] }');

interface Row {
  readonly id: string;
  readonly sentAt?: number;
  readonly data: { readonly text: string };
}

const second = 1_772_323_200;
/** Every `every`th has no time, or one in milliseconds. */
const messages = (count: number, every: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    id: String(at + 1),
    ...(at % every !== every - 1 && { sentAt: second + at }),
    ...(at % (2 * every) === 2 * every - 1 && { sentAt: (second + at) * 1000 }),
    data: { text: at % 3 === 0 ? 'damn' : 'hello' },
  }));

/** What a platform does with messages without a time. */
interface Habits {
  /** Whether windows list them. */
  readonly inWindows: boolean;
  readonly order: 'as they came' | 'first' | 'last';
  readonly refusesPrepend?: boolean;
}

const isDated = ({ sentAt }: Row) => sentAt !== undefined && sentAt < 1e11;

/** The platform lists so few messages at a time that there are several pages. */
const mostListed = 12;

/** A platform that lists messages by its habits. */
async function platform(rows: readonly Row[], { inWindows, order, refusesPrepend = false }: Habits) {
  const [dated, undated] = [rows.filter(isDated), rows.filter((row) => !isDated(row))];
  const all = { 'as they came': rows, first: [...undated, ...dated], last: [...dated, ...undated] }[order];
  const { url, received } = await serve((response, { target }) => {
    const query = new URL(target, 'http://x').searchParams;
    const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
    const [from, to] = [number('fromTimestamp'), number('toTimestamp')];
    const isBounded = from !== undefined || to !== undefined;
    const listed = all.filter((row) =>
      isDated(row) ? row.sentAt! >= (from ?? 0) && row.sentAt! <= (to ?? 1e11) : inWindows || !isBounded,
    );
    const limit = Math.min(number('limit') ?? 100, mostListed);
    if (query.get('affix') === 'prepend') {
      if (refusesPrepend) return json(response, { error: { code: 'ERR_BAD_REQUEST' } }, 400);
      return json(response, { data: listed.slice(-limit), meta: {} });
    }
    const at = query.has('id') ? listed.findIndex(({ id }) => id === query.get('id')) + 1 : 0;
    const data = listed.slice(at, at + limit);
    const last = data.at(-1);
    const next = at + limit < listed.length && last && { affix: 'append', sentAt: last.sentAt ?? 0, id: last.id };
    json(response, { data, meta: next ? { next } : {} });
  });
  return { env: { SLUICE_BASE_URL: url, SLUICE_API_KEY: 'key' }, received };
}

const habits: readonly Habits[] = (['as they came', 'first', 'last'] as const).flatMap((order) => [
  { inWindows: true, order },
  { inWindows: false, order },
]);

describe.each([...habits, { inWindows: false, order: 'first', refusesPrepend: true } as const])(
  'a platform with %j',
  (habit) => {
    it('is judged whole by audit, diff and precision, and by a file of what it lists', async () => {
      const rows = messages(120, 5);
      const { env } = await platform(rows, habit);
      const path = files.file('rows.ndjson');
      await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const own = { env };
      for (const source of [[], ['--messages', path]]) {
        const audit = JSON.parse((await sluice(['audit', ...rules, ...source, '--json', '--quiet'], own)).stdout);
        expect([audit.messages, audit.verdicts.blockMessage, audit.undated.leftOut]).toEqual([120, 40, undefined]);
        const diff = await sluice(['diff', ...rules, '--against', against, ...source, '--json', '--quiet'], own);
        expect(JSON.parse(diff.stdout)).toMatchObject({ messages: 120, newlyStopped: 40 });
        const out = files.file('sample.csv');
        await sluice(['precision', ...rules, ...source, '--draw', out, '--force'], own);
        const { all, missed } = JSON.parse((await sluice(['precision', out, '--json'])).stdout);
        expect([all.stopped, missed.allowed]).toEqual([40, 80]);
      }
    });

    it('is gone on with at every message without a time, to the same bytes', async () => {
      const { env } = await platform(messages(60, 4), habit);
      const args = (out: string) => ['audit', ...rules, '--out', files.file(out), '--all', '--quiet'];
      const name = `whole-${habits.indexOf(habit)}`;
      expect((await sluice(args(name), { env })).code).toBe(0);
      const whole = await Promise.all(
        ['decisions.ndjson', 'summary.json'].map((file) => readFile(files.file(`${name}/${file}`))),
      );
      expect(JSON.parse(String(whole[1])).messages).toBe(60);
      for (const at of [1, 2, 3, 4]) {
        const controller = new AbortController();
        const broken = await platform(messages(60, 4), habit);
        const out = `${name}-${at}`;
        let requests = 0;
        const onWrite = () => {
          if (broken.received.filter(({ target }) => target.includes('/messages')).length >= at && requests++ === 0)
            controller.abort(new Error('interrupted'));
        };
        await sluice([...args(out).slice(0, -1)], { env: broken.env, interrupted: controller.signal, onWrite });
        expect((await sluice(args(out), { env: broken.env })).code).toBe(0);
        for (const [index, file] of ['decisions.ndjson', 'summary.json'].entries())
          expect(await readFile(files.file(`${out}/${file}`))).toEqual(whole[index]);
      }
    });
  },
);

describe('--since and --until', () => {
  it('leave messages without a time out, count them and say so: of files, streams and platforms that list them', async () => {
    const rows = messages(30, 5);
    const path = files.file('some.ndjson');
    // A file has no milliseconds: they are read as such.
    await writeFile(
      path,
      rows.map((row) => `${JSON.stringify(isDated(row) ? row : { ...row, sentAt: undefined })}\n`).join(''),
    );
    const { env } = await platform(rows, { inWindows: true, order: 'as they came' });
    const window = ['--since', String(second), '--until', String(second + 19)];
    const words = '6 messages without a `sentAt` in seconds, left out by `--since` and `--until`';
    for (const source of [['--messages', path], []]) {
      const given = [...rules, ...source, ...window];
      const audit = await sluice(['audit', ...given, '--json'], { env });
      expect(JSON.parse(audit.stdout)).toMatchObject({ messages: 16, undated: { absent: 0, outside: 0, leftOut: 6 } });
      expect(audit.stderr).toContain(words);
      const screen = (await sluice(['audit', ...given], { env })).stdout.replace(/\s+/g, ' ');
      expect(screen).toContain('without a `sentAt` in seconds, left out by `--since` and `--until`: 6 (27.3 %)');
      const diff = await sluice(['diff', ...given, '--against', against, '--json'], { env });
      expect(JSON.parse(diff.stdout)).toMatchObject({ messages: 16, undated: 6 });
      for (const command of [
        ['precision', ...given, '--draw', files.file('s.csv'), '--force'],
        ['diff', ...given, '--against', against],
      ])
        expect((await sluice(command, { env })).stderr).toContain(words);
    }
    const pulled = files.file('pulled.ndjson');
    expect((await sluice(['pull', '--messages', pulled, ...window], { env })).stderr).toContain(words);
    expect((await readFile(pulled, 'utf8')).trimEnd().split('\n')).toHaveLength(16);
    const threads = ['audit', ...rules, '--messages', path, ...window, '--json', '--quiet', '--threads', '1'];
    expect(JSON.parse((await sluice(threads)).stdout).undated).toEqual({ absent: 0, outside: 0, leftOut: 6 });
  });

  it('ask a platform that lists none of them for nothing more', async () => {
    const { env, received } = await platform(messages(30, 5), { inWindows: false, order: 'first' });
    await sluice(['audit', ...rules, '--since', String(second), '--until', String(second + 9), '--json'], { env });
    expect(received.filter(({ target }) => target.includes('/messages')).length).toBe(1);
  });

  it('that no message is in end with 0, and say so', async () => {
    const path = files.file('messages.ndjson');
    const { env } = await platform(messages(9, 20), { inWindows: true, order: 'first' });
    const out = files.file('none.csv');
    for (const source of [['--messages', path], []]) {
      const given = [...rules, ...source, '--since', '2031-01-01'];
      for (const command of [
        ['audit', ...given],
        ['diff', ...given, '--against', against],
        ['precision', ...given, '--draw', out, '--force'],
      ]) {
        const { code, stderr } = await sluice(command, { env });
        expect([command[0], code, stderr]).toEqual([
          command[0],
          0,
          expect.stringContaining('there was no message to judge in '),
        ]);
      }
      expect((await readFile(out, 'utf8')).split('\r\n')).toHaveLength(2);
    }
  });
});

describe('a file without any message', () => {
  const contents = {
    empty: '',
    'blank lines': '\n\n',
    'an empty array': '[]',
    'a header alone': 'id,text\n',
    'gzip of nothing': gzipSync(''),
  };

  it.each(Object.keys(contents) as (keyof typeof contents)[])('is exit 3: %s', async (name) => {
    const path = files.file('no-message');
    await writeFile(path, contents[name]);
    const out = files.file(`out of ${name}`);
    const given = [...rules, '--messages', path];
    const commands = [
      ['audit', ...given, '--json'],
      ['audit', ...given, '--since', '2026-01-01'],
      ['audit', ...given, '--out', out],
      ['diff', ...given, '--against', against],
      ['precision', ...given, '--draw', `${out}.csv`],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await sluice(command);
      expect([command[0], code, stdout]).toEqual([command[0], 3, '']);
      expect(stderr).toContain(`sluice: ${path}: the whole file has no message; check that it is the right one\n`);
    }
    expect(await readdir(out)).not.toContain('summary.json');
  });

  it('is one of which all rows are bad, and standard input may be one', async () => {
    const bad = files.file('bad.ndjson');
    await writeFile(bad, 'no json\n');
    const skipped = await sluice(['audit', ...rules, '--messages', bad, '--on-bad-row', 'skip']);
    expect([skipped.code, skipped.stderr]).toEqual([3, expect.stringContaining('has no message')]);
    const out = files.file('piped');
    const piped = await sluice(['audit', ...rules, '--messages', '-', '--out', out], { stdin: [''] });
    expect([piped.code, piped.stderr]).toEqual([0, expect.stringContaining('there was no message to judge in ')]);
    expect(JSON.parse(await readFile(`${out}/summary.json`, 'utf8')).messages).toBe(0);
    expect((await sluice(['judge', ...rules], { stdin: [''] })).code).toBe(0);
  });
});

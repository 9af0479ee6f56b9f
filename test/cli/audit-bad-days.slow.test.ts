import { appendFile, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../fixtures/random.js';
import { type Intercept, startService } from '../../src/platform/service/index.js';
import { refuseLists } from '../service/intercepts.js';
import { startBreakingProxy } from '../support/breaking-proxy.js';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

/** What disks, networks and platforms do to an audit that is kept: its results are those of one that nothing disturbed, or there are none. */

/** The file for which the disk has no room, by a part of its path; none without. */
const disk = vi.hoisted(() => ({ full: '' }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (path, flags, mode) => {
    const handle = await real.open(path, flags, mode);
    if (disk.full !== '' && String(path).includes(disk.full)) {
      handle.appendFile = async () => {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' });
      };
    }
    return handle;
  };
  return { ...real, open };
});

const count = 10_600;
const rows = messages(count).map((row, index) => ({ ...row, sentAt: 1_772_323_200 + Math.floor(index / 3) }));
const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
const text = lines.join('');
const directory = temporaryFolder();
let whole: ReadonlyMap<string, string>;

const file = (name: string) => join(directory, name);
const options = ['--rules', '', '--quiet', '--with-text', '--messages'];

/** All files of a directory, hidden ones too. */
async function contentsOf(out: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(out)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(out, name), 'utf8')] as const)),
  );
}

beforeAll(async () => {
  const { rules, lists } = world();
  options[1] = file('rules.json');
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  expect((await audit('whole')).code).toBe(0);
  whole = await contentsOf(file('whole'));
});

/** An audit of standard input, which may do something before it gives its last lines. */
function audit(
  out: string,
  {
    more = [],
    format = 'csv',
    before,
  }: { more?: readonly string[]; format?: string; before?: () => Promise<void> } = {},
) {
  const last = count - 100;
  const stdin = async function* () {
    yield lines.slice(0, last).join('');
    await before?.();
    yield lines.slice(last).join('');
  };
  return sluice(['audit', ...options, '-', '--format', format, '--out', file(out), ...more], { stdin: stdin() });
}

/** Begins an audit and stops it when two shards are kept. */
async function begin(out: string, more: readonly string[] = []): Promise<void> {
  const controller = new AbortController();
  const stdin = async function* () {
    yield lines.slice(0, 10_400).join('');
    controller.abort(new Error('interrupted'));
    yield '';
  };
  const args = ['audit', ...options, '-', '--format', 'csv', '--out', file(out), ...more];
  expect((await sluice(args, { stdin: stdin(), interrupted: controller.signal })).code).toBe(130);
  expect(await checkpointsOf(out)).toHaveLength(2);
}

/** The checkpoints of an audit that was begun, with the ends of their lines. */
const checkpointsOf = async (out: string) => (await readFile(checkpoints(out), 'utf8')).match(/.+\n/g) ?? [];
const checkpoints = (out: string) => file(`${out}/journal.checkpoints`);
const journal = (out: string) => file(`${out}/journal.ndjson`);

/** Changes one byte of a file, so many from its beginning, or from its end. */
async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = bytes[index]! ^ 1;
  await writeFile(path, bytes);
}

describe('an audit that was begun', () => {
  const damages: Readonly<Record<string, (out: string) => Promise<void>>> = {
    'nothing happened to': async () => undefined,
    'the first rows were changed of': (out) => flip(journal(out), 300),
    'the last rows were changed of': (out) => flip(journal(out), -300),
    'the first counts were changed of': (out) => flip(checkpoints(out), 90),
    'the last counts were changed of': (out) => flip(checkpoints(out), -90),
    'the last checkpoint was cut off of': async (out) =>
      truncate(checkpoints(out), (await stat(checkpoints(out))).size - 1),
    'the last row was cut off of': async (out) => truncate(journal(out), (await stat(journal(out))).size - 1),
    'rows without a checkpoint stand in': (out) => appendFile(journal(out), lines[0]!),
    'the checkpoints are empty of': (out) => writeFile(checkpoints(out), ''),
    'the checkpoints are nonsense of': (out) => writeFile(checkpoints(out), 'nonsense\nand more\n'),
    'the last checkpoint stands twice in': async (out) => appendFile(checkpoints(out), (await checkpointsOf(out))[1]!),
    'the first checkpoint stands as the second of': async (out) => {
      const [first = ''] = await checkpointsOf(out);
      await writeFile(checkpoints(out), first + first);
    },
    'the journal of another run stands in': async (out) => {
      await begin(`${out}-other`);
      for (const of of [journal, checkpoints]) await writeFile(of(out), await readFile(of(`${out}-other`)));
    },
    'the rows were gone of': (out) => rm(journal(out)),
    'the rows had got their name of': (out) => rename(journal(out), file(`${out}/decisions.ndjson`)),
    'a killed run left files in': async (out) => {
      const id = '4f1c9cc6-5a0f-4194';
      for (const name of ['decisions.ndjson', 'summary.json', 'manifest.json', 'matches-0001.csv', 'report.html']) {
        await writeFile(file(`${out}/.${name}.${id}.tmp`), 'half of it');
      }
    },
  };

  it.each(Object.keys(damages))('ends with the bytes of an undisturbed one: %s it', async (name) => {
    const out = name.replaceAll(' ', '-');
    await begin(out);
    await damages[name]!(out);
    expect((await audit(out)).code).toBe(0);
    expect(await contentsOf(file(out))).toEqual(whole);
  });

  it('is not taken for the one that was written if its rows change on the disk while it runs', async () => {
    await begin('changes');
    const before = async () => {
      const rows = await readFile(journal('changes'), 'utf8');
      await writeFile(journal('changes'), rows.replace('"messageId":"1', '"messageId":"9'));
    };
    expect((await audit('changes', { before })).code).toBe(0);
    expect(await audit('changes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('decisions.ndjson` is not as the audit wrote it'),
    });
  });

  it('says how to begin anew when its manifest cannot be read', async () => {
    await begin('unreadable');
    for (const [manifest, fault] of [
      ['{"format":1,', 'the whole value must be the manifest of an audit'],
      ['{"format":6}', '`format` is 6, which another version of sluice writes; this one reads 7'],
      ['{"format":7}', '`inputs` must be an object'],
    ] as const) {
      await writeFile(file('unreadable/manifest.json'), manifest);
      const { code, stderr } = await audit('unreadable');
      const words = `${fault}; choose another directory, or add \`--force\` to replace it\n`;
      expect([code, stderr]).toEqual([2, `sluice: ${file('unreadable/manifest.json')}: ${words}`]);
    }
    expect((await audit('unreadable', { more: ['--force'] })).code).toBe(0);
    expect(await contentsOf(file('unreadable'))).toEqual(whole);
  });

  it('leaves no tables beside the decisions of another one', async () => {
    await begin('tables');
    // As it would be between the last table and the manifest.
    for (const name of ['decisions-0001.csv', 'matches-0001.csv', 'unevaluated-0001.csv'])
      await writeFile(file(`tables/${name}`), 'old');
    const manifest = JSON.parse(await readFile(file('tables/manifest.json'), 'utf8'));
    manifest.written.push('tables');
    await writeFile(file('tables/manifest.json'), JSON.stringify(manifest));
    expect((await audit('tables', { more: ['--force'], format: 'ndjson' })).code).toBe(0);
    expect((await readdir(file('tables'))).sort()).toEqual(['decisions.ndjson', 'manifest.json', 'summary.json']);
  });

  it('goes on once the disk has room again', async () => {
    for (const [name, kept] of [
      ['/journal.ndjson', 2],
      ['/journal.checkpoints', 2],
      ['/.summary.json.', 3],
      ['/.matches-0001.csv.', 3],
    ] as const) {
      const out = `full-${name.slice(1)}`;
      await begin(out);
      disk.full = name;
      const { code, stderr } = await audit(out).finally(() => {
        disk.full = '';
      });
      const words = 'no space left on the device; make room, and start it again: it goes on from what is kept';
      expect([code, stderr]).toEqual([3, `sluice: cannot write into \`${file(out)}\`: ${words}\n`]);
      expect(await checkpointsOf(out)).toHaveLength(kept);
      expect((await audit(out)).code).toBe(0);
      expect(await contentsOf(file(out))).toEqual(whole);
    }
  });

  it('refuses gzip that is cut off, and goes on with the whole of it', async () => {
    const half = text.indexOf('\n', text.length / 2) + 1;
    const gzip = Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]);
    const args = ['audit', ...options, file('messages.gz'), '--format', 'csv', '--out', file('gzip')];
    await writeFile(file('messages.gz'), gzip.subarray(0, -3000));
    const { code, stderr } = await sluice(args);
    const words = 'the whole stream is gzip that ends too early';
    expect([code, stderr]).toEqual([3, `sluice: ${file('messages.gz')}: ${words}\n`]);
    expect((await checkpointsOf('gzip')).length).toBeGreaterThan(0);
    await writeFile(file('messages.gz'), gzip);
    expect((await sluice(args)).code).toBe(0);
    const of = async (out: string) => readFile(file(`${out}/decisions.ndjson`), 'utf8');
    expect(await of('gzip')).toBe(await of('whole'));
  });
});

describe('an audit of a platform', () => {
  const serve = (intercept?: Intercept) => startService({ data: { ...world(), messages: rows }, intercept });
  const run = (url: string, apiKey: string, out: string) =>
    sluice(['audit', '--quiet', '--out', file(out)], {
      env: { SLUICE_BASE_URL: url, SLUICE_API_KEY: apiKey },
    });

  it('does not begin with rules that lack a list for a moment', async () => {
    const broken = await serve(refuseLists(503));
    const { code, stderr } = await run(broken.url, broken.apiKey, 'lost-list').finally(() => broken.close());
    expect([code, stderr]).toEqual([
      4,
      'sluice: keyword list `profanity-list` could not be fetched: http 503 (ERR_OPERATION_FAILED); what is kept depends on all of them: ' +
        'run the same command again, or keep the rules as they are with `sluice pull` and give them with `--rules`\n',
    ]);
    expect(await readdir(file('lost-list'))).toEqual([]);
  });

  it('through a network that breaks, again and again, ends with the bytes of an undisturbed one', async () => {
    const service = await serve();
    try {
      expect((await run(service.url, service.apiKey, 'quiet')).code).toBe(0);
      const quiet = await contentsOf(file('quiet'));
      const random = createRandom(19, 'network');
      const proxy = await startBreakingProxy(Number(new URL(service.url).port), random, 800);
      const codes: number[] = [];
      while (codes.at(-1) !== 0 && codes.length < 2) {
        if (codes.length === 1) proxy.mend();
        codes.push((await run(`http://127.0.0.1:${proxy.port}/v3`, service.apiKey, 'broken')).code);
      }
      await proxy.close();
      expect(codes).toEqual([...codes.slice(0, -1).map(() => 4), 0]);
      expect(proxy.broken()).toBeGreaterThan(1);
      expect(await contentsOf(file('broken'))).toEqual(quiet);
      // Nobody listens any more.
      expect((await run(`http://127.0.0.1:${proxy.port}/v3`, service.apiKey, 'broken')).code).toBe(4);
      expect(await contentsOf(file('broken'))).toEqual(quiet);
    } finally {
      await service.close();
    }
  });
});

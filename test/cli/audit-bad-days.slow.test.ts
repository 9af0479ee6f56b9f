/**
 * What disks, networks and platforms do to an audit that is kept: its results are those of one that
 * nothing disturbed, or there are none.
 */
import { once } from 'node:events';
import { appendFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createRandom, type Random } from '../../fixtures/random.js';
import { type Intercept, startService } from '../../src/platform/service/index.js';
import { temporaryFolder } from '../support/folder.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

/** What happens to a connection. */
type Fate = 'nothing' | 'refused' | 'cut' | 'reset' | 'half closed' | 'slow';

/** A TCP proxy that breaks connections between a client and a platform that is well. */
interface BreakingProxy {
  readonly port: number;
  /** How many connections were to break, or were slow. */
  readonly broken: () => number;
  /** Breaks nothing from now on. */
  mend(): void;
  close(): Promise<void>;
}

/** Most bytes of answers before a connection breaks; a page has some hundred thousand. */
const mostBytes = 600_000;

/**
 * Starts a proxy of a port of loopback, on a free one. Of a thousand connections, so many are
 * broken.
 */
async function startBreakingProxy(target: number, random: Random, perThousand: number): Promise<BreakingProxy> {
  let broken = 0;
  const open = new Set<Socket>();
  let isMended = false;
  /** So many of the next connections are refused, too: an outage. */
  let refusals = 0;

  const draw = (): Fate => {
    if (isMended) return 'nothing';
    if (refusals > 0) {
      refusals -= 1;
      return 'refused';
    }
    if (!random.chance(perThousand)) return 'nothing';
    const fate = random.pick(['refused', 'cut', 'reset', 'half closed', 'slow'] as const);
    if (fate === 'refused') refusals = random.int(0, 4);
    return fate;
  };

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const fate = draw();
    broken += Number(fate !== 'nothing');
    const left = { bytes: random.int(0, mostBytes) };
    open.add(near);
    near.on('error', () => near.destroy()).on('close', () => open.delete(near));
    if (fate === 'refused') return void near.resetAndDestroy();
    const far = connect(target, '127.0.0.1');
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far);
    void pass(far, near, fate, left);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    broken: () => broken,
    mend: () => {
      isMended = true;
    },
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Hands answers on, until their bytes are used up. */
async function pass(far: Socket, near: Socket, fate: Fate, left: { bytes: number }): Promise<void> {
  try {
    for await (const chunk of far) {
      const bytes = chunk as Buffer;
      if (fate === 'slow') await sleep(5);
      const isLast = fate !== 'nothing' && fate !== 'slow' && bytes.length >= left.bytes;
      if (!near.write(isLast ? bytes.subarray(0, left.bytes) : bytes)) await once(near, 'drain');
      left.bytes -= bytes.length;
      if (!isLast) continue;
      if (fate === 'reset') near.resetAndDestroy();
      else if (fate === 'cut') near.destroy();
      // The other direction stays open: the client may go on writing.
      else near.end();
      return;
    }
    near.end();
  } catch {
    near.destroy();
  }
}

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

/** An audit of standard input. */
function audit(out: string, { more = [], format = 'csv' }: { more?: readonly string[]; format?: string } = {}) {
  return sluice(['audit', ...options, '-', '--format', format, '--out', file(out), ...more], { stdin: [text] });
}

/** Begins an audit and stops it when most messages are kept. */
async function begin(out: string, more: readonly string[] = []): Promise<void> {
  const controller = new AbortController();
  const stdin = async function* () {
    yield lines.slice(0, 10_400).join('');
    controller.abort(new Error('interrupted'));
    yield '';
  };
  const args = ['audit', ...options, '-', '--format', 'csv', '--out', file(out), ...more];
  expect((await sluice(args, { stdin: stdin(), interrupted: controller.signal })).code).toBe(130);
  expect(await keptIn(out)).toBe(10_400);
}

/** How many messages are kept of an audit that was begun. */
const keptIn = async (out: string) => JSON.parse(await readFile(file(`${out}/manifest.json`), 'utf8')).kept.messages;
const rowsOf = (out: string) => file(`${out}/decisions.ndjson`);

describe('an audit that was begun', () => {
  const damages: Readonly<Record<string, (out: string) => Promise<void>>> = {
    'nothing happened to': async () => undefined,
    'the last row was cut off of': async (out) => truncate(rowsOf(out), (await stat(rowsOf(out))).size - 1),
    'rows that no state counts are in': (out) => appendFile(rowsOf(out), lines[0]!),
    'the rows were gone of': (out) => rm(rowsOf(out)),
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

  it('says how to begin anew when its manifest cannot be read', async () => {
    await begin('unreadable');
    for (const [manifest, fault] of [
      ['{"format":1,', 'the whole value must be the manifest of an audit'],
      ['{"format":7}', '`format` is 7, which another version of sluice writes; this one reads 8'],
      ['{"format":8}', '`inputs` must be an object'],
    ] as const) {
      await writeFile(file('unreadable/manifest.json'), manifest);
      const { code, stderr } = await audit('unreadable');
      const words = `${fault}; choose another directory, or add \`--force\` to replace it\n`;
      expect([code, stderr]).toEqual([2, `sluice: ${file('unreadable/manifest.json')}: ${words}`]);
    }
    expect((await audit('unreadable', { more: ['--force'] })).code).toBe(0);
    expect(await contentsOf(file('unreadable'))).toEqual(whole);
  });

  it('goes on once the disk has room again', async () => {
    for (const [name, kept] of [
      ['/decisions.ndjson', 10_400],
      ['/.manifest.json.', 10_400],
      ['/.summary.json.', count],
      ['/.matches-0001.csv.', count],
    ] as const) {
      const out = `full-${name.slice(1)}`;
      await begin(out);
      disk.full = name;
      const { code, stderr } = await audit(out).finally(() => {
        disk.full = '';
      });
      const words = 'no space left on the device; make room, and start it again: it goes on from what is kept';
      expect([code, stderr]).toEqual([3, `sluice: cannot write into \`${file(out)}\`: ${words}\n`]);
      expect(await keptIn(out)).toBe(kept);
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
    expect(await keptIn('gzip')).toBeGreaterThan(0);
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

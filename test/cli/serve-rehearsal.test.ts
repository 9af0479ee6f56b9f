import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Place, serveJsonWhile, sluice } from './terminal.js';

function folder(files: Readonly<Record<string, unknown>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-serve-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const all = { 'users.ndjson': { uid: 'alice', name: 'Alice' }, ...files };
  for (const [name, content] of Object.entries(all)) {
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

/** Serves the folder with more arguments; the service ends well and without a word. */
async function serving(directory: string, args: readonly string[], use: (place: Place) => Promise<void>) {
  expect(await serveJsonWhile(['--data', directory, ...args], use)).toMatchObject({ code: 0, stderr: '' });
}

const statusOf = async ({ url, apiKey }: Place, headers = {}): Promise<number> =>
  (await fetch(`${url}/users/alice`, { headers: { apikey: apiKey, ...headers } })).status;

describe('sluice serve, made to fail', () => {
  it('by --fault, over a file of --faults', async () => {
    const directory = folder({
      'faults.json': { seed: 4, faults: [{ kind: 'status', status: 500, path: '/users/{uid}', after: 1, count: 1 }] },
    });
    const args = ['--faults', join(directory, 'faults.json'), '--fault', 'status=503,count=2;status=502,after=3'];
    await serving(directory, args, async (place) => {
      const found: number[] = [];
      for (let i = 0; i < 5; i += 1) found.push(await statusOf(place));
      expect(found).toEqual([503, 500, 200, 502, 502]);
    });
  });

  it('by a seed of its own', async () => {
    const directory = folder({ 'faults.json': { seed: 4, faults: [{ kind: 'status', rate: 0.5 }] } });
    const found: Record<string, string> = {};
    for (const seed of [[], ['--fault-seed', '4'], ['--fault-seed=-5']]) {
      await serving(directory, ['--faults', join(directory, 'faults.json'), ...seed], async (place) => {
        const statuses: number[] = [];
        for (let i = 0; i < 30; i += 1) statuses.push(await statusOf(place));
        found[seed.join(' ')] = statuses.join();
      });
    }
    expect(found['']).toBe(found['--fault-seed 4']);
    expect(found['']).not.toBe(found['--fault-seed=-5']);
  });

  it('by the header, when --fault-header allows it', async () => {
    const chosen = { 'x-sluice-fault': 'status=418' };
    const directory = folder({});
    await serving(directory, ['--fault-header'], async (place) => {
      expect([await statusOf(place, chosen), await statusOf(place)]).toEqual([418, 200]);
    });
    await serving(directory, ['--fault', 'status,rate=0'], async (place) => {
      expect(await statusOf(place, chosen)).toBe(200);
    });
  });

  it('by --rate-limit', async () => {
    await serving(folder({}), ['--rate-limit', '2'], async (place) => {
      expect([await statusOf(place), await statusOf(place), await statusOf(place)]).toEqual([200, 200, 429]);
    });
  });

  it('says how to mend what it cannot take', async () => {
    const directory = folder({
      'wrong.json': { faults: [{ kind: 'latency', ms: 5, rate: 7 }] },
      'broken.json': '{',
    });
    for (const [args, code, words] of [
      [['--fault', 'nonsense'], 2, '--fault: `kind` must be one of `latency`, '],
      [['--fault', 'status=200'], 2, '--fault: `status` must be a status from 400 to 599'],
      [['--faults', join(directory, 'wrong.json')], 2, 'wrong.json: `faults[0].rate` must be a share of the requests'],
      [['--faults', join(directory, 'broken.json')], 3, 'broken.json: `the whole value` must be json'],
      [['--faults', join(directory, 'none.json')], 2, 'none.json`: no such file or directory'],
      [['--fault-seed', '4'], 2, '`--fault-seed` goes with `--fault FAULTS` or `--faults FILE`'],
      [['--fault', 'reset', '--fault-seed', 'x'], 2, '`--fault-seed` must be a whole number'],
      [['--rate-limit', '0'], 2, '`--rate-limit` must be a whole number, 1 or more'],
    ] as const) {
      const outcome = await sluice(['serve', '--data', directory, ...args]);
      expect([outcome.code, outcome.stdout], args.join(' ')).toEqual([code, '']);
      expect(outcome.stderr, args.join(' ')).toMatch(/^sluice: [^\n]+\n$/);
      expect(outcome.stderr).toContain(words);
    }
  });
});

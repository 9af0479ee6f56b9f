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
  it('by --fault, of a file or as it is written', async () => {
    const directory = folder({
      'faults.json': { seed: 4, faults: [{ kind: 'status', status: 500, path: '/users/{uid}', after: 1, count: 1 }] },
    });
    for (const [fault, expected] of [
      [join(directory, 'faults.json'), [200, 500, 200, 200]],
      ['status=503,count=2;status=502,after=3', [503, 503, 200, 502]],
    ] as const) {
      await serving(directory, ['--fault', fault], async (place) => {
        const found: number[] = [];
        for (let i = 0; i < 4; i += 1) found.push(await statusOf(place));
        expect(found).toEqual(expected);
      });
    }
  });

  it('by the seed of the file', async () => {
    const found: string[] = [];
    for (const seed of [4, 4, -5]) {
      const directory = folder({ 'faults.json': { seed, faults: [{ kind: 'status', rate: 0.5 }] } });
      await serving(directory, ['--fault', join(directory, 'faults.json')], async (place) => {
        const statuses: number[] = [];
        for (let i = 0; i < 30; i += 1) statuses.push(await statusOf(place));
        found.push(statuses.join());
      });
    }
    expect(found[0]).toBe(found[1]);
    expect(found[0]).not.toBe(found[2]);
  });

  it('by the header, when the file allows it', async () => {
    const chosen = { 'x-sluice-fault': 'status=418' };
    const directory = folder({ 'faults.json': { controlHeader: true } });
    await serving(directory, ['--fault', join(directory, 'faults.json')], async (place) => {
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
      [['--fault', join(directory, 'wrong.json')], 2, 'wrong.json: `faults[0].rate` must be a share of the requests'],
      [['--fault', join(directory, 'broken.json')], 3, 'broken.json: `the whole value` must be json'],
      [['--fault', join(directory, 'none.json')], 2, 'none.json`: no such file or directory'],
      [['--rate-limit', '0'], 2, '`--rate-limit` must be a whole number, 1 or more'],
    ] as const) {
      const outcome = await sluice(['serve', '--data', directory, ...args]);
      expect([outcome.code, outcome.stdout], args.join(' ')).toEqual([code, '']);
      expect(outcome.stderr, args.join(' ')).toMatch(/^sluice: [^\n]+\n$/);
      expect(outcome.stderr).toContain(words);
    }
  });
});

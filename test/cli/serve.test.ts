import { describe, expect, it, onTestFinished } from 'vitest';
import { type Outcome, sluice } from './terminal.js';
import { worldFiles } from './world.js';

/** Runs `serve` until its first line has come and `use` has been had of it; then interrupts it. */
async function serving(
  args: readonly string[],
  env: Record<string, string>,
  use: (firstLine: string) => Promise<void>,
) {
  const controller = new AbortController();
  let ended: Promise<Outcome> | undefined;
  const firstLine = new Promise<string>((resolve, reject) => {
    const onWrite = (stream: string, text: string) => {
      if (stream === 'stdout') resolve(text.split('\n')[0] ?? '');
    };
    ended = sluice(['serve', ...args], { env, interrupted: controller.signal, onWrite });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  try {
    await use(await firstLine);
  } finally {
    controller.abort();
  }
  return (await ended) as Outcome;
}

async function dataDirectory(): Promise<string> {
  const files = await worldFiles();
  onTestFinished(files.remove);
  return files.file('data');
}

describe('sluice serve', () => {
  it('prints where it is and the key, serves a data directory, and ends well', async () => {
    let url = '';
    const outcome = await serving(['--port', '0', '--json', '--data', await dataDirectory()], {}, async (line) => {
      const place = JSON.parse(line);
      expect(Object.keys(place)).toEqual(['url', 'apiKey']);
      url = place.url;
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v3$/);
      const answer = await fetch(`${url}/messages?limit=1`, { headers: { apikey: place.apiKey } });
      expect(await answer.json()).toMatchObject({ data: [{ id: '1' }] });
    });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(url)).rejects.toThrow();
  });

  it('uses the key of the environment, which only the JSON repeats', async () => {
    const env = { SLUICE_API_KEY: 'canary-key-0123456789' };
    const data = await dataDirectory();
    await serving(['--json', '--data', data], env, async (line) => {
      expect(JSON.parse(line).apiKey).toBe(env.SLUICE_API_KEY);
    });
    const { stdout, stderr } = await serving(['--data', data], env, async () => undefined);
    expect(stdout).toContain('curl -H "apikey: $SLUICE_API_KEY"');
    expect(stdout + stderr).not.toContain(env.SLUICE_API_KEY);
  });

  it('shows a command that works, with the key that it made up', async () => {
    const { stdout } = await serving(['--data', await dataDirectory()], {}, async () => undefined);
    const [, key, url] = /curl -H "apikey: ([0-9a-f]+)" "(\S+)"/.exec(stdout) ?? [];
    expect(key).toHaveLength(40);
    expect(url).toMatch(/\/v3\/messages\?limit=3$/);
    expect(stdout).toContain(`SLUICE_API_KEY=${key} sluice audit --base-url `);
  });

  it('warns when other machines can reach it', async () => {
    const data = await dataDirectory();
    const open = await serving(['--host', '0.0.0.0', '--json', '--data', data], {}, async () => undefined);
    expect(open.stderr).toMatch(/^warning: this address is open to other machines.+\n$/);
    const local = await serving(['--host', 'localhost', '--json', '--data', data], {}, async () => undefined);
    expect(local.stderr).toBe('');
  });

  it('says so when the port is taken or the data cannot be used', async () => {
    const data = await dataDirectory();
    await serving(['--json', '--data', data], {}, async (line) => {
      const { port } = new URL(JSON.parse(line).url);
      const { code, stderr } = await sluice(['serve', '--port', port, '--data', data]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^sluice: cannot listen on `127\.0\.0\.1` port \d+: .+\n$/),
      ]);
    });
    const { code, stderr } = await sluice(['serve', '--data', `${data}/nowhere`]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^sluice: the data directory .+\n$/)]);
  });
});

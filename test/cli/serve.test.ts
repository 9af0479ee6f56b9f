import { describe, expect, it, onTestFinished } from 'vitest';
import { type Place, serveJsonWhile, serveWhile, sluice } from './terminal.js';
import { worldFiles } from './world.js';

async function dataDirectory(): Promise<string> {
  const files = await worldFiles();
  onTestFinished(files.remove);
  return files.file('data');
}

describe('sluice serve', () => {
  it('prints where it is and the key, serves a data directory, and ends well', async () => {
    let url = '';
    const outcome = await serveJsonWhile(['--port', '0', '--data', await dataDirectory()], async (place) => {
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
    const use = async ({ apiKey }: Place) => expect(apiKey).toBe(env.SLUICE_API_KEY);
    await serveJsonWhile(['--data', data], use, env);
    const { stdout, stderr } = await serveWhile(['--data', data], async () => undefined, env);
    expect(stdout).toContain('curl -H "apikey: $SLUICE_API_KEY"');
    expect(stdout + stderr).not.toContain(env.SLUICE_API_KEY);
  });

  it('shows a command that works, with the key that it made up', async () => {
    const { stdout } = await serveWhile(['--data', await dataDirectory()], async () => undefined);
    const [, key, url] = /curl -H "apikey: ([0-9a-f]+)" "(\S+)"/.exec(stdout) ?? [];
    expect(key).toHaveLength(40);
    expect(url).toMatch(/\/v3\/messages\?limit=3$/);
    expect(stdout).toContain(`SLUICE_API_KEY=${key} sluice audit --base-url `);
  });

  it('prints each request on standard error with --log, without query, key or body', async () => {
    const data = await dataDirectory();
    const { stderr } = await serveJsonWhile(['--data', data, '--log'], async ({ url, apiKey }) => {
      const call = (target: string, key = apiKey) => fetch(url + target, { headers: { apikey: key } });
      await (await call('/messages?limit=1&searchKey=secret')).text();
      await (await call('/users/no%20one')).text();
      await (await call('/messages', 'wrong')).text();
    });
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z (.+) \d+ ms$/, '$1')).sort()).toEqual([
      'GET /v3/messages 200',
      'GET /v3/messages 401',
      'GET /v3/users/no%20one 404',
    ]);
  });

  it('warns when other machines can reach it', async () => {
    const data = await dataDirectory();
    const open = await serveWhile(['--host', '0.0.0.0', '--json', '--data', data], async () => undefined);
    expect(open.stderr).toMatch(/^warning: this address is open to other machines.+\n$/);
    const local = await serveWhile(['--host', 'localhost', '--json', '--data', data], async () => undefined);
    expect(local.stderr).toBe('');
  });

  it('says so when the port is taken or the data cannot be used', async () => {
    const data = await dataDirectory();
    await serveJsonWhile(['--data', data], async ({ url }) => {
      const { port } = new URL(url);
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

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Place, serveJsonWhile, sluice } from './terminal.js';
import { worldFiles } from './world.js';

async function files() {
  const world = await worldFiles();
  onTestFinished(world.remove);
  return world;
}

describe('sluice serve --save', () => {
  it('writes the data when it is interrupted, and serves it again', async () => {
    const world = await files();
    const [from, to] = [world.file('data'), world.file('saved')];
    let before: unknown;
    const all = async ({ url, apiKey }: Place) =>
      (await fetch(`${url}/messages?limit=1000&count=true`, { headers: { apikey: apiKey } })).json();
    const outcome = await serveJsonWhile(['--data', from, '--save', to], async (place) => {
      expect(await readdir(to)).toEqual(['.sluice.lock']);
      before = await all(place);
    });
    expect(outcome).toMatchObject({ code: 0, stderr: `saved into ${to}\n` });
    const saved = await readdir(to);
    expect(saved).toContain('messages.ndjson');
    expect(saved).not.toContain('.sluice.lock');
    const again = await serveJsonWhile(['--data', to, '--save', to, '--quiet'], async (place) => {
      expect(await all(place)).toEqual(before);
    });
    expect(again).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends with words and a code of its own when it could not, whatever interrupted it', async () => {
    const world = await files();
    const to = world.file('saved');
    const outcome = await serveJsonWhile(['--data', world.file('data'), '--save', to], async () => {
      await rm(to, { recursive: true });
    });
    expect(outcome).toMatchObject({
      code: 2,
      stderr: `sluice: cannot save into \`${to}\`: no such file or directory\n`,
    });
  });

  it('is refused while another service saves there, and free again behind it', async () => {
    const world = await files();
    const [from, to] = [world.file('data'), world.file('saved')];
    await serveJsonWhile(['--data', from, '--save', to], async () => {
      const { code, stdout, stderr } = await sluice(['serve', '--data', from, '--save', to]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`cannot save into \`${to}\`: the service of process ${process.pid} does so already`);
    });
    expect(await serveJsonWhile(['--data', from, '--save', to], async () => {})).toMatchObject({ code: 0 });
  });

  it('refuses before it serves what cannot be written, and touches nothing', async () => {
    const world = await files();
    const file = world.file('a-file');
    await writeFile(file, 'precious');
    const { code, stdout, stderr } = await sluice(['serve', '--data', world.file('data'), '--save', file]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`sluice: cannot save into \`${file}\`: a part of the path is not a directory\n`);
    expect(await readFile(file, 'utf8')).toBe('precious');
    const broken = world.file('broken');
    await mkdir(broken);
    await writeFile(join(broken, 'messages.ndjson'), '{"id":"1"}\n');
    const outcome = await sluice(['serve', '--data', broken, '--save', broken]);
    expect(outcome.code).toBe(3);
    expect(await readdir(broken)).toEqual(['messages.ndjson']);
    expect(await readFile(join(broken, 'messages.ndjson'), 'utf8')).toBe('{"id":"1"}\n');
  });
});

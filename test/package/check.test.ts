/** `.ci/run`, and `npm run check`, which is its part that installs nothing: the commands that they would run. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifest, root } from './packed.js';

const steps = ['test', 'run --silent bench -- --quick', 'start --silent -- --quiet --json'];

describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-check-'));
    for (const name of ['npm', 'apt-get', 'chromium']) {
      writeFileSync(
        join(folder, name),
        `#!/bin/sh\necho "${name} $*" >> "${join(folder, 'calls')}"\n[ "$1" != "$FAILING" ]\n`,
      );
      chmodSync(join(folder, name), 0o755);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs the script with programs in place of npm and apt-get that note how they are called. */
  async function callsOf(args: readonly string[], failing = ''): Promise<{ calls: string[]; failed: boolean }> {
    writeFileSync(join(folder, 'calls'), '');
    const env = { PATH: [folder, process.env.PATH].join(delimiter), FAILING: failing };
    const ran = promisify(execFile)('bash', [join(root, '.ci/run'), ...args], { env });
    const failed = await ran.then(
      () => false,
      () => true,
    );
    return { calls: readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').filter(Boolean), failed };
  }

  it('installs, then tests, then runs the benchmark and the demo', async () => {
    const calls = ['npm ci --no-audit --no-fund', ...steps.map((step) => `npm ${step}`)];
    expect(await callsOf([])).toEqual({ calls, failed: false });
  });

  it('`npm run check` takes the same steps, and builds in place of installing', async () => {
    expect(manifest.scripts.check).toBe('bash .ci/run --no-install');
    const calls = ['npm run --silent build', ...steps.map((step) => `npm ${step}`)];
    expect(await callsOf(['--no-install'])).toEqual({ calls, failed: false });
  });

  it('types and lint are checked before the tests', () => {
    expect(manifest.scripts.pretest).toBe('npm run typecheck && npm run lint');
  });

  it('ends with the first step that fails', async () => {
    expect(await callsOf(['--no-install'], 'test')).toEqual({
      calls: ['npm run --silent build', 'npm test'],
      failed: true,
    });
  });

  it('refuses an option that it has not', async () => {
    expect(await callsOf(['--no-instal'])).toEqual({ calls: [], failed: true });
  });
});

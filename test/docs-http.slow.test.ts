/**
 * The commands of docs/http.md print what stands behind them, run by a shell with curl against
 * `sluice moderate --demo`.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/http.md'), 'utf8');
/** A command line, and what it prints. */
const commands = [...page.matchAll(/^(curl .+)\n# (.+)$/gm)].map(([, line, printed]) => [line!, printed!] as const);

/** `--json` is an option since 7.82. */
function hasCurl(): boolean {
  try {
    const [, major, minor] = /^curl (\d+)\.(\d+)/.exec(execFileSync('curl', ['--version'], { encoding: 'utf8' })) ?? [];
    return Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 82);
  } catch {
    return false;
  }
}

describe('docs/http.md', () => {
  const isThere = hasCurl();
  if (!isThere) process.stderr.write('skipped: the commands of docs/http.md, for there is no curl 7.82 or later\n');

  it.skipIf(!isThere)('its curl lines print what it says', async () => {
    expect(commands.length).toBeGreaterThan(4);
    const child = spawn(process.execPath, [join(root, 'dist/cli/bin.js'), 'moderate', '--demo', '--json', '--quiet'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
      const { url } = JSON.parse(line) as { readonly url: string };
      for (const [command, printed] of commands) {
        const run = command.replace('http://127.0.0.1:8080', url).replace(/^curl/, 'curl -s');
        const { stdout } = await promisify(execFile)('bash', ['-c', run]);
        expect([command, stdout]).toEqual([command, printed]);
      }
    } finally {
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    }
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../support/commands.js';
import { sluice } from './terminal.js';

const run = promisify(execFile);

/** What bash offers for the last word of a command line. */
async function offered(script: string, line: string): Promise<string[]> {
  const words = line.split(' ').map((word) => `'${word}'`);
  const ask = `source "$1"; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', ask, 'bash', script]);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('sluice completions', () => {
  it.each(['bash', 'zsh', 'fish'])('has every command and every option for %s', async (shell) => {
    const { code, stdout } = await sluice(['completions', shell]);
    expect(code).toBe(0);
    for (const { name, options } of commands) {
      expect(stdout).toContain(name);
      for (const option of [...Object.keys(options), 'help']) {
        expect(stdout).toContain(shell === 'fish' ? `from ${name}' -l ${option} ` : `--${option}`);
      }
    }
  });

  it('completes commands and options in bash, and leaves values to the shell', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-completions-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const script = join(directory, 'sluice.bash');
    await writeFile(script, (await sluice(['completions', 'bash'])).stdout);
    expect(await offered(script, 'sluice a')).toEqual(['audit', 'apply']);
    expect(await offered(script, 'sluice ')).toEqual(commands.map(({ name }) => name));
    expect(await offered(script, 'sluice check --ver')).toEqual(['--verbose']);
    expect(await offered(script, 'sluice audit --rules ')).toEqual([]);
    expect(await offered(script, 'sluice audit --demo --o')).toEqual(['--on-behalf-of', '--on-bad-row', '--out']);
    expect(await offered(script, 'sluice audit --on-bad-row ')).toEqual(['stop', 'skip']);
    expect(await offered(script, 'sluice judge --out ')).toEqual(['verdict', 'decision']);
    expect(await offered(script, 'sluice audit --out ')).toEqual([]);
    expect(await offered(script, 'sluice completions z')).toEqual(['zsh']);
  });

  it('quotes help for the shell', async () => {
    const [bash, zsh] = await Promise.all(['bash', 'zsh'].map((shell) => sluice(['completions', shell])));
    expect(zsh!.stdout.endsWith(bash!.stdout)).toBe(true);
    const fish = (await sluice(['completions', 'fish'])).stdout;
    expect(fish).toMatch(/from diff' -l against-semantics -r -F -a 'same' /);
    expect(fish).toMatch(/from diff' -l on-bad-row -x -a 'stop skip' /);
    for (const line of fish.trimEnd().split('\n')) expect(line.replaceAll("\\'", '').split("'").length % 2).toBe(1);
  });

  it('names the shells that it knows', async () => {
    for (const args of [[], ['tcsh'], ['toString']]) {
      const { code, stderr } = await sluice(['completions', ...args]);
      expect([code, stderr]).toEqual([2, 'sluice: which shell? give one of bash, zsh, fish\n']);
    }
  });
});

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtCommand } from '../support/built-command.js';
import { temporaryFolder } from '../support/folder.js';
import { openFiles } from './world.js';

/**
 * Commands that something holds for ever: they end by the first signal after a while, by the second
 * at once (P31).
 */

const directory = temporaryFolder();

const files = await openFiles();
const bin = await builtCommand();

/**
 * A command that is held once it has said something, and how it ends: its code, or the signal that
 * ended it.
 */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [bin, ...args], { env: { PATH: process.env.PATH, ...env } });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.resume();
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return { child, ended, stderr: () => stderr };
}

describe('a command that writes to a pipe without a reader', () => {
  /** The file of the rules is such a pipe: a thread opens it, and waits. */
  const held = async (name: string) => {
    const pipe = join(directory, name);
    execFileSync('mkfifo', [pipe]);
    const { child, ended, stderr } = start(['audit', '--rules', pipe, '--messages', files.file('messages.ndjson')]);
    // The first signal may still come before the command listens to any: then that one ends it.
    await new Promise((resume) => setTimeout(resume, 2_000));
    return { child, ended, stderr };
  };

  it('ends by its second signal', async () => {
    const { child, ended, stderr } = await held('second');
    child.kill('SIGTERM');
    // Signals of one kind that come at once are one.
    await new Promise((resume) => setTimeout(resume, 200));
    child.kill('SIGINT');
    expect(['SIGINT', 'SIGTERM']).toContain(await ended);
    expect(stderr()).not.toContain('does not end');
  });

  it('ends by its first, a while later, and says so', async () => {
    const { child, ended, stderr } = await held('first');
    child.kill('SIGTERM');
    const end = await ended;
    expect(['SIGINT', 'SIGTERM']).toContain(end);
    if (end === 'SIGINT') expect(stderr()).toContain('something still runs 8 s after SIGTERM; stopping without it\n');
  });
});

import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceFile, writeFileAtomically } from '../../src/foundation/files/replace-file.js';

function folder(): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-write-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return (name) => join(directory, name);
}

/**
 * A device that a broken writer may replace: as root a node of the test's own, since one in /dev
 * would be lost to the whole machine; others cannot write into /dev. `undefined` where there is
 * none.
 */
function device(file: (name: string) => string, name: 'null' | 'full'): string | undefined {
  if (process.platform !== 'linux') return undefined;
  if (process.getuid?.() !== 0) return `/dev/${name}`;
  try {
    execFileSync('mknod', [file(name), 'c', '1', name === 'null' ? '3' : '7']);
    writeFileSync(file(name), '');
    return file(name);
  } catch {
    return undefined;
  }
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

describe('writeFileAtomically', () => {
  it('gives a new file the permissions of the umask', async () => {
    const file = folder();
    await writeFileAtomically(file('new'), 'text');
    expect([readFileSync(file('new'), 'utf8'), modeOf(file('new'))]).toEqual([
      'text',
      (0o666 & ~process.umask()).toString(8),
    ]);
  });

  it.each([0o600, 0o640, 0o400, 0o777])('keeps the permissions of a file: %o', async (mode) => {
    const file = folder();
    writeFileSync(file('old'), 'old');
    chmodSync(file('old'), mode);
    await writeFileAtomically(file('old'), 'new');
    expect([readFileSync(file('old'), 'utf8'), modeOf(file('old'))]).toEqual(['new', mode.toString(8)]);
    expect(readdirSync(file('.'))).toEqual(['old']);
  });

  it('never has wider permissions under its temporary name', async () => {
    const file = folder();
    writeFileSync(file('old'), 'old');
    chmodSync(file('old'), 0o600);
    const replacement = await replaceFile(file('old'));
    const temporary = readdirSync(file('.')).find((name) => name !== 'old')!;
    expect(modeOf(file(temporary))).toBe('600');
    await replacement.append('secret');
    expect(readFileSync(file('old'), 'utf8')).toBe('old');
    await replacement.discard();
    expect(readdirSync(file('.'))).toEqual(['old']);
  });

  it.each([
    ['a file', 'real/target'],
    ['no file yet', 'real/missing'],
  ])('follows links to %s, in the directory of the target', async (_, target) => {
    const file = folder();
    mkdirSync(file('real'));
    writeFileSync(file('real/target'), 'old');
    symlinkSync(target, file('inner'));
    symlinkSync('inner', file('outer'));
    await writeFileAtomically(file('outer'), 'new');
    expect(readFileSync(file(target), 'utf8')).toBe('new');
    expect([readlinkSync(file('outer')), readlinkSync(file('inner'))]).toEqual(['inner', target]);
    expect(readdirSync(file('.')).sort()).toEqual(['inner', 'outer', 'real']);
  });

  it('writes to a pipe, and leaves it one', async () => {
    const file = folder();
    execFileSync('mkfifo', [file('pipe')]);
    const reader = promisify(execFile)('cat', [file('pipe')]);
    await writeFileAtomically(file('pipe'), 'through the pipe');
    expect((await reader).stdout).toBe('through the pipe');
    expect(lstatSync(file('pipe')).isFIFO()).toBe(true);
  });

  it('writes to a device, also behind a link, and leaves it one', async ({ skip }) => {
    const file = folder();
    const target = device(file, 'null') ?? skip('no device of its own');
    symlinkSync(target, file('link'));
    for (const path of [target, file('link')]) await writeFileAtomically(path, 'text');
    expect(statSync(target).isCharacterDevice()).toBe(true);
    expect(lstatSync(file('link')).isSymbolicLink()).toBe(true);
  });

  it('rejects with the error of a full device', async ({ skip }) => {
    const target = device(folder(), 'full') ?? skip('no device of its own');
    await expect(writeFileAtomically(target, 'text')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(statSync(target).isCharacterDevice()).toBe(true);
  });

  it('rejects a directory', async () => {
    const file = folder();
    await expect(writeFileAtomically(file('.'), 'text')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(file('.'))).toEqual([]);
  });

  it('removes the temporary files of processes that have been silent for a day, and no others', async () => {
    const file = folder();
    const open = await replaceFile(file('sample.ndjson'));
    const [running = ''] = readdirSync(file('.'));
    const silent = '.other.ndjson.01234567-89ab-4cde.tmp';
    for (const name of [silent, '.sample.ndjson.tmp']) {
      writeFileSync(file(name), 'texts');
      utimesSync(file(name), 0, 0);
    }
    await writeFileAtomically(file('another'), 'text');
    expect(readdirSync(file('.')).sort()).toEqual([running, '.sample.ndjson.tmp', 'another'].sort());
    await open.commit();
  });

  it('leaves the old file and nothing else behind when it fails', async () => {
    const file = folder();
    writeFileSync(file('old'), 'old');
    await expect(writeFileAtomically(file('old'), Symbol('no text') as unknown as string)).rejects.toThrow();
    expect([readFileSync(file('old'), 'utf8'), readdirSync(file('.'))]).toEqual(['old', ['old']]);
    await expect(writeFileAtomically(file('none/file'), 'text')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

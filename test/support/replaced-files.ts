/**
 * The ways in which files of rules are replaced: by programs, editors, deployments and the volumes
 * of containers.
 */
import { existsSync } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

let made = 0;
function fresh(path: string): string {
  made += 1;
  return `${path}.${process.pid}-${made}`;
}

async function putLink(target: string, path: string): Promise<void> {
  const aside = fresh(path);
  await symlink(target, aside);
  await rename(aside, path);
}

/**
 * The link in the place of a file leads through `..data`, which is switched from one folder to the
 * next.
 */
async function asConfigurationMap(path: string, text: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const data = join(folder, '..data');
  const before = existsSync(data) ? await readlink(data) : undefined;
  const next = basename(fresh('..v'));
  await mkdir(join(folder, next));
  await writeFile(join(folder, next, name), text);
  await putLink(next, data);
  if (!(await lstat(path).catch(() => undefined))?.isSymbolicLink()) await putLink(join('..data', name), path);
  if (before !== undefined) await rm(join(folder, before), { recursive: true });
}

/** Each leaves a file with the text at the path, whatever stood there. */
export const waysOfReplacing: Readonly<Record<string, (path: string, text: string) => Promise<void>>> = {
  rewritten: (path, text) => writeFile(path, text),
  'rewritten in two halves': async (path, text) => {
    const file = await open(path, 'w');
    await file.write(text.slice(0, text.length / 2));
    await file.sync();
    await file.write(text.slice(text.length / 2));
    await file.close();
  },
  'renamed over': async (path, text) => {
    const aside = fresh(path);
    await writeFile(aside, text);
    await rename(aside, path);
  },
  'deleted and made again': async (path, text) => {
    await unlink(path);
    await writeFile(path, text);
  },
  'moved to a backup, as editors do': async (path, text) => {
    await rename(path, `${path}~`);
    await writeFile(path, text);
    await unlink(`${path}~`);
  },
  'rewritten with its old time': async (path, text) => {
    const { atime, mtime } = await stat(path);
    await writeFile(path, text);
    await utimes(path, atime, mtime);
  },
  'switched as a configuration map': asConfigurationMap,
};

/** Puts another folder in the place of one that is a link, and removes the old one. */
export async function switchFolder(link: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const next = fresh(join(dirname(link), 'version'));
  await mkdir(next);
  await fill(next);
  const before = existsSync(link) ? join(dirname(link), await readlink(link)) : undefined;
  await putLink(basename(next), link);
  if (before !== undefined) await rm(before, { recursive: true });
}

/** How many files this process has open; undefined where nothing says it. */
export async function openFiles(): Promise<number | undefined> {
  return existsSync('/proc/self/fd') ? (await readdir('/proc/self/fd')).length : undefined;
}

import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * All that is in a folder, by path: contents of files, where links lead, and folders. Links are not
 * followed.
 */
export async function treeOf(folder: string, under = ''): Promise<ReadonlyMap<string, string>> {
  const tree = new Map<string, string>();
  for (const name of (await readdir(join(folder, under))).sort()) {
    const path = join(under, name);
    const found = await lstat(join(folder, path));
    if (found.isSymbolicLink()) tree.set(path, `link to ${await readlink(join(folder, path))}`);
    else if (found.isDirectory()) {
      tree.set(path, 'folder');
      for (const [inner, content] of await treeOf(folder, path)) tree.set(inner, content);
    } else tree.set(path, `file: ${await readFile(join(folder, path), 'utf8')}`);
  }
  return tree;
}

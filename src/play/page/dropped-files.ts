/** Files and folders that are dropped on the page. */
import type { DroppedFile } from '../worker/protocol.js';

/** Files of a folder that are read at the most. */
const mostFiles = 5_000;

/** Returns the files of a drop, with those inside of dropped folders. */
export async function filesOfDrop({ items, files }: DataTransfer): Promise<readonly DroppedFile[]> {
  // Entries are gone after the first pause, so all of them are taken at once.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (!entries.some(({ isDirectory }) => isDirectory))
    return [...files].map((file) => ({ path: file.name, blob: file }));
  const found: DroppedFile[] = [];
  for (const entry of entries) await addFiles(entry, found);
  return found;
}

async function addFiles(entry: FileSystemEntry, found: DroppedFile[]): Promise<void> {
  if (found.length >= mostFiles || entry.name.startsWith('.')) return;
  if (entry.isFile) {
    const blob = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path: entry.fullPath.slice(1), blob });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives a hundred entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const inner of some) await addFiles(inner, found);
  }
}

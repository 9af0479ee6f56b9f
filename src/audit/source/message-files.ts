/** The messages of files, NDJSON, CSV or an array, plain or gzip, one file after the other. */
import { basename } from 'node:path';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { inflated } from '../../foundation/files/gzip.js';
import { abortable } from './abortable.js';
import { BlockCutter, type BlockSource, position } from './blocks.js';
import type { ColumnMap } from './columns.js';
import type { MessageSource } from './messages.js';
import { type ByteReader, openFile, readerOf } from './open-file.js';
import { type FoundRows, readRowFormat } from './row-format.js';

/**
 * A file of messages by its path, or a stream by the name that errors have for it. A stream may be
 * without any message.
 */
interface NamedFile {
  readonly name: string;
  readonly chunks?: AsyncIterable<Uint8Array> | undefined;
}

/** How files are read. */
interface FileOptions {
  /** The columns of fields that the caller named. */
  readonly map?: ColumnMap | undefined;
  readonly decode?: 'html' | undefined;
  readonly signal: AbortSignal;
}

/** A file whose format is known, and which is read once. */
interface OpenedFile {
  readonly rows: FoundRows;
  readonly reader: ByteReader;
}

/**
 * Opens files, whose messages come in the order of the files. Rejects with `UsageError` if one
 * cannot be opened, or if columns are named and its messages do not have columns, and with
 * `ShapeError` if its beginning cannot be read.
 */
export async function messagesOfFiles(files: readonly NamedFile[], options: FileOptions): Promise<MessageSource> {
  const opened = await openAll(files, options);
  const sizes = opened.flatMap(({ reader }) => reader.size ?? []);
  const bytes = sizes.length < files.length ? undefined : sizes.reduce((sum, size) => sum + size, 0);
  const refuseEmpty = (read: number, name = files[0]?.name ?? '') => {
    if (read > 0 || files.some((file) => file.name === name && file.chunks !== undefined)) return;
    throw new ShapeError(name, 'the whole file', 'has no message; check that it is the right one');
  };
  const openAt = async (index: number) => {
    const first = opened[index]!;
    return files.length > 1 && first.reader.size !== undefined ? open(files[index]!, options) : first;
  };
  let latest: BlockSource | undefined;
  return {
    close: () => closeAll(opened),
    bytes,
    refuseEmpty,
    rows: opened.map(({ rows }) => rows),
    read: () => latest?.read,
    blocks({ isKept }) {
      latest = blocksOfFiles(opened, openAt, { isKept, bytes, refuseEmpty });
      return latest;
    },
  };
}

async function openAll(files: readonly NamedFile[], options: FileOptions): Promise<readonly OpenedFile[]> {
  const opened: OpenedFile[] = [];
  try {
    for (const file of files) {
      const openedFile = await open(file, options);
      opened.push(openedFile);
      // More files may be named than can be open at once.
      if (files.length > 1 && openedFile.reader.size !== undefined) await openedFile.reader.close();
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function closeAll(opened: readonly OpenedFile[]): Promise<void> {
  for (const { reader } of opened) await reader.close();
}

async function open({ name, chunks }: NamedFile, { map = {}, decode, signal }: FileOptions): Promise<OpenedFile> {
  const reader = chunks
    ? readerOf(inflated(abortable(chunks, signal), name))
    : await withFileErrors('read', name, () => openFile(name, signal));
  try {
    const isNamedCsv = chunks === undefined && /\.[ct]sv(?:\.gz)?$/i.test(name);
    const rows = await readRowFormat(reader, { source: name, isNamedCsv, map, decode });
    if (rows.isOfMessages && Object.keys(map).length > 0)
      throw new UsageError({ source: name, fact: 'columns are named, and it has messages with `data`' });
    return { reader, rows: { ...rows, name } };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

interface FileBlocks {
  readonly isKept: boolean;
  readonly bytes: number | undefined;
  refuseEmpty(read: number, name: string): void;
}

/** Returns the rows of files as blocks. A block has rows of one file. */
function blocksOfFiles(
  opened: readonly OpenedFile[],
  openAt: (index: number) => Promise<OpenedFile>,
  { isKept, bytes, refuseEmpty }: FileBlocks,
): BlockSource {
  const labels = labelsOf(opened.map(({ rows }) => rows.name));
  let cutter: BlockCutter | undefined;
  let isRead = false;
  return {
    get read() {
      return isRead ? cutter?.position : undefined;
    },
    async *blocks(from) {
      const isEager = !isKept && opened.some(({ reader }) => reader.size === undefined);
      cutter = new BlockCutter(position.safeParse(from).data, { isEager, isKept });
      let bytesBefore = 0;
      for (const [index, { rows, reader: first }] of opened.entries()) {
        const { reader } = await openAt(index);
        const { name: source, format } = rows;
        const { rows: before } = cutter.position;
        const { size = 0 } = first;
        try {
          for await (const block of cutter.blocksOf({ source, file: labels?.[index], format, reader })) {
            const share = bytes ? (bytesBefore + size * (block.share ?? 0)) / bytes : undefined;
            yield { ...block, share };
          }
        } finally {
          await reader.close();
        }
        const isSkipped = cutter.left > 0 || before < (cutter.from?.rows ?? 0);
        if (opened.length > 1 && !isSkipped) refuseEmpty(cutter.position.rows - before, source);
        bytesBefore += size;
      }
      cutter.refuseShort();
      isRead = true;
    },
  };
}

/**
 * Returns the names of files in bad rows: without folders, if they differ; undefined for one file.
 */
function labelsOf(names: readonly string[]): readonly string[] | undefined {
  const short = names.map((name) => basename(name));
  if (names.length === 1) return undefined;
  return new Set(short).size === names.length ? short : names;
}

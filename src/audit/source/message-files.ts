/** The messages of files, NDJSON, CSV or an array, plain or gzip, one file after the other. */
import { basename } from 'node:path';
import * as z from 'zod';
import { digest } from '../../foundation/digest.js';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { inflated } from '../../foundation/files/gzip.js';
import { type ByteSource, openFile } from '../../foundation/files/open-file.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { abortable } from './abortable.js';
import type { ColumnMap } from './columns.js';
import { joinedPosition, type LinePosition } from './line-blocks.js';
import { type MessageFilters, selectionOf } from './message-selection.js';
import type { MessageSource, MessageTally } from './messages.js';
import { type FoundRows, readRowFormat } from './row-format.js';
import { createRowReader, rowsOf } from './rows.js';
import { lineShards, type Shard, type ShardSource } from './shards.js';

/** A file of messages by its path, or a stream by the name that errors have for it. A stream may be without any message. */
interface NamedFile {
  readonly name: string;
  readonly chunks?: AsyncIterable<Uint8Array> | undefined;
}

/** How files are read. */
interface FileOptions {
  /** Which of their columns are what, where they are named. */
  readonly map?: ColumnMap | undefined;
  readonly signal: AbortSignal;
}

/** A file whose format is known, and which is read once. */
interface OpenedFile extends ByteSource {
  readonly rows: FoundRows;
  /** The size of a file that can be opened again; undefined for pipes and streams. */
  readonly bytes?: number | undefined;
  close(): Promise<void>;
}

/**
 * Opens files, whose messages come in the order of the files. Rejects with `UsageError` if one cannot be opened, or if columns are named and its
 * messages have none, and with `ShapeError` if its beginning cannot be read.
 */
export async function messagesOfFiles(
  files: readonly NamedFile[],
  filters: MessageFilters,
  options: FileOptions,
): Promise<MessageSource> {
  const opened = await openAll(files, options);
  const sizes = opened.flatMap(({ bytes }) => bytes ?? []);
  const bytes = sizes.length < files.length ? undefined : sizes.reduce((sum, size) => sum + size, 0);
  const refuseEmpty = (read: number, name = files[0]?.name ?? '') => {
    if (read > 0 || files.some((file) => file.name === name && file.chunks !== undefined)) return;
    throw new ShapeError(name, 'the whole file', 'has no message; check that it is the right one');
  };
  const openAt = async (index: number) => {
    const first = opened[index]!;
    return files.length > 1 && first.bytes !== undefined ? open(files[index]!, options) : first;
  };
  let latest: ShardSource | undefined;
  const shards = (isKept: boolean) => {
    latest = fileShards(opened, openAt, { isKept, bytes, refuseEmpty });
    return latest;
  };
  let tally: Tally | undefined;
  const messages = async function* () {
    tally = { selected: 0, undated: 0 };
    let read = 0;
    for await (const shard of shards(false).shards(undefined)) {
      for (const message of messagesOf(shard)) {
        read += 1;
        const selected = selectionOf(filters, message);
        if (selected !== 'other') tally[selected] += 1;
        if (selected === 'selected') yield message;
      }
    }
    refuseEmpty(read);
  };
  return {
    close: () => closeAll(opened),
    bytes,
    refuseEmpty,
    get tally() {
      return tally;
    },
    share: () => undefined,
    rows: opened.map(({ rows }) => rows),
    read: () => latest?.read,
    messages: messages(),
    shards: ({ isKept }) => shards(isKept),
  };
}

async function openAll(files: readonly NamedFile[], options: FileOptions): Promise<readonly OpenedFile[]> {
  const opened: OpenedFile[] = [];
  try {
    for (const file of files) {
      const one = await open(file, options);
      opened.push(one);
      // More files may be named than can be open at once.
      if (files.length > 1 && one.bytes !== undefined) await one.close();
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function closeAll(opened: readonly OpenedFile[]): Promise<void> {
  for (const file of opened) await file.close();
}

type Tally = { -readonly [Name in keyof MessageTally]: number };

function* messagesOf(shard: Shard): Generator<MessageDraft, void, undefined> {
  if (shard.kind !== 'lines') return;
  const { source, format } = shard.rows;
  const read = createRowReader(format, source);
  for (const row of rowsOf(shard.block, format)) {
    const message = read(row);
    if (message !== undefined) yield message;
  }
}

async function open({ name, chunks: given }: NamedFile, { map = {}, signal }: FileOptions): Promise<OpenedFile> {
  const source = given ? undefined : await withFileErrors('read', name, () => openFile(name));
  try {
    const isNamedCsv = given === undefined && /\.[ct]sv(?:\.gz)?$/i.test(name);
    const inflating = inflated(abortable(given ?? source!.chunks, signal), name);
    const { chunks, close, ...rows } = await readRowFormat(inflating, { source: name, isNamedCsv, map });
    if (rows.isOfMessages && Object.keys(map).length > 0)
      throw new UsageError({ source: name, fact: 'columns are named, and it has messages with `data`' });
    return {
      chunks,
      share: source?.share,
      rows: { ...rows, name },
      bytes: source?.bytes,
      async close() {
        await close();
        await source?.close();
      },
    };
  } catch (error) {
    await source?.close();
    throw error;
  }
}

/** A position in files: the file, the position in it, and a digest of the files before it. */
const filePosition = z.object({ file: z.number(), before: z.string(), at: z.unknown() });

/** Returns the lines of files as shards. A shard has lines of one file. */
function fileShards(
  opened: readonly OpenedFile[],
  openAt: (index: number) => Promise<OpenedFile>,
  {
    isKept,
    bytes,
    refuseEmpty,
  }: { readonly isKept: boolean; readonly bytes: number | undefined; refuseEmpty(read: number, name: string): void },
): ShardSource {
  const labels = labelsOf(opened.map(({ rows }) => rows.name));
  let read: LinePosition | undefined;
  return {
    get read() {
      return read;
    },
    async *shards(from) {
      const begin = filePosition.safeParse(from).data ?? { file: 0, before: digest([]), at: undefined };
      const ends: LinePosition[] = [];
      let bytesBefore = 0;
      for (const [index, { rows, bytes: size = 0 }] of opened.entries()) {
        const before = digest(ends);
        if (index === begin.file && before !== begin.before) throw changed(opened[index - 1]?.rows.name ?? '');
        const file = await openAt(index);
        const lines = lineShards(
          file,
          { source: rows.name, format: rows.format, file: labels?.[index] },
          { isEager: !isKept },
        );
        let isEmpty = index > begin.file || begin.at === undefined;
        try {
          for await (const shard of lines.shards(index === begin.file ? begin.at : undefined)) {
            isEmpty = false;
            if (index < begin.file) continue;
            const share = !bytes ? undefined : (bytesBefore + size * (shard.share ?? 0)) / bytes;
            const end = shard.end === undefined ? undefined : { file: index, before, at: shard.end };
            yield { ...shard, end, share };
          }
        } finally {
          await file.close();
        }
        if (isEmpty && opened.length > 1) refuseEmpty(0, rows.name);
        ends.push(lines.read!);
        bytesBefore += size;
      }
      read = joinedPosition(ends);
    },
  };
}

/** Returns the names of files in bad rows: without folders, where they differ; undefined for one file. */
function labelsOf(names: readonly string[]): readonly string[] | undefined {
  const short = names.map((name) => basename(name));
  if (names.length === 1) return undefined;
  return new Set(short).size === names.length ? short : names;
}

function changed(name: string): ShapeError {
  return new ShapeError(name, 'the whole file', 'is not as it was when the audit began', { advice: 'replace-results' });
}

import { stat } from 'node:fs/promises';
import { openFile } from '../../audit/source/shards.js';
import { ShapeError } from '../../errors.js';
import { withFileErrors } from '../../files/file-reason.js';
import { parseJson } from '../../files/json.js';
import { type NdjsonLine, readNdjson } from '../../files/ndjson.js';
import { readWholeText, standardInput } from '../input-files.js';
import type { Io } from '../io.js';

/** A file of rows: NDJSON, or one JSON array. */
export interface RowFile {
  /** As errors and results name it. */
  readonly label: string;
  /** Whether it is an array. */
  readonly isArray: () => Promise<boolean>;
  /** The rows with the lines that they begin in. May be iterated over again; each time the file is read anew. */
  readonly rows: () => AsyncIterable<NdjsonLine>;
}

/**
 * Opens a file of rows, `-` for standard input. A file is read in portions, an array whole, as is what can be read once only: standard
 * input and pipes. Throws `UsageError` when it cannot be read, and `ShapeError` while it is read.
 */
export async function openRows(path: string, io: Io, label = path === '-' ? standardInput : path): Promise<RowFile> {
  const kind = path === '-' ? undefined : await withFileErrors('read', path, () => stat(path));
  const isRepeatable = kind?.isFile() === true || kind?.isDirectory() === true;
  const kept = isRepeatable ? undefined : [Buffer.from(await readWholeText(path, io))];
  const chunks = () => kept ?? chunksOf(path);
  return {
    label,
    isArray: () => isArray(chunks()),
    rows: async function* () {
      yield* (await isArray(chunks())) ? readArray(chunks(), label) : readNdjson(chunks(), label);
    },
  };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await withFileErrors('read', path, () => openFile(path));
  try {
    yield* file.chunks;
  } finally {
    await file.close();
  }
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Whether the first character is `[`, which begins no line of a row. */
async function isArray(chunks: Chunks): Promise<boolean> {
  let start = '';
  for await (const chunk of chunks) {
    start = (start + Buffer.from(chunk).toString('latin1')).replace(/^(?:\u00ef\u00bb\u00bf)?\s+/, '');
    const [first] = start.replace(/^\u00ef\u00bb\u00bf/, '');
    if (first !== undefined) return first === '[';
  }
  return false;
}

async function* readArray(chunks: Chunks, label: string): AsyncGenerator<NdjsonLine> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new ShapeError(label, 'the whole text', 'must be utf-8');
  }
  const items = parseJson(text, label) as readonly unknown[];
  const lines = itemLines(text);
  for (const [index, value] of items.entries()) yield { value, line: lines[index] ?? 1 };
}

/** The lines, from 1, in which the items of a JSON array begin. The text is known to be an array. */
function itemLines(text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let isString = false;
  let isBegun = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '\n') line += 1;
    if (isString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isString = false;
      continue;
    }
    if (/\s/.test(sign)) continue;
    if (sign === ']' || sign === '}') depth -= 1;
    if (depth === 1 && sign === ',') isBegun = false;
    else if (depth === 1 && !isBegun) {
      lines.push(line);
      isBegun = true;
    }
    if (sign === '"') isString = true;
    if (sign === '[' || sign === '{') depth += 1;
  }
  return lines;
}

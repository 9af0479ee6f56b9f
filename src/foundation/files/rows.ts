/** Files of rows: NDJSON, or one JSON array. */
import { decodeText, parseJson } from './json.js';
import { type NdjsonLine, readNdjson } from './lines.js';

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Reports whether the first character is `[`, with which no row begins. */
export async function isJsonArray(chunks: Chunks): Promise<boolean> {
  let start = '';
  for await (const chunk of chunks) {
    start = (start + Buffer.from(chunk).toString('latin1')).replace(/^(?:\u00ef\u00bb\u00bf)?\s+/, '');
    const [first] = start.replace(/^\u00ef\u00bb\u00bf/, '');
    if (first !== undefined) return first === '[';
  }
  return false;
}

/**
 * Yields the rows with the lines in which they begin. NDJSON is read in portions, an array whole; `chunks` is called for each reading of
 * the bytes. Throws `ShapeError` that names the line.
 */
export async function* readRows(chunks: () => Chunks, label: string): AsyncGenerator<NdjsonLine> {
  yield* (await isJsonArray(chunks())) ? readArray(chunks(), label) : readNdjson(chunks(), label);
}

async function* readArray(chunks: Chunks, label: string): AsyncGenerator<NdjsonLine> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const text = decodeText(Buffer.concat(parts), label);
  const items = parseJson(text, label) as readonly unknown[];
  const lines = itemLines(text);
  for (const [index, value] of items.entries()) yield { value, line: lines[index] ?? 1 };
}

/** Returns the lines, from 1, in which the items of a JSON array begin. The text must be an array. */
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

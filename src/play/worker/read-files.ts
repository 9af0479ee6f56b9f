/** Reads the files that are dropped on the page: rule sets and messages, by what they hold. */
import { cutRecords } from '../../audit/source/records.js';
import { formatOf } from '../../audit/source/row-format.js';
import { createRowReader, rowsOf } from '../../audit/source/rows.js';
import { asFields } from '../../engine/compile/untrusted.js';
import { ShapeError, SluiceError, UsageError } from '../../foundation/errors.js';
import { notUtf8 } from '../../foundation/files/ndjson.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { PlayRules } from '../handler.js';
import type { DroppedFile, Opened } from './protocol.js';

/** The most that is read of one file once it is unpacked, and of messages. */
const most = { bytes: 256 * 2 ** 20, messages: 1_000_000 };

const tooLarge = (path: string) =>
  new UsageError(`\`${path}\` has more than ${most.bytes / 2 ** 20} MB; give the command line a file of this size`);

interface NamedBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Decodes UTF-8. Throws `ShapeError` for other bytes. */
export function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8(path);
  }
}

/** Reads files. Throws `UsageError` that names the file if one is neither rules nor messages. */
export async function readFiles(files: readonly DroppedFile[]): Promise<Opened> {
  let opened: Opened = {};
  for (const given of files) {
    const file = await contentOf(given);
    const rules = rulesOf(file);
    if (rules !== undefined) opened = { ...opened, rules, rulesName: file.path };
    else opened = { ...opened, ...withMessages(opened, readMessages(file), file.path) };
  }
  if (opened.rules !== undefined || opened.messages !== undefined) return opened;
  throw new UsageError('there is no file; drop a rule set (JSON) or messages (NDJSON, CSV)');
}

function withMessages(opened: Opened, read: ReadMessages, path: string): Opened {
  const messages = [...(opened.messages ?? []), ...read.messages].slice(0, most.messages);
  const messagesName = opened.messagesName === undefined ? path : `${opened.messagesName}, ${path}`;
  return { ...opened, messages, messagesName, note: read.note ?? opened.note };
}

/** Returns the bytes of a file, unpacked. Throws `UsageError` for a folder, and for a file that cannot be read. */
async function contentOf({ path, blob }: DroppedFile): Promise<NamedBytes> {
  const head = await blob
    .slice(0, 2)
    .arrayBuffer()
    .then((bytes) => new Uint8Array(bytes))
    .catch(() => {
      throw new UsageError(`\`${path}\` cannot be read; \`sluice play --rules\` opens folders`);
    });
  const stream = blob.stream() as ReadableStream<Uint8Array>;
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  return { path: path.replace(/\.gz$/, ''), bytes: await readBytes(isGzip ? gunzip(stream) : stream, path) };
}

export function gunzip(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const unpacked: unknown = stream.pipeThrough(new DecompressionStream('gzip') as never);
  return unpacked as ReadableStream<Uint8Array>;
}

/** Reads a stream. Throws `UsageError` for one that is cut off or too large. */
export async function readBytes(stream: ReadableStream<Uint8Array>, path: string): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; ; ) {
    const { done, value } = await reader.read().catch(() => {
      throw new UsageError(`\`${path}\` is cut off or damaged`);
    });
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    length += value.length;
    if (length > most.bytes) throw tooLarge(path);
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the rule set of a JSON file: an object with `rules`, or an array of them; `undefined` for another file. */
function rulesOf({ path, bytes }: NamedBytes): PlayRules | undefined {
  if (!path.endsWith('.json')) return undefined;
  const text = decode(bytes, path);
  const value = parse(text);
  if (Array.isArray(value)) {
    const isOfRules = value.length > 0 && value.every((item) => Array.isArray(asFields(item)?.conditions));
    return isOfRules ? { rules: value, lists: [] } : undefined;
  }
  const fields = asFields(value);
  if (!Array.isArray(fields?.rules)) return undefined;
  return { ...fields, rules: fields.rules, lists: Array.isArray(fields.lists) ? fields.lists : [] } as PlayRules;
}

interface ReadMessages {
  readonly messages: readonly MessageDraft[];
  readonly note?: string;
}

/**
 * Reads messages as `sluice audit` does. Throws what it throws, and `UsageError` if there are none.
 */
export function readMessages({ path, bytes }: NamedBytes): ReadMessages {
  const [messages, faults]: [MessageDraft[], string[]] = [[], []];
  const hints = { source: path, isNamedCsv: /\.[ct]sv$/i.test(path), map: {} };
  const { format } = formatOf(bytes, hints, true)!;
  const { head, records } = format;
  const rows = bytes.subarray(head.bytes);
  const { fault, lines } = cutRecords(rows, records, { source: path, last: undefined, isEnd: true });
  if (fault !== undefined) throw new ShapeError(`${path}:${head.lines + lines + 1}`, 'the whole file', fault);
  const read = createRowReader(format, path);
  for (const row of rowsOf({ bytes: rows, firstLine: head.lines + 1 }, format)) {
    try {
      const message = read(row);
      if (message === undefined) continue;
      if (messages.length < most.messages) messages.push(message);
      else faults.push(`messages beyond ${most.messages}`);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      faults.push(error.message);
    }
  }
  if (messages.length === 0)
    throw new UsageError(`\`${path}\` holds no message${faults[0] === undefined ? '' : `: ${faults[0]}`}`);
  return {
    messages,
    ...(faults.length > 0 && { note: `${faults.length} rows of ${path} were left out: ${faults[0]}` }),
  };
}

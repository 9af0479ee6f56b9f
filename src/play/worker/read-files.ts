/** Reads the files that are dropped on the page: rule sets, folders of them, and messages, by what they hold. */
import { unzipSync } from 'fflate';
import { cutRecords } from '../../audit/source/records.js';
import { formatOf } from '../../audit/source/row-format.js';
import { createRowReader, rowsOf } from '../../audit/source/rows.js';
import { asFields, asList, type Fields } from '../../engine/compile/untrusted.js';
import { ShapeError, SluiceError, UsageError } from '../../foundation/errors.js';
import { notUtf8 } from '../../foundation/files/ndjson.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { ListComments } from '../../platform/contract/rule-set.js';
import { listIdOf, parseTermList } from '../../platform/loader/term-list.js';
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

/**
 * A file whose text is decoded when it is read. Throws `ShapeError` for bytes that are not UTF-8.
 */
interface TextFile extends NamedBytes {
  readonly text: string;
}

const asText = ({ path, bytes }: NamedBytes): TextFile => ({
  path,
  bytes,
  get text() {
    return decode(bytes, path);
  },
});

/** Decodes UTF-8. Throws `ShapeError` for other bytes. */
export function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8(path);
  }
}

/** Reads files. Throws `UsageError` that names the file if one is neither rules nor messages, and `ShapeError` for a damaged list. */
export async function readFiles(files: readonly DroppedFile[]): Promise<Opened> {
  const texts: TextFile[] = [];
  for (const file of files) for (const named of await contentsOf(file)) texts.push(asText(named));
  const inFolder = folderOf(texts);
  let opened: Opened = inFolder === undefined ? {} : { rules: inFolder.rules, rulesName: inFolder.name };
  for (const file of texts) {
    if (inFolder?.has(file.path)) continue;
    const rules = inFolder === undefined ? rulesOf(file) : undefined;
    if (rules !== undefined) opened = { ...opened, rules, rulesName: file.path };
    else opened = { ...opened, ...withMessages(opened, readMessages(file), file.path) };
  }
  if (opened.rules !== undefined || opened.messages !== undefined) return opened;
  throw new UsageError(
    'these files hold neither rules nor messages; drop a rule set (JSON, folder, zip) or messages (NDJSON, CSV)',
  );
}

function withMessages(opened: Opened, read: ReadMessages, path: string): Opened {
  const messages = [...(opened.messages ?? []), ...read.messages].slice(0, most.messages);
  const messagesName = opened.messagesName === undefined ? path : `${opened.messagesName}, ${path}`;
  return { ...opened, messages, messagesName, note: read.note ?? opened.note };
}

/** Returns the bytes of a file, unpacked, or those of the files in a zip. */
async function contentsOf({ path, blob }: DroppedFile): Promise<readonly NamedBytes[]> {
  const head = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  const isZip = head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
  if (!isZip) {
    const stream = blob.stream() as ReadableStream<Uint8Array>;
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    return [{ path: path.replace(/\.gz$/, ''), bytes: await readBytes(isGzip ? gunzip(stream) : stream, path) }];
  }
  let bytes = 0;
  const entries = unzipSync(new Uint8Array(await blob.arrayBuffer()), {
    filter: ({ name, originalSize }) => {
      bytes += originalSize;
      if (bytes > most.bytes) throw tooLarge(path);
      return /\.(?:json|txt|ndjson|jsonl|csv|tsv)$/.test(name) && !name.startsWith('__MACOSX/');
    },
  });
  return Object.entries(entries).map(([name, bytes]) => ({ path: name, bytes }));
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

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the rule set of a folder with `rules.json`, `lists/ID.txt` and `semantics.json`; `undefined` without the first of them. */
function folderOf(files: readonly TextFile[]) {
  const main = files.find(({ path }) => path === 'rules.json' || path.endsWith('/rules.json'));
  if (main === undefined || files.length === 1) return undefined;
  const root = main.path.slice(0, -'rules.json'.length);
  const file = (name: string) => files.find(({ path }) => path === root + name);
  const value = parse(main.text);
  const fields = Array.isArray(value)
    ? { rules: value, lists: parse(file('lists.json')?.text ?? '') }
    : asFields(value);
  if (!Array.isArray(fields?.rules))
    throw new UsageError(`\`${main.path}\` must be a rule set, or an array of rules, in JSON`);
  const own = files.filter(({ path }) => path.startsWith(`${root}lists/`) && path.endsWith('.txt'));
  const comments = new Map(Object.entries(asFields(fields.comments) ?? {}) as [string, ListComments][]);
  const lists = new Map(asList(fields.lists).map((list) => [asFields(list)?.id, list as Fields]));
  for (const { path, text } of own) {
    const id = listIdOf(baseName(path));
    const { head, terms, comments: noted } = parseTermList(text, path);
    const { owner, ...named } = head;
    lists.set(id, { id, ...lists.get(id), ...named, searchTerms: terms });
    comments.set(id, { owner, terms: Object.fromEntries(noted) });
  }
  const readings = file('semantics.json');
  const semantics = readings === undefined ? fields.semantics : parse(readings.text);
  if (readings !== undefined && semantics === undefined) throw new UsageError(`\`${readings.path}\` must be JSON`);
  const rules = {
    ...fields,
    lists: [...lists.values()] as unknown as KeywordList[],
    semantics,
    comments: Object.fromEntries(comments),
  } as unknown as PlayRules;
  const paths = new Set([main, readings, file('lists.json'), ...own].map((one) => one?.path ?? ''));
  // Other files of a repository, such as golden cases, are neither rules nor messages.
  const has = (path: string) => (root === '' ? paths.has(path) : path.startsWith(root));
  return { rules, name: root === '' ? main.path : root, has };
}

/** Returns the rule set of a JSON file: an object with `rules`, or an array of them; `undefined` for another file. */
function rulesOf(file: TextFile): PlayRules | undefined {
  if (!file.path.endsWith('.json') || !/^\s*[[{]/.test(file.text)) return undefined;
  const { text } = file;
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

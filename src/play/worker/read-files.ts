/** Reads the files that are opened on the page: rule sets and messages, by what they hold. */
import type { ColumnMap } from '../../audit/source/columns.js';
import { cutRecords } from '../../audit/source/records.js';
import { formatOf } from '../../audit/source/row-format.js';
import { createRowReader, rowsOf } from '../../audit/source/rows.js';
import { asFields } from '../../engine/compile/untrusted.js';
import { ownSemantics } from '../../engine/semantics.js';
import { ShapeError, SluiceError, UsageError } from '../../foundation/errors.js';
import { decodeText } from '../../foundation/files/json.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { names, parseRuleFile, type RuleFiles, readRuleFiles } from '../../platform/loader/rule-files.js';
import type { PlayRules } from '../handler.js';
import type { DroppedFile, Opened } from './protocol.js';

/** The largest size of a file once it is unpacked, and the largest number of messages. */
const most = { bytes: 256 * 2 ** 20, messages: 1_000_000 };

interface NamedBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads files as the command line reads them. `map` names the columns of messages. Throws what
 * `readRuleFiles` and the readers of messages throw, such as `ColumnError` if the column of the
 * text is unknown.
 */
export async function readFiles(files: readonly DroppedFile[], map: ColumnMap = {}): Promise<Opened> {
  if (files.length === 0) throw new UsageError('there are neither rules nor messages in it');
  const folder = folderOf(files);
  const rules = folder && (await readRuleFiles(folder));
  let opened: Opened = rules === undefined ? {} : { ...withRules(rules), rulesName: folder!.folder || names.rules };
  for (const file of files) {
    if (folder?.isPart(file.path)) continue;
    const named = await contentsOf(file);
    const content = folder === undefined && isRuleSet(named) ? ruleSetOf(named) : undefined;
    if (content !== undefined) opened = { ...opened, ...withRules(content), rulesName: named.path };
    else opened = withMessages(opened, readMessages(named, map), named.path);
  }
  return opened;
}

function withRules({ revision: _, ...rules }: Omit<RuleSet, 'revision'> & { readonly revision?: string }): Opened {
  return { rules: rules as PlayRules, note: rules.notices?.map(({ detail }) => detail).join('; ') };
}

function withMessages(opened: Opened, read: ReadMessages, path: string): Opened {
  const messages = [...(opened.messages ?? []), ...read.messages].slice(0, most.messages);
  const messagesName = opened.messagesName === undefined ? path : `${opened.messagesName}, ${path}`;
  return { ...opened, messages, messagesName, note: read.note ?? opened.note };
}

/** Returns the folder of `rules.json`; undefined if that is a file by itself. */
function folderOf(files: readonly DroppedFile[]) {
  const mains = files.filter(({ path }) => path === names.rules || path.endsWith(`/${names.rules}`));
  const [main] = mains.sort((a, b) => a.path.length - b.path.length);
  if (main === undefined) return undefined;
  const root = main.path.slice(0, -names.rules.length);
  const inFolder = files.filter(({ path }) => path.startsWith(root));
  const byName = new Map(inFolder.map((file) => [file.path.slice(root.length), file]));
  const folder: RuleFiles = {
    folder: root,
    pathOf: (name) => root + name,
    has: async (name) => byName.has(name),
    read: async (name) => (await contentsOf(byName.get(name)!)).bytes,
    listNames: async () => [...byName.keys()].flatMap((name) => /^lists\/([^/]+)$/.exec(name)?.[1] ?? []),
  };
  const isName = (name: string) => /^(?:rules|semantics|lists)\.json$|^lists\//.test(name);
  if (root === '' && [...byName.keys()].filter(isName).length === 1) return undefined;
  // Other files of a repository, such as golden cases, are neither rules nor messages.
  return { ...folder, isPart: (path: string) => (root === '' ? isName(path) : path.includes('/')) };
}

/**
 * Reads a file, and inflates it if it is gzip. Throws `UsageError` for a folder that was dropped.
 */
async function contentsOf({ path, blob }: DroppedFile): Promise<NamedBytes> {
  const head = await blob
    .slice(0, 2)
    .arrayBuffer()
    .catch(() => undefined);
  if (head === undefined) throw new UsageError(`\`${path}\` cannot be read; “Open folder” opens a folder of rules`);
  const [first, second] = new Uint8Array(head);
  const stream = blob.stream() as ReadableStream<Uint8Array>;
  const isGzip = first === 0x1f && second === 0x8b;
  return { path, bytes: await readBytes(isGzip ? gunzip(stream) : stream, path) };
}

export function gunzip(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const unpacked: unknown = stream.pipeThrough(new DecompressionStream('gzip') as never);
  return unpacked as ReadableStream<Uint8Array>;
}

/** Reads a stream. Throws `ShapeError` for a damaged one, and `UsageError` for one too large. */
export async function readBytes(stream: ReadableStream<Uint8Array>, path: string): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; ; ) {
    const { done, value } = await reader.read().catch(() => {
      throw new ShapeError(path, 'the whole stream', 'is cut off, or damaged gzip');
    });
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    length += value.length;
    if (length > most.bytes) {
      const size = `${most.bytes / 2 ** 20} MB`;
      throw new UsageError(`\`${path}\` has more than ${size}; give the command line a file of this size`);
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
}

/** Reports whether a file is to be read as a rule set: JSON with rules, well formed or not. */
function isRuleSet({ path, bytes }: NamedBytes): boolean {
  if (!/\.json(?:\.gz)?$/.test(path)) return false;
  const text = new TextDecoder().decode(bytes);
  if (!/^\s*[[{]/.test(text) || !/"(?:rules|conditions)"\s*:/.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.every((item) => Array.isArray(asFields(item)?.conditions));
    return asFields(value)?.rules !== undefined;
  } catch {
    return /^\s*\{[^{]*"(?:rules|lists)"\s*:/.test(text);
  }
}

function ruleSetOf({ path, bytes }: NamedBytes): Omit<RuleSet, 'revision'> {
  const { content } = parseRuleFile(path, decodeText(bytes, path, 'the whole value'));
  if (content.semantics !== undefined) ownSemantics(content.semantics, `${path}: \`semantics\``);
  return content;
}

interface ReadMessages {
  readonly messages: readonly MessageDraft[];
  readonly note?: string;
}

/**
 * Reads messages as `sluice audit` does, and leaves out rows that hold no message. Throws its error
 * if all rows are such.
 */
function readMessages({ path, bytes }: NamedBytes, map: ColumnMap): ReadMessages {
  const [messages, faults]: [MessageDraft[], SluiceError[]] = [[], []];
  const hints = { source: path, isNamedCsv: /\.[ct]sv(?:\.gz)?$/i.test(path), map };
  const { format, isOfMessages } = formatOf(bytes, hints, true)!;
  if (isOfMessages && Object.keys(map).length > 0)
    throw new UsageError({ source: path, fact: 'columns are named, and it has messages with `data`' });
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
      else faults.push(new UsageError(`messages beyond ${most.messages}`));
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      faults.push(error);
    }
  }
  const [first] = faults;
  if (messages.length > 0)
    return { messages, ...(first && { note: `${faults.length} rows of ${path} were left out: ${first.message}` }) };
  throw first ?? new ShapeError(path, 'the whole file', 'has no message; check that it is the right one');
}

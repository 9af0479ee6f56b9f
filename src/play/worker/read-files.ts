/** Reads the files that are dropped on the page: rule sets, folders of them, and messages, by what they hold. */
import { unzipSync } from 'fflate';
import { columnsOf, messageOfCells, secondsOf } from '../../audit/source/columns.js';
import { asFields, asList, type Fields } from '../../engine/compile/untrusted.js';
import { faultOfMessage } from '../../engine/evaluate/message-text.js';
import { SluiceError, UsageError } from '../../foundation/errors.js';
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

interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Reads files. Throws `UsageError` that names the file if one is neither rules nor messages, and `ShapeError` for a damaged list. */
export async function readFiles(files: readonly DroppedFile[]): Promise<Opened> {
  const texts: TextFile[] = [];
  for (const file of files) for (const text of await textsOf(file)) texts.push(text);
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

/** Returns the texts of a file: its own, unpacked, or those of a zip. */
async function textsOf({ path, blob }: DroppedFile): Promise<readonly TextFile[]> {
  const head = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  const isZip = head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
  if (!isZip) {
    const stream = blob.stream() as ReadableStream<Uint8Array>;
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    return [{ path: path.replace(/\.gz$/, ''), text: await readText(isGzip ? gunzip(stream) : stream, path) }];
  }
  let bytes = 0;
  const entries = unzipSync(new Uint8Array(await blob.arrayBuffer()), {
    filter: ({ name, originalSize }) => {
      bytes += originalSize;
      if (bytes > most.bytes) throw tooLarge(path);
      return /\.(?:json|txt|ndjson|jsonl|csv|tsv)$/.test(name) && !name.startsWith('__MACOSX/');
    },
  });
  return Object.entries(entries).map(([name, content]) => ({ path: name, text: new TextDecoder().decode(content) }));
}

export function gunzip(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const unpacked: unknown = stream.pipeThrough(new DecompressionStream('gzip') as never);
  return unpacked as ReadableStream<Uint8Array>;
}

/** Reads a stream as UTF-8. Throws `UsageError` for a stream that is cut off or too large. */
export async function readText(stream: ReadableStream<Uint8Array>, path: string): Promise<string> {
  const [decoder, reader] = [new TextDecoder(), stream.getReader()];
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new UsageError(`\`${path}\` is cut off or damaged`);
    });
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > most.bytes) throw tooLarge(path);
    text += decoder.decode(value, { stream: true });
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
function rulesOf({ path, text }: TextFile): PlayRules | undefined {
  if (!/^\s*[[{]/.test(text) || !path.endsWith('.json')) return undefined;
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

/** Reads messages: NDJSON, an array, or CSV with a header. Throws `UsageError` if there are none. */
export function readMessages({ path, text }: TextFile): ReadMessages {
  const [messages, faults]: [MessageDraft[], string[]] = [[], []];
  for (const { value, line } of rowsOf(text, path)) {
    try {
      if (messages.length < most.messages) messages.push(messageOf(value, `line ${line}`));
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

function* rowsOf(text: string, path: string): Generator<{ readonly value: unknown; readonly line: number }> {
  const first = /^\ufeff?\s*([[{]?)/.exec(text)?.[1];
  if (first === '' || /\.[ct]sv$/.test(path)) {
    yield* csvRows(text);
    return;
  }
  const whole = first === '[' ? parse(text) : undefined;
  if (Array.isArray(whole)) {
    for (const [index, value] of whole.entries()) yield { value, line: index + 1 };
    return;
  }
  for (let at = 0, line = 1; at < text.length; line++) {
    const end = text.indexOf('\n', at);
    const written = text.slice(at, end < 0 ? undefined : end).replace(/^\ufeff/, '');
    if (written.trim() !== '') yield { value: parse(written), line };
    at = end < 0 ? text.length : end + 1;
  }
}

/** Reads CSV with a header (RFC 4180), whose delimiter is the sign of the header that makes most columns of it. */
function* csvRows(text: string): Generator<{ readonly value: unknown; readonly line: number }> {
  const header = text.slice(0, Math.max(0, text.search(/[\r\n]|$/)));
  const [delimiter] = [',', '\t', ';'].sort((a, b) => header.split(b).length - header.split(a).length);
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|((?:[^"${delimiter}\\r\\n][^${delimiter}\\r\\n]*)?))(${delimiter}|\\r?\\n|\\r|$)`,
    'y',
  );
  let names: string[] | undefined;
  let cells: string[] = [];
  for (let line = 1, start = 1; cell.lastIndex < text.length; ) {
    const [whole = '', quoted, plain = '', end] = cell.exec(text) ?? [];
    if (end === undefined) throw new UsageError(`line ${start} of the CSV has a quotation mark that does not end`);
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.split('\n').length - 1;
    if (end === delimiter && cell.lastIndex < text.length) continue;
    if (names === undefined) names = cells.map((name) => name.replace(/^\ufeff/, '').trim());
    else if (cells.length > 1 || cells[0] !== '') {
      yield { value: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])), line: start };
    }
    cells = [];
    start = line;
  }
}

/** Returns the message of a row: a message, or columns of which one is the text. Throws `SluiceError` that names the place. */
function messageOf(value: unknown, place: string): MessageDraft {
  const fields = asFields(value);
  if (fields === undefined) throw new UsageError(`${place} must be an object in JSON`);
  if (fields.data !== undefined && fields.data !== null) {
    const fault = faultOfMessage(fields);
    if (fault !== undefined) throw new UsageError(`${place}: a message ${fault}`);
    const time = secondsOf(fields.sentAt);
    return Number.isNaN(time) || time === fields.sentAt ? (fields as MessageDraft) : { ...fields, sentAt: time };
  }
  const columns = columnsOf(Object.keys(fields), {});
  if ('fault' in columns) {
    if (columns.isTextless && faultOfMessage(fields) === undefined) return fields as MessageDraft;
    throw new UsageError(`${place} ${columns.fault}`);
  }
  return messageOfCells(fields, columns, { columns, place: () => place });
}

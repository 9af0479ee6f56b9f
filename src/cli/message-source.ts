import { type FileHandle, open } from 'node:fs/promises';
import { readNdjson } from '../audit/ndjson.js';
import type { Client } from '../client/client.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { withFileWords } from './file-error.js';
import type { Io } from './io.js';
import { type MessageFilters, passes, queryOf } from './message-filters.js';
import { parseDraft } from './parse-draft.js';
import { bytesOf, standardInput } from './standard-input.js';

/** Messages to judge, and how far the reading has come. */
export interface MessageSource {
  readonly messages: AsyncIterable<MessageDraft>;
  /** Share that has been read, 0..1, once `latest` has come; `undefined` where nobody can know. */
  readonly share: (latest: MessageDraft) => number | undefined;
}

/** Messages of an NDJSON file, `-` for standard input. Throws `UsageError` when it cannot be opened. */
export async function messagesOfFile(path: string, filters: MessageFilters, io: Io): Promise<MessageSource> {
  if (path === '-') return { messages: parseLines(bytesOf(io.stdin), standardInput, filters), share: () => undefined };
  const file = await withFileWords('read', path, () => openFile(path));
  const { size } = await file.stat();
  let bytes = 0;
  const chunks = async function* () {
    for await (const chunk of file.createReadStream({ highWaterMark: 1 << 18 })) {
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  return { messages: parseLines(chunks(), path, filters), share: () => (size === 0 ? undefined : bytes / size) };
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path);
  if (!(await file.stat()).isDirectory()) return file;
  await file.close();
  throw Object.assign(new Error('is a directory'), { code: 'EISDIR', syscall: 'open' });
}

async function* parseLines(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
  filters: MessageFilters,
): AsyncGenerator<MessageDraft> {
  for await (const { value, line } of readNdjson(chunks, source)) {
    const message = parseDraft(value, `${source}:${line}`);
    if (passes(filters, message)) yield message;
  }
}

/**
 * Messages of a platform (§4.2). The list says nothing of its length, so the share is taken from times: where the
 * latest message stands between the first one and the newest, which is asked for beforehand when `measured`.
 */
export async function messagesOfPlatform(
  client: Client,
  filters: MessageFilters,
  signal: AbortSignal,
  { measured }: { readonly measured: boolean },
): Promise<MessageSource> {
  const query = queryOf(filters);
  const options = { onBehalfOf: filters.onBehalfOf, signal };
  const newest = measured ? await newestTime(client, filters, signal) : undefined;
  let first: number | undefined;
  return {
    messages: client.messages.iterate(query, options),
    share: ({ sentAt }) => {
      if (typeof sentAt !== 'number') return undefined;
      first ??= sentAt;
      if (newest === undefined || newest <= first) return undefined;
      return Math.min(1, Math.max(0, (sentAt - first) / (newest - first)));
    },
  };
}

/** `prepend` without a message id reads backwards from the end, where a platform takes it; a guess, so never an error. */
async function newestTime(client: Client, filters: MessageFilters, signal: AbortSignal): Promise<number | undefined> {
  const query = { ...queryOf(filters), affix: 'prepend', limit: 1 } as const;
  try {
    const { data } = await client.messages.list(query, { onBehalfOf: filters.onBehalfOf, signal });
    return data[0]?.sentAt;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

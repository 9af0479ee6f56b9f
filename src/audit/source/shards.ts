/**
 * The messages of an audit, cut into shards: stretches that are judged one by one or in parallel, with results in their order. A source can begin
 * after any of its shards.
 */
import * as z from 'zod';
import type { ByteSource } from '../../foundation/files/open-file.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { JudgedPart } from '../judge.js';
import type { Lines } from '../judge-lines.js';
import { type BlockOptions, type LineBlock, type LinePosition, lineBlocks } from './line-blocks.js';
import { type ListMessages, timeWindows, type WindowOptions, type WindowPosition } from './time-windows.js';
import { undatedMessages } from './undated.js';

/** A stretch of the messages. */
export type Shard = {
  /** The position after it, as JSON; absent if the shard is incomplete, or if no run can begin after it. */
  readonly end?: unknown;
  /** Share of the source that has been read, up to the end of this one, 0 to 1; absent where the whole is unknown. */
  readonly share?: number | undefined;
} & (
  | { readonly kind: 'lines'; readonly block: LineBlock; readonly rows: RowSource }
  | { readonly kind: 'messages'; readonly messages: readonly MessageDraft[] }
);

/** The file that the lines of a shard are of, and how its rows are read. */
type RowSource = Pick<Lines, 'source' | 'format' | 'file'>;

export interface ShardSource {
  /** The shards after a position that one of them had as its `end`; all of them without. */
  shards(from: unknown): AsyncIterable<Shard>;
  /** Length and digest of a file, once all shards were read. */
  readonly read?: LinePosition | undefined;
}

/** Judges a shard, given the number of rows or messages of the source before it. */
export type JudgeShard<Part> = (shard: Shard, before: number) => JudgedPart<Part> | Promise<JudgedPart<Part>>;

/** Returns the lines of a shard as plain data. */
export function linesOf({ block, rows }: Extract<Shard, { readonly kind: 'lines' }>, before: number): Lines {
  const { bytes, firstLine } = block;
  return { bytes, firstLine, ...rows, before };
}

const linePosition = z.object({ bytes: z.number(), lines: z.number(), sha256: z.string() });
const windowPosition = z.object({
  from: z.number(),
  seconds: z.number(),
  hasUndated: z.boolean().optional(),
  /** Number of messages without a time that were yielded after the last window. */
  undated: z.number().optional(),
});

/** Returns the lines of a stream, or its other records, as shards. */
export function lineShards(
  { chunks, share }: ByteSource,
  rows: RowSource,
  options: Pick<BlockOptions, 'size' | 'isEager'> = {},
): ShardSource {
  const { records, head } = rows.format;
  let read: LinePosition | undefined;
  return {
    get read() {
      return read;
    },
    async *shards(from) {
      const position = linePosition.safeParse(from).data;
      const blocks = lineBlocks(chunks, rows.source, { ...options, records, head, from: position });
      for (let step = await blocks.next(); ; step = await blocks.next()) {
        if (step.done === true) {
          read = step.value;
          return;
        }
        yield { kind: 'lines', block: step.value, rows, end: step.value.end, share: share?.() };
      }
    },
  };
}

/** Windows of time that an audit fetches at once: fewer than the requests that a client has under way. */
const windowsAtOnce = 16;

/** Which windows are shards. */
interface WindowShardOptions extends Omit<WindowOptions, 'from'> {
  readonly since?: number | undefined;
  /** Whether the query selects a window of time: then messages without a time are left out. */
  readonly isBounded?: boolean | undefined;
  readonly pageSize?: number | undefined;
}

/**
 * Messages of a platform as shards: windows of time, up to and including a second, then the messages without a time. No window has the latter, so the
 * whole query is listed for them if a window or the end of the list has one, and otherwise only until it is certain that there are none.
 */
export function windowShards(list: ListMessages, options: WindowShardOptions): ShardSource {
  const { since, until, width = windowsAtOnce, signal, isBounded = since !== undefined, pageSize = 1000 } = options;
  return {
    async *shards(from) {
      const begin = since === undefined ? undefined : { from: Math.ceil(since), seconds: until - Math.ceil(since) + 1 };
      const kept = windowPosition.safeParse(from).data;
      let position: WindowPosition | undefined = kept ?? begin;
      let first = since ?? position?.from;
      for await (const { messages, end } of timeWindows(list, { from: position, until, width, signal })) {
        if (first === undefined && typeof messages[0]?.sentAt === 'number') first = messages[0].sentAt;
        const share =
          first === undefined || until <= first
            ? undefined
            : Math.min(1, ((end?.from ?? first) - first) / (until - first));
        yield { kind: 'messages', messages, end, share };
        position = end ?? position;
      }
      const last = { from: until + 1, seconds: position?.seconds ?? 1, hasUndated: true };
      const isKnown = position?.hasUndated === true;
      const undated = undatedMessages(list, { isKnown, isBounded, pageSize, signal: signal ?? never });
      yield* shardsOf(undated, last, kept?.undated ?? 0);
    },
  };
}

const never = new AbortController().signal;

/** Number of messages of a shard after the windows. */
const mostUndated = 2800;

/** Yields the messages without a time in shards, without the first `done`. */
async function* shardsOf(
  messages: AsyncIterable<MessageDraft>,
  position: WindowPosition,
  done: number,
): AsyncGenerator<Shard, void, undefined> {
  let count = 0;
  let shard: MessageDraft[] = [];
  const whole = (): Shard => ({
    kind: 'messages',
    messages: shard,
    share: 1,
    end: { ...position, undated: count },
  });
  for await (const message of messages) {
    count += 1;
    if (count > done) shard.push(message);
    if (shard.length < mostUndated) continue;
    yield whole();
    shard = [];
  }
  if (shard.length > 0) yield whole();
}

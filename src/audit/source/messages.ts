/**
 * The messages of a command, as a stream and in blocks, under the same filters; those of a
 * platform. Those of files are in `message-files.ts`.
 */
import { isRefusal } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { pageLimit } from '../../platform/contract/message-query.js';
import type { BlockSource, Position } from './blocks.js';
import { blocksOfPlatform } from './listed-blocks.js';
import { hasWindow, isDated, type ListCall, listCallOf, type MessageFilters } from './message-selection.js';
import type { FoundRows } from './row-format.js';
import type { ListMessages } from './windows.js';

/** The messages to judge, and how many of them a request of a platform lists: as many as it may, unless fewer are given. */
interface ListedMessages extends MessageFilters {
  readonly pageSize?: number | undefined;
}

/** How messages are cut into blocks. */
interface BlockOptions {
  /** The last second of a query without an end: `newest`, or the clock. Has no meaning for a file. */
  readonly until: number | undefined;
  /** Whether they are kept, so that a run can go on behind each of them. */
  readonly isKept: boolean;
}

/** How many messages a stream had. */
export interface MessageTally {
  /** Those that the filters select. */
  readonly selected: number;
  /** Those that they left out because they have no time. */
  readonly undated: number;
}

/** A stream of messages, and its progress; to be read once, in one of two ways. */
export interface MessageSource {
  readonly messages: AsyncIterable<MessageDraft>;
  /** Messages read from `messages` so far; undefined before that is begun. */
  readonly tally: MessageTally | undefined;
  /** The share that has been read, 0..1, up to the message `latest`; `undefined` where the whole is unknown. */
  readonly share: (latest: MessageDraft) => number | undefined;
  /** The same messages in blocks, those of a query without an end up to and including a second. */
  readonly blocks: (options: BlockOptions) => BlockSource;
  /** The formats of files. */
  readonly rows?: readonly FoundRows[];
  /** Bytes, lines and digest of files, once all of their blocks were read. */
  readonly read?: () => Position | undefined;
  /** Bytes of the files; undefined if they are not known. */
  readonly bytes?: number | undefined;
  /** The second of the last message that there is; only of a query of a platform without an end. */
  readonly newest?: () => Promise<number | undefined>;
  /** Throws `ShapeError` if `read` is 0, for a file that must have messages. The stream `messages` does that itself. */
  readonly refuseEmpty?: (read: number) => void;
  /** Closes a file that was not read to its end. */
  readonly close?: () => Promise<void>;
}

/** Lists messages: `messages` of a client. */
interface MessageLister {
  iterate(...call: ListCall): AsyncIterable<MessageDraft>;
  list(...call: ListCall): Promise<{ readonly data: readonly MessageDraft[] }>;
}

/**
 * Messages of a platform (§4.2). A list has no total, so the share comes from times: the position of the latest message
 * between the first one and the newest, which is fetched beforehand when `measured`.
 */
export async function messagesOfPlatform(
  lister: MessageLister,
  { pageSize: limit = pageLimit.max, ...filters }: ListedMessages,
  signal: AbortSignal,
  { measured }: { readonly measured: boolean },
): Promise<MessageSource> {
  const newest = measured ? await newestTime(lister, filters, signal) : undefined;
  let first: number | undefined;
  let tally: { -readonly [Name in keyof MessageTally]: number } | undefined;
  const messages = async function* () {
    tally = { selected: 0, undated: 0 };
    for await (const message of lister.iterate(...listCallOf(filters, { limit }, signal))) {
      const isLeftOut = hasWindow(filters) && !isDated(message);
      tally[isLeftOut ? 'undated' : 'selected'] += 1;
      if (!isLeftOut) yield message;
    }
  };
  const share = ({ sentAt }: MessageDraft) => {
    if (typeof sentAt !== 'number') return undefined;
    first ??= sentAt;
    if (newest === undefined || newest <= first) return undefined;
    return Math.min(1, Math.max(0, (sentAt - first) / (newest - first)));
  };
  const { since, until: end } = filters;
  const list: ListMessages = (window, ending) => lister.iterate(...listCallOf(filters, { limit, ...window }, ending));
  return {
    messages: messages(),
    get tally() {
      return tally;
    },
    share,
    blocks: ({ until = Math.floor(Date.now() / 1000) }) =>
      blocksOfPlatform(list, {
        since,
        until: end ?? until,
        isBounded: hasWindow(filters),
        pageSize: limit,
        signal,
      }),
    ...(end === undefined && {
      newest: async () => newest ?? (await newestTime(lister, filters, signal, { isNeeded: true })),
    }),
  };
}

/**
 * `prepend` without a message id reads backwards from the end, if the platform accepts that; its refusal is not an error. Other failures are errors
 * if the time `isNeeded`, since the clock of this machine may be behind the platform's.
 */
async function newestTime(
  lister: MessageLister,
  filters: MessageFilters,
  signal: AbortSignal,
  { isNeeded = false } = {},
): Promise<number | undefined> {
  try {
    const { data } = await lister.list(...listCallOf(filters, { affix: 'prepend', limit: 1 }, signal));
    const [newest] = data;
    return newest !== undefined && isDated(newest) ? newest.sentAt : undefined;
  } catch (reason) {
    signal.throwIfAborted();
    if (isNeeded && !isRefusal(reason)) throw reason;
    return undefined;
  }
}

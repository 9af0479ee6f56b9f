/**
 * The messages of a command, in blocks or one by one, and those that a platform lists;
 * `message-files.ts` has the messages of files.
 */
import { isRefusal } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { pageLimit } from '../../platform/contract/message-query.js';
import type { BlockSource, Position, RowBlock } from './blocks.js';
import { blocksOfPlatform } from './listed-blocks.js';
import {
  hasWindow,
  isDated,
  type ListCall,
  listCallOf,
  type MessageFilters,
  selectionOf,
} from './message-selection.js';
import type { FoundRows } from './row-format.js';
import { createRowReader, rowsOf } from './rows.js';
import type { ListMessages } from './windows.js';

/** The options of dividing messages into blocks. */
interface BlockOptions {
  /** The last second of a query without an end: `newest`. Not used for files. */
  readonly until: number | undefined;
  /** Whether blocks are kept, so that a run can resume after each of them. */
  readonly isKept: boolean;
}

/** Messages that are read once. */
export interface MessageSource {
  /**
   * Returns the messages in blocks; those of a query without an end up to and including `until`.
   */
  readonly blocks: (options: BlockOptions) => BlockSource;
  /** The formats of files. */
  readonly rows?: readonly FoundRows[];
  /** Bytes, lines and digest of files, once all of their blocks were read. */
  readonly read?: () => Position | undefined;
  /** Bytes of the files; undefined if they are not known. */
  readonly bytes?: number | undefined;
  /**
   * The last second of a query of a platform without an end, that of the newest message: those that
   * come later belong to the next query.
   */
  readonly newest?: () => Promise<number>;
  /** Throws `ShapeError` if `read` is 0, for a file that must have messages. */
  readonly refuseEmpty?: (read: number) => void;
  /** Closes a file that was not read to its end. */
  readonly close?: () => Promise<void>;
}

/** Lists messages: `messages` of a client. */
interface MessageLister {
  iterate(...call: ListCall): AsyncIterable<MessageDraft>;
  list(...call: ListCall): Promise<{ readonly data: readonly MessageDraft[] }>;
}

/** Returns the messages that a platform lists (§4.2) under filters. */
export function messagesOfPlatform(lister: MessageLister, filters: MessageFilters, signal: AbortSignal): MessageSource {
  const { since, until: end } = filters;
  const list: ListMessages = (window, ending) =>
    lister.iterate(...listCallOf(filters, { limit: pageLimit.max, ...window }, ending));
  const isBounded = hasWindow(filters);
  return {
    blocks: ({ until = nowInSeconds() }) => blocksOfPlatform(list, { since, until: end ?? until, isBounded, signal }),
    ...(end === undefined && { newest: () => newestSecond(lister, filters, signal) }),
  };
}

const nowInSeconds = () => Math.floor(Date.now() / 1000);

/**
 * Yields the messages of a source that filters select, one by one. Rejects as its blocks do, and
 * for a row that holds no message.
 */
export async function* readMessages(source: MessageSource, filters: MessageFilters) {
  const { onBehalfOf: _, ...selection } = filters;
  let read = 0;
  for await (const block of source.blocks({ until: await source.newest?.(), isKept: false }).blocks(undefined)) {
    for (const message of 'messages' in block ? block.messages : messagesOfRows(block)) {
      read += 1;
      // The platform selected the messages that have a time.
      const isChosen = 'messages' in block && (isDated(message) || !hasWindow(filters));
      const selected = isChosen ? 'selected' : selectionOf(selection, message);
      if (selected === 'selected') yield message;
    }
  }
  source.refuseEmpty?.(read);
}

function* messagesOfRows(block: RowBlock): Generator<MessageDraft, void, undefined> {
  const read = createRowReader(block.format, block.source);
  for (const row of rowsOf(block, block.format)) {
    const message = read(row);
    if (message !== undefined) yield message;
  }
}

/**
 * Returns the second of the newest message: `prepend` without a message id reads backwards from the
 * end. If the platform refuses that, the second is that of the clock of this machine, which may be
 * slow.
 */
async function newestSecond(lister: MessageLister, filters: MessageFilters, signal: AbortSignal): Promise<number> {
  try {
    const { data } = await lister.list(...listCallOf(filters, { affix: 'prepend', limit: 1 }, signal));
    const [newest] = data;
    return newest !== undefined && isDated(newest) ? Math.floor(newest.sentAt) : nowInSeconds();
  } catch (reason) {
    signal.throwIfAborted();
    if (!isRefusal(reason)) throw reason;
    return nowInSeconds();
  }
}

import type { ConversationParties, StoredMessage } from './conversation-ids.js';
import type { LineStore } from './line-store.js';
import type { MessageColumns } from './message-columns.js';
import { flag } from './message-flags.js';
import type { MessageIds } from './message-ids.js';
import type { MessageKind } from './message-kinds.js';
import type { Names } from './names.js';

/** All messages, by position: columns to choose by, and lines to serve from. */
export interface MessageTable {
  readonly size: number;
  readonly columns: MessageColumns;
  /** Uids of senders, by number. */
  readonly senders: Names;
  /** By number. */
  readonly conversations: readonly ConversationParties[];
  /** By number. */
  readonly kinds: readonly MessageKind[];
  /** Positions of messages with a tag, by tag. */
  readonly tagged: ReadonlyMap<string, Uint32Array>;
  /** Positions of messages that mention a user, by uid. */
  readonly mentioning: ReadonlyMap<string, Uint32Array>;
  readonly has: (position: number, flags: number) => boolean;
  readonly positionOf: (id: string) => number | undefined;
  readonly idAt: (position: number) => string;
  readonly senderAt: (position: number) => string;
  /** The line of a message: its row as JSON. */
  readonly lineAt: (position: number) => string;
  /** The same as bytes. */
  readonly bytesAt: (position: number) => Buffer;
  /** The message, read from its line. */
  readonly read: (position: number) => StoredMessage;
}

/** What a table is put together from. */
export interface MessageParts
  extends Pick<MessageTable, 'size' | 'columns' | 'senders' | 'conversations' | 'kinds' | 'tagged' | 'mentioning'> {
  readonly ids: MessageIds;
  readonly lines: LineStore;
}

/** The table over its parts. */
export function createMessageTable({ ids, lines, ...shown }: MessageParts): MessageTable {
  const { columns, senders, conversations } = shown;
  const { flags, sender, conversation, segment, start, length } = columns;
  const has = (position: number, asked: number): boolean => (flags[position]! & asked) !== 0;
  const lineAt = (position: number): string => {
    const encoding = has(position, flag.ascii) ? 'latin1' : 'utf8';
    return lines.text(segment[position]!, start[position]!, length[position]!, encoding);
  };
  return {
    ...shown,
    has,
    positionOf: ids.find,
    idAt: ids.idAt,
    senderAt: (position) => senders.list[sender[position]!]!,
    lineAt,
    bytesAt: (position) => lines.bytes(segment[position]!, start[position]!, length[position]!),
    read: (position) => {
      const row = JSON.parse(lineAt(position)) as StoredMessage;
      if (has(position, flag.unnamed)) return { ...row, conversationId: conversations[conversation[position]!]!.id };
      return row;
    },
  };
}

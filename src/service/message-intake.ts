import { ShapeError } from '../errors.js';
import { assignConversations, type Source } from './conversation-ids.js';
import type { GroupRow, MessageRow } from './data.js';
import { createLineStore } from './line-store.js';
import { allocateColumns, arrangeColumns, resizeColumns } from './message-columns.js';
import { flagsOf } from './message-flags.js';
import { createMessageIds, numberOfId } from './message-ids.js';
import { createMessageKinds } from './message-kinds.js';
import { orderOf } from './message-order.js';
import { createMessageTable, type MessageTable } from './message-table.js';
import { createNames } from './names.js';
import { isPlainMessage } from './plain-message.js';
import { createPostings } from './postings.js';
import type { ParsedLine } from './read-files.js';
import { messageRow } from './row-checks.js';

/** Takes message rows one by one, in any order; each throws `ShapeError` that names the source. */
export interface MessageIntake {
  /** A row that stands as a line in a segment, which is kept. */
  readonly takeLine: (line: ParsedLine) => void;
  /** A row that stands nowhere as a line. */
  readonly takeValue: (value: unknown, source: Source) => void;
  /** All of them, in order (message-order.ts). */
  readonly finish: () => MessageTable;
}

/** An intake of messages between users and these groups. */
export function createMessageIntake(groups: readonly GroupRow[]): MessageIntake {
  const lines = createLineStore();
  const conversations = assignConversations(groups);
  const senders = createNames();
  const kinds = createMessageKinds();
  const tags = createPostings();
  const mentions = createPostings();
  let columns = allocateColumns(1 << 8);
  let size = 0;
  const ids = createMessageIds(() => columns);
  let segment: Buffer | undefined;
  let segmentNumber = -1;

  const take = (row: MessageRow, text: string, at: number, start: number, length: number, source: Source): void => {
    if (size === columns.sentAt.length) columns = resizeColumns(columns, size * 2);
    columns.number[size] = numberOfId(row.id);
    if (!ids.add(row.id, size)) throw new ShapeError(source(), 'id', 'should be unique');
    columns.conversation[size] = conversations.of(row, source);
    columns.sentAt[size] = row.sentAt;
    columns.sender[size] = senders.take(row.sender);
    columns.kind[size] = kinds.take(row.category, row.type);
    columns.flags[size] = flagsOf(row, text, length);
    columns.segment[size] = at;
    columns.start[size] = start;
    columns.length[size] = length;
    if (row.tags !== undefined) tags.add(row.tags, size);
    if (row.data?.mentions !== undefined) mentions.add(Object.keys(row.data.mentions), size);
    size += 1;
  };
  const takeText = (row: MessageRow, text: string, source: Source): void => {
    const line = lines.append(text);
    take(row, text, line.segment, line.start, line.length, source);
  };
  const takeMended = (value: unknown, source: Source): void => {
    const row = messageRow(value, source());
    takeText(row, JSON.stringify(row), source);
  };

  return {
    takeLine: ({ value, text, segment: from, start, end, source }) => {
      if (!isPlainMessage(value)) return takeMended(value, source);
      if (from !== segment) {
        segment = from;
        segmentNumber = lines.adopt(from);
      }
      take(value, text, segmentNumber, start, end - start, source);
    },
    takeValue: (value, source) => {
      const text = toJson(value, source);
      const row: unknown = JSON.parse(text);
      if (isPlainMessage(row)) takeText(row, text, source);
      else takeMended(row, source);
    },
    finish: () => {
      columns = resizeColumns(columns, size);
      const { sentAt, number } = columns;
      const order = orderOf(sentAt, number, ids.idAt);
      const arranged = order === undefined ? columns : arrangeColumns(columns, order);
      return createMessageTable({
        size,
        columns: arranged,
        ids: order === undefined ? ids : ids.arrange(() => arranged, order),
        lines,
        senders,
        conversations: conversations.list,
        kinds: kinds.list,
        tagged: tags.finish(order),
        mentioning: mentions.finish(order),
      });
    },
  };
}

/** A plain value as it would go over the wire; what JSON has no words for is refused now and not when it is served. */
function toJson(value: unknown, source: Source): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    throw new ShapeError(source(), 'the whole value', 'should be json');
  }
}

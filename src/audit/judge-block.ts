/**
 * Judges a block of messages synchronously, as a thread does. The work is proportional to the size
 * of the block.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { SluiceError, UsageError } from '../foundation/errors.js';
import { type BadRow, badRowsKept, createJudge, type JudgedBy, type JudgedPart, type JudgeOptions } from './judge.js';
import { createPlainRows } from './plain-rows.js';
import type { Block, ListedBlock, Range, RowBlock } from './source/blocks.js';
import { checkListed } from './source/message-row.js';
import { hasWindow, isDated, type MessageSelection, selectionOf } from './source/message-selection.js';
import { createRowReader, rowsOf } from './source/rows.js';

/** The options of judging blocks. */
export interface BlockOptions extends JudgeOptions {
  readonly selection: MessageSelection;
  /** Whether a row that does not hold a message ends the audit, or is counted and left out. */
  readonly onBadRow: 'stop' | 'skip';
}

/** Judges the messages of a block, up to its first bad row if these stop the audit. */
export function judgeBlock<Part>(block: Block, by: JudgedBy<Part>, options: BlockOptions): JudgedPart<Part> {
  return 'messages' in block ? judgeListed(block, by, options) : judgeRows(block, by, options);
}

function judgeRows<Part>(
  block: RowBlock,
  by: JudgedBy<Part>,
  { selection, onBadRow, ...options }: BlockOptions,
): JudgedPart<Part> {
  const { source, file, format, before } = block;
  const judge = createJudge(by, options);
  const bad: BadRow[] = [];
  let badCount = 0;
  const read = createRowReader(format, source);
  const { plainTexts } = by.engines;
  const { addAllowed: onAllowed, leaveOut: onLeftOut } = judge;
  const isOfMessages = format.records.kind === 'line' && format.map.text === undefined && format.decode === undefined;
  const isJudged =
    plainTexts && onAllowed && isOfMessages
      ? createPlainRows(block.bytes, { plainTexts, selection, scores: options.scores, onAllowed, onLeftOut })
      : undefined;
  for (const row of rowsOf(block, format, isJudged)) {
    try {
      const message = read(row);
      if (message === undefined) continue;
      const selected = selectionOf(selection, message);
      if (selected === 'selected') judge.add(message, before + row.index + 1);
      else judge.leaveOut(selected);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      if (onBadRow === 'stop') return { ...judge.end(), bad, badCount, fault: error };
      badCount++;
      if (bad.length < badRowsKept)
        bad.push({ ...(file !== undefined && { file }), line: row.line, reason: error.parts?.fact ?? error.message });
    }
  }
  return { ...judge.end(), bad, badCount };
}

function judgeListed<Part>(
  { messages, before }: ListedBlock,
  by: JudgedBy<Part>,
  { selection, ...options }: BlockOptions,
): JudgedPart<Part> {
  const judge = createJudge(by, options);
  const nothing = { bad: [], badCount: 0 };
  try {
    for (const [index, message] of messages.entries()) {
      checkListed(message);
      // The platform selected the messages that have a time.
      if (hasWindow(selection) && !isDated(message)) judge.leaveOut('undated');
      else judge.add(message, before + index + 1);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...judge.end(), ...nothing, fault: error };
  }
  return { ...judge.end(), ...nothing };
}

let room = Buffer.alloc(0);

/** Reads a range of a file again. */
export function bytesOf({ path, from, to }: Range): Uint8Array {
  if (room.length < to - from) room = Buffer.allocUnsafeSlow(to - from);
  const file = openSync(path, 'r');
  try {
    for (let length = 0; length < to - from; ) {
      const count = readSync(file, room, length, to - from - length, from + length);
      if (count === 0) throw new UsageError(`\`${path}\` became shorter while it was read`);
      length += count;
    }
  } finally {
    closeSync(file);
  }
  return room.subarray(0, to - from);
}

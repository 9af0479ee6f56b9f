/** Judges a block of rows synchronously, as a thread does. Its work is in proportion to the block. */
import { SluiceError } from '../foundation/errors.js';
import { type BadRow, badRowsKept, createJudge, type JudgedBy, type JudgedPart, type JudgeOptions } from './judge.js';
import { createPlainRows } from './plain-rows.js';
import type { LineBlock } from './source/line-blocks.js';
import { type MessageSelection, selectionOf } from './source/message-selection.js';
import { createRowReader, type RowFormat, rowsOf } from './source/rows.js';

/** How lines are read. */
export interface LineOptions extends JudgeOptions {
  readonly selection: MessageSelection;
  /** Whether a line that does not hold a message ends the audit, or is counted and left out. */
  readonly onBadRow: 'stop' | 'skip';
}

/** A block of rows, and how they are read. Plain data, for threads. */
export interface Lines extends Pick<LineBlock, 'bytes' | 'firstLine'> {
  /** Name of the file in errors. */
  readonly source: string;
  /** The name of the file in bad rows; absent where there is one file. */
  readonly file?: string | undefined;
  readonly format: RowFormat;
  /** Rows of the source before the block. */
  readonly before: number;
}

/** Judges the messages of a block, up to its first bad row when these stop the audit. */
export function judgeLines<Part>(
  { source, file, format, before, ...block }: Lines,
  by: JudgedBy<Part>,
  { selection, onBadRow, ...options }: LineOptions,
): JudgedPart<Part> {
  const judge = createJudge(by, options);
  const bad: BadRow[] = [];
  let badCount = 0;
  const read = createRowReader(format, source);
  const { plainTexts } = by.engines;
  const { addAllowed: onAllowed, leaveOut: onLeftOut } = judge;
  const isOfMessages = format.records.kind === 'line' && format.map.text === undefined;
  const isJudged =
    plainTexts && onAllowed && isOfMessages
      ? createPlainRows({ plainTexts, selection, scores: options.scores, onAllowed, onLeftOut })
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

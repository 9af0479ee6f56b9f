/** Judges a block of rows in one go: what a thread does with it. Synchronous; its work is in proportion to the block. */
import { SluiceError } from '../errors.js';
import type { Engines } from './engines.js';
import { type BadRow, badRowsKept, createJudge, type JudgedPart, type JudgeOptions } from './judge.js';
import type { LineBlock } from './source/line-blocks.js';
import { type MessageSelection, selectionOf } from './source/message-selection.js';
import { createRowReader, plainFormat, type RowFormat, rowsOf } from './source/rows.js';

/** How lines are read. */
export interface LineOptions extends JudgeOptions {
  /** Name of the file in errors. */
  readonly source: string;
  /** How its rows are read; NDJSON when absent. */
  readonly format?: RowFormat | undefined;
  readonly selection: MessageSelection;
  /** What a line that holds no message does: it ends the audit, or is counted and left out. */
  readonly onBadRow: 'stop' | 'skip';
}

/** Judges the messages of a block, up to its first bad row when these stop the audit. */
export function judgeLines(
  block: Pick<LineBlock, 'bytes' | 'firstLine'>,
  engines: Engines,
  { source, format = plainFormat, selection, onBadRow, ...options }: LineOptions,
): JudgedPart {
  const judge = createJudge(engines, options);
  const bad: BadRow[] = [];
  let badCount = 0;
  const read = createRowReader(format, source);
  for (const row of rowsOf(block, format)) {
    try {
      const message = read(row);
      if (message === undefined) continue;
      const selected = selectionOf(selection, message);
      if (selected === 'selected') judge.add(message);
      else judge.leaveOut(selected);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      if (onBadRow === 'stop') return { ...judge.end(), bad, badCount, fault: error };
      badCount++;
      if (bad.length < badRowsKept) bad.push({ line: row.line, reason: error.parts?.fact ?? error.message });
    }
  }
  return { ...judge.end(), bad, badCount };
}

/** Judges a block of NDJSON in one go: what a thread does with it. Synchronous; its work is in proportion to the block. */
import { isUtf8 } from 'node:buffer';
import { SluiceError } from '../errors.js';
import { notUtf8, parseNdjsonLine } from '../files/ndjson.js';
import type { Engines } from './engines.js';
import { type BadRow, badRowsKept, createJudge, type JudgedPart, type JudgeOptions } from './judge.js';
import type { LineBlock } from './source/line-blocks.js';
import { parseDraft } from './source/message-row.js';
import { type MessageSelection, selects } from './source/message-selection.js';

/** How lines are read. */
export interface LineOptions extends JudgeOptions {
  /** Name of the file in errors. */
  readonly source: string;
  readonly selection: MessageSelection;
  /** What a line that holds no message does: it ends the audit, or is counted and left out. */
  readonly onBadRow: 'stop' | 'skip';
}

/** Judges the messages of a block, up to its first bad row when these stop the audit. */
export function judgeLines(
  { bytes, firstLine }: Pick<LineBlock, 'bytes' | 'firstLine'>,
  engines: Engines,
  { source, selection, onBadRow, ...options }: LineOptions,
): JudgedPart {
  const judge = createJudge(engines, options);
  const bad: BadRow[] = [];
  let badCount = 0;
  let line = firstLine - 1;
  const at = () => `${source}:${line}`;
  for (const text of linesOf(bytes)) {
    line++;
    try {
      if (text === undefined) throw notUtf8(at());
      const value = parseNdjsonLine(text, line, at);
      if (value === undefined) continue;
      const message = parseDraft(value, at);
      if (selects(selection, message)) judge.add(message);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      if (onBadRow === 'stop') return { ...judge.end(), bad, badCount, fault: error };
      badCount++;
      if (bad.length < badRowsKept) bad.push({ line, reason: error.parts?.fact ?? error.message });
    }
  }
  return { ...judge.end(), bad, badCount };
}

/**
 * The lines of a block as texts; undefined for one that is no UTF-8. Each is made by itself: cut out of the block as one text, every
 * line would have the wide characters of all.
 */
function* linesOf(bytes: Uint8Array): Generator<string | undefined> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isValid = isUtf8(whole);
  for (let from = 0; from < whole.length; ) {
    const newline = whole.indexOf(0x0a, from);
    const end = newline === -1 ? whole.length : newline;
    yield isValid || isUtf8(whole.subarray(from, end)) ? whole.toString('utf8', from, end) : undefined;
    from = end + 1;
  }
}

/**
 * A text in which stretches are written in another way, and where its offsets are in the text as it
 * was sent.
 */
import { firstWhere } from './ordered.js';

/**
 * A stretch of the text as it is read, `from` to `to`, and that of the text as it was sent which it
 * stands for.
 */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

export class RewrittenText {
  readonly text: string;
  readonly changes: readonly Change[];

  constructor(text: string, changes: readonly Change[]) {
    this.text = text;
    this.changes = changes;
  }

  /** Returns the offset in the text as it was sent; -1 within a stretch that was changed. */
  sentOf(offset: number): number {
    const behind = firstWhere(0, this.changes.length, (index) => this.changes[index]!.from > offset);
    // The last change that begins at the offset or before it.
    const change = this.changes[behind - 1];
    if (change === undefined) return offset;
    if (offset >= change.to) return offset + change.end - change.to;
    return offset === change.from ? change.start : -1;
  }

  /** Reports whether something was changed between two offsets of the text as it was sent. */
  isChanged(start: number, end: number): boolean {
    return this.changes.some((change) => change.start < end && change.end > start);
  }
}

/** A stretch of a text, and how it is read. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly read: string;
}

/**
 * Writes pieces of a text, given in their order, in another way; undefined when that changes
 * nothing.
 */
export function rewrite(text: string, pieces: Iterable<Piece>): RewrittenText | undefined {
  const changes: Change[] = [];
  let written = '';
  let done = 0;
  for (const { start, end, read } of pieces) {
    if (read === text.slice(start, end)) continue;
    written += text.slice(done, start);
    done = end;
    changes.push({ from: written.length, to: written.length + read.length, start, end });
    written += read;
  }
  return changes.length === 0 ? undefined : new RewrittenText(written + text.slice(done), changes);
}

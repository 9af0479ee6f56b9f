/** Judges messages one by one, and collects the rows and counts of a part. */

import type { Scores } from '../engine/evaluate/scores.js';
import type { SluiceError } from '../foundation/errors.js';
import { ndjsonLine } from '../foundation/files/ndjson.js';
import type { MessageDraft } from '../platform/contract/message-draft.js';
import type { Auditable, JudgedMessage } from './audit-entry.js';
import type { StartCounter } from './count/counter.js';
import type { Counts } from './count/counters.js';
import type { Engines } from './engines.js';
import { decisionRow, isPlainlyAllowed } from './keep/decision-row.js';
import type { Selected } from './source/message-selection.js';
import { type ScoreTable, scoresFromTable } from './source/scores.js';

/** The options of judging messages, besides the engines. */
export interface JudgeOptions {
  readonly scores: ScoreTable;
  /**
   * The messages that get a row: all of them, those that are not plainly allowed, or no messages.
   */
  readonly rows: 'all' | 'findings' | 'none';
  /** Whether rows of messages that are not allowed have their text. */
  readonly withText?: boolean | undefined;
}

/** Result of judging: rows of NDJSON, and counts. */
interface Judged<Part = Counts> {
  readonly rows: string;
  readonly rowCount: number;
  readonly messages: number;
  /** Messages that the filters left out. */
  readonly leftOut: number;
  /** Messages of `leftOut` that have no time, if a window of time was requested. */
  readonly undated: number;
  readonly counts: Part;
}

/** A line that holds no message. */
export interface BadRow {
  /** The file; absent if there is only one. */
  readonly file?: string | undefined;
  readonly line: number;
  readonly reason: string;
}

/** Result of judging a block or a window. */
export interface JudgedPart<Part = Counts> extends Judged<Part> {
  /** The first bad rows, and how many there are. */
  readonly bad: readonly BadRow[];
  readonly badCount: number;
  /** The error of the bad row at which judging stopped. */
  readonly fault?: SluiceError;
}

/** Largest number of bad rows with a kept reason. */
export const badRowsKept = 20;

/** Engines and counters of a run in one thread. */
export interface JudgedBy<Part> {
  readonly engines: Engines;
  readonly start: StartCounter<Part>;
}

/**
 * Judges one message by the engines of a run. Throws `UsageError` if the value is not a message.
 */
export function judgeMessage<Item extends Auditable>(
  { engine, against }: Engines,
  message: Item,
  scores: readonly Scores[] | undefined,
  place: number,
): JudgedMessage<Item> {
  const messageId = typeof message === 'string' ? undefined : message.id;
  const old = against?.explain(message, scores);
  return { messageId, message, place, scores, decision: engine.explain(message, scores), against: old };
}

/** Judges messages, and collects their rows and counts. */
export function createJudge<Part>({ engines, start }: JudgedBy<Part>, { scores, rows: kept, withText }: JudgeOptions) {
  const counter = start();
  let [rows, rowCount, messages, leftOut, undated] = ['', 0, 0, 0, 0];
  const hasRow = ({ decision }: JudgedMessage): boolean =>
    kept === 'all' || (kept === 'findings' && !isPlainlyAllowed(decision));
  return {
    /**
     * Judges a message; `place` is its position among all rows or messages of the source, from 1.
     */
    add(message: MessageDraft, place: number): void {
      const entry = judgeMessage(engines, message, scoresFromTable(message, scores), place);
      messages++;
      counter.add(entry);
      if (!hasRow(entry)) return;
      rows += ndjsonLine(decisionRow(entry, withText));
      rowCount++;
    },
    /** Counts a message that is plainly allowed; undefined if every message has to be judged. */
    addAllowed:
      kept === 'all' || counter.addAllowed === undefined
        ? undefined
        : (sentAt: number | undefined): void => {
            messages++;
            counter.addAllowed?.(sentAt);
          },
    leaveOut(why: Exclude<Selected, 'selected'>): void {
      leftOut++;
      if (why !== 'undated') return;
      undated++;
      counter.addUndated?.();
    },
    end: (): Judged<Part> => ({ rows, rowCount, messages, leftOut, undated, counts: counter.toJSON() }),
  };
}

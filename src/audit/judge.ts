/** Judging one message, and collecting what the messages of a part gave: its rows and counts. */
import type { MessageDraft } from '../contract/message-draft.js';
import type { SluiceError } from '../errors.js';
import type { Scores } from '../evaluate/scores.js';
import { ndjsonLine } from '../files/ndjson.js';
import type { Auditable, JudgedMessage } from './audit-entry.js';
import { type CountOptions, type Counts, createCounters } from './count/counters.js';
import { diffKindOf } from './count/diff-causes.js';
import type { Engines } from './engines.js';
import { decisionRow, differenceRow, isPlainlyAllowed } from './keep/decision-row.js';
import type { Selected } from './source/message-selection.js';
import { type ScoreTable, scoresFromTable } from './source/scores.js';

/** How messages are judged, besides the engines. */
export interface JudgeOptions {
  readonly scores: ScoreTable;
  readonly counts: CountOptions;
  /**
   * Which messages have a row: every one, those that are not plainly allowed, those that two rule sets treat differently, or, where nobody
   * keeps rows, none.
   */
  readonly rows: 'all' | 'findings' | 'differences' | 'none';
  /** Rows of messages that are not allowed have their text. */
  readonly withText?: boolean | undefined;
}

/** What judging gave: rows of NDJSON, and counts. */
export interface Judged {
  readonly rows: string;
  readonly rowCount: number;
  readonly messages: number;
  /** Messages that the filters left out. */
  readonly leftOut: number;
  readonly counts: Counts;
}

/** A line that holds no message. */
export interface BadRow {
  readonly line: number;
  readonly reason: string;
}

/** What judging a block or a window gave. */
export interface JudgedPart extends Judged {
  /** The first bad rows, and how many there are. */
  readonly bad: readonly BadRow[];
  readonly badCount: number;
  /** The bad row that stopped it: what stands behind was not judged. */
  readonly fault?: SluiceError;
}

/** Of so many bad rows of a part the reasons are kept. */
export const badRowsKept = 20;

/** Judges one message by the engines of a run. Throws `UsageError` for what is no message. */
export function judgeMessage<Item extends Auditable>(
  { engine, against }: Engines,
  message: Item,
  scores: readonly Scores[] | undefined,
): JudgedMessage<Item> {
  const messageId = typeof message === 'string' ? undefined : message.id;
  const old = against?.explain(message, scores);
  return { messageId, message, scores, decision: engine.explain(message, scores), against: old };
}

/** Judges messages, and collects their rows and counts. */
export function createJudge(engines: Engines, { scores, counts, rows: kept, withText }: JudgeOptions) {
  const counters = createCounters(counts, engines);
  let [rows, rowCount, messages, leftOut] = ['', 0, 0, 0];
  const rowOf = (entry: JudgedMessage): object | undefined => {
    if (kept === 'none' || (kept === 'findings' && isPlainlyAllowed(entry.decision))) return undefined;
    if (kept !== 'differences') return decisionRow(entry, withText);
    const { against } = entry;
    const kind = against && diffKindOf(against, entry.decision);
    return kind && differenceRow({ ...entry, against }, kind);
  };
  return {
    add(message: MessageDraft): void {
      const entry = judgeMessage(engines, message, scoresFromTable(message, scores));
      messages++;
      counters.add(entry);
      const row = rowOf(entry);
      if (row === undefined) return;
      rows += ndjsonLine(row);
      rowCount++;
    },
    leaveOut(why: Exclude<Selected, 'selected'>): void {
      leftOut++;
      if (why === 'undated') counters.addUndated();
    },
    end: (): Judged => ({ rows, rowCount, messages, leftOut, counts: counters.toJSON() }),
  };
}

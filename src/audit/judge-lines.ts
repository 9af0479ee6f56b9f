/** Judges a block of NDJSON in one go: what a thread does with it. Synchronous; its work is in proportion to the block. */
import { isUtf8 } from 'node:buffer';
import type { MessageDraft } from '../contract/message-draft.js';
import type { Engine } from '../engine.js';
import { SluiceError } from '../errors.js';
import { ndjsonLine, notUtf8, parseNdjsonLine } from '../files/ndjson.js';
import type { AuditSummary } from './count/audit-summary.js';
import { type CauseExamples, createExamples, type ExampleContent } from './count/examples.js';
import { createSummary, type SummaryOptions } from './count/summary.js';
import { decisionRow, isPlainlyAllowed } from './keep/decision-row.js';
import type { LineBlock } from './source/line-blocks.js';
import { parseDraft } from './source/message-row.js';
import { type MessageSelection, selects } from './source/message-selection.js';
import { mediaFromScores, type ScoresByUrl } from './source/scores.js';

/** How messages are judged, besides the engine. */
export interface JudgeOptions {
  readonly scores: ScoresByUrl;
  readonly summary: SummaryOptions;
  /** Which messages have a row: every one, those that are not plainly allowed, or, where nobody keeps rows, none. */
  readonly rows: 'all' | 'findings' | 'none';
  /** Rows of messages that are not allowed have their text. */
  readonly withText?: boolean | undefined;
  /** Examples of what matched; none without. */
  readonly examples?: ExampleContent | undefined;
}

/** What judging gave: rows of `decisions.ndjson`, their summary, and examples. */
export interface Judged {
  readonly rows: string;
  readonly rowCount: number;
  readonly summary: AuditSummary;
  /** Only where examples are kept. */
  readonly examples?: readonly CauseExamples[] | undefined;
}

/** A line that holds no message. */
export interface BadRow {
  readonly line: number;
  readonly reason: string;
}

export interface JudgedBlock extends Judged {
  /** The first bad rows, and how many there are. */
  readonly bad: readonly BadRow[];
  readonly badCount: number;
  /** The bad row that stopped it: what stands behind was not judged. */
  readonly fault?: SluiceError;
}

/** How lines are read. */
export interface LineOptions extends JudgeOptions {
  /** Name of the file in errors. */
  readonly source: string;
  readonly selection: MessageSelection;
  /** What a line that holds no message does: it ends the audit, or is counted and left out. */
  readonly onBadRow: 'stop' | 'skip';
}

/** Of so many bad rows of a block the reasons are kept. */
export const badRowsKept = 20;

/** Collects decisions as rows and as a summary. */
export function createJudge(
  engine: Pick<Engine, 'explain'>,
  { scores, rows: kept, withText, ...options }: JudgeOptions,
) {
  const summary = createSummary(options.summary);
  const examples = options.examples && createExamples(options.examples);
  let rows = '';
  let rowCount = 0;
  return {
    add(message: MessageDraft): void {
      const media = scores.size === 0 ? [] : mediaFromScores(message, scores);
      const decision = engine.explain(message, media);
      summary.add({ message, decision });
      examples?.add({ message, decision });
      if (kept === 'none' || (kept === 'findings' && isPlainlyAllowed(decision))) return;
      rows += ndjsonLine(decisionRow({ messageId: message.id, message, decision }, withText));
      rowCount++;
    },
    end: (): Judged => ({
      ...{ rows, rowCount, summary: summary.toJSON() },
      ...(examples && { examples: examples.toJSON() }),
    }),
  };
}

/** Judges the messages of a block, up to its first bad row when these stop the audit. */
export function judgeLines(
  { bytes, firstLine }: Pick<LineBlock, 'bytes' | 'firstLine'>,
  engine: Pick<Engine, 'explain'>,
  { source, selection, onBadRow, ...options }: LineOptions,
): JudgedBlock {
  const judge = createJudge(engine, options);
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

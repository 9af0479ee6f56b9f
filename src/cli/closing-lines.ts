import type { AuditReport } from './audit-report.js';
import type { Occasion } from './occasion.js';
import type { Written } from './out-directory.js';
import type { Canvas } from './terminal/canvas.js';
import { escapeText } from './terminal/escape-text.js';
import { counted, formatCount, formatDuration } from './terminal/format.js';
import { wrapWords } from './terminal/wrap.js';

/** One line that says which files were written. */
export function writtenLine({ decisions, rows, summary }: Written): string {
  return escapeText(`wrote ${decisions} (${counted(rows, 'row')}) and ${summary}`);
}

/** The end of the screen: how long it took, what was written, and what to do next. */
export function closingLines(report: AuditReport, occasion: Occasion, { width, paint }: Canvas): string[] {
  const { messages, unheard, verdicts } = report;
  const { tookMs, written, hasScores } = occasion;
  const rate = tookMs > 0 ? `, ${formatCount(Math.round(messages / (tookMs / 1000)))} a second` : '';
  const wantsScores = !hasScores && unheard.conditions.some(({ why }) => why === 'no-scores');
  const next = [
    ...(written === undefined ? ['add `--out DIR` to keep every decision and exactly why'] : []),
    ...(wantsScores ? ['add `--scores FILE` to have pictures and videos heard'] : []),
  ];
  const judged = `judged ${counted(messages, 'message')} in ${formatDuration(tookMs)}${rate}`;
  const stopped = `${formatCount(verdicts.blockMessage)} blocked, ${formatCount(verdicts.dropMessage)} dropped`;
  return [
    ...wrapWords(`${judged}: ${stopped}`, width),
    ...(written === undefined ? [] : [writtenLine(written)]),
    ...next.flatMap((line) => wrapWords(line, width)).map((line) => paint('faint', line)),
  ];
}

import { intervalText, noteWords, type PrecisionRow, precisionRows, precisionText } from '../precision/words.js';
import { formatCount } from '../terminal/text.js';
import { foldedTable } from './folded-table.js';
import { foreign, type Html, html, trusted } from './html.js';
import type { ReportInput } from './report-input.js';

/** What the labels of a sample say of each rule, with whiskers from 0 to 100 %; nothing without labels. */
export function precisionTable({ precision }: ReportInput): Html | undefined {
  if (precision === undefined) return undefined;
  const rows = precisionRows(precision);
  const table = foldedTable({
    ...{ rows, noun: 'rules', open: 50, folded: 950 },
    head: html`<tr><th scope="col">rule</th><th scope="col" class="n">labelled</th><th scope="col" class="n">right, 95 %</th><th scope="col">0 to 100</th></tr>`,
    row: (row) =>
      html`<tr><th scope="row">${foreign(row.name)}</th><td class="n">${formatCount(row.labelled)} of ${formatCount(row.stopped)}</td><td class="n">${precisionText(row)} ${intervalText(row)}</td><td class="n">${whiskers(row)}</td></tr>
`,
  });
  return html`<p class="faint">By people’s labels of a random sample. A line is the interval that the true share lies in for 95 of 100 samples.</p>
${table}${noteWords(precision, rows).map((words) => html`<p class="faint">${words}</p>`)}`;
}

/** Of two widths: a line from end to end of the interval, a dot at the share itself. */
function whiskers({ precision, low, high }: PrecisionRow): Html | undefined {
  if (precision === null) return undefined;
  const at = (share: number) => Math.round(share * 1000) / 10;
  const line = `<path d="M0 5H100" stroke="currentColor" stroke-opacity=".2"/><path d="M${at(low)} 5H${at(high)}" stroke="currentColor" stroke-width="2"/>`;
  return trusted(
    `<svg viewBox="-4 0 108 10" width="72" height="10" aria-hidden="true">${line}<circle cx="${at(precision)}" cy="5" r="3.5" fill="currentColor"/></svg>`,
  );
}

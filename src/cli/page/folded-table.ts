import { formatCount } from '../terminal/text.js';
import { type Html, html } from './html.js';

/** A table of a report that has its first rows open. */
export interface FoldedTable<Row> {
  /** The row of the titles. */
  readonly head: Html;
  /** Largest first. */
  readonly rows: readonly Row[];
  readonly row: (row: Row) => Html;
  /** What the rows are, as `senders`. */
  readonly noun: string;
  /** Rows that are open, and rows that are folded away behind them; what is left is in `summary.json` alone. */
  readonly open: number;
  readonly folded: number;
}

/** A table whose smaller rows are folded away, where the filter and paper still have them. */
export function foldedTable<Row>({ head, rows, row, noun, open, folded }: FoldedTable<Row>): Html {
  const table = (part: readonly Row[]) => html`<table><thead>${head}</thead>
<tbody>${part.map(row)}</tbody></table>`;
  const more = rows.slice(open, open + folded);
  const left = rows.length - open - more.length;
  return html`<div class="columns">${table(rows.slice(0, open))}
${more.length > 0 ? html`<details class="more"><summary>${formatCount(more.length)} more ${noun}</summary>${table(more)}</details>` : undefined}</div>
${left > 0 ? html`<p class="faint">${formatCount(left)} more ${noun} in summary.json</p>` : undefined}`;
}

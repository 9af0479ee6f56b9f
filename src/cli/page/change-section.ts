import { type Period, type PeriodChange, periodChange } from '../../audit/count/rule-days.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import { daysWords } from '../day-bins.js';
import { formatCount, formatPercent } from '../terminal/text.js';
import { foldedTable } from './folded-table.js';
import { foreign, type Html, html } from './html.js';

/** The last days against those before: which are compared, all that was stopped, and the rules that changed most. */
export function changeSection(audit: AuditReport): { readonly title: string; readonly content: Html | undefined } {
  const change = periodChange(audit);
  if (change === undefined) return { title: '', content: undefined };
  const { length, before, after, rules } = change;
  const title =
    length === 1 ? 'The last day against the day before' : `The last ${length} days against the ${length} before`;
  const sums = html`<p>${periodWords(after)}<br>
${periodWords(before)}</p>`;
  const table = rules === undefined ? html`` : ruleTable(rules, audit);
  return {
    title,
    content: html`${sums}
${table}`,
  };
}

function periodWords({ first, last, messages, stopped }: Period): string {
  const share = messages === 0 ? '' : ` (${formatPercent(stopped, messages)})`;
  return `${daysWords(first, last)}: ${formatCount(stopped)} of ${formatCount(messages)} stopped${share}`;
}

function ruleTable(rules: NonNullable<PeriodChange['rules']>, audit: AuditReport): Html {
  if (rules.length === 0) return html`<p>Every rule stopped as many messages as before.</p>`;
  const names = new Map(audit.rules.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  const signed = (difference: number) => `${difference > 0 ? '+' : '−'}${formatCount(Math.abs(difference))}`;
  return foldedTable({
    ...{ rows: rules, noun: 'rules', open: 8, folded: 192 },
    head: html`<tr><th scope="col">stopped by rule</th><th scope="col" class="n">before</th><th scope="col" class="n">then</th><th scope="col" class="n">change</th></tr>`,
    row: ({ ruleId, before, after }) =>
      html`<tr data-row="change"><th scope="row">${foreign(names.get(ruleId) ?? ruleId)}</th><td class="n">${formatCount(before)}</td><td class="n">${formatCount(after)}</td><td class="n">${signed(after - before)}</td></tr>
`,
  });
}

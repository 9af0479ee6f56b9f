import type { AuditReport } from '../../audit/keep/audit-report.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { type OptionValues, optionGroup, type RunContext } from '../command.js';
import { printJson } from '../io.js';
import { printScreen } from '../outcome.js';
import { printErrors } from '../rule-errors.js';
import { unchecked } from '../unchecked.js';
import { type AuditFacts, rankings, type ScreenFacts } from './facts.js';
import { auditScreen, partialWords, writtenLine } from './screen.js';

/** Options of what the screen shows of a report. */
export const screenOptions = optionGroup('what to show', {
  by: { type: 'string', choices: rankings, help: 'what to rank by stopped messages (rule)' },
  top: { type: 'string', integer: { min: 1 }, help: 'rows of each table (12)' },
  verbose: { type: 'boolean', help: `list what is wrong with the rule set, and each condition that ${unchecked}` },
});

/** Reads the options of the screen. */
export function screenFacts({
  by = 'rule',
  top = 12,
  verbose = false,
}: OptionValues<typeof screenOptions>): ScreenFacts {
  return { by, top, verbose };
}

/** Prints the report of an audit as JSON, as a screen, or not at all. Without a screen, errors of the rules are printed on stderr. */
export async function printReport(
  report: AuditReport,
  facts: AuditFacts,
  { json, quiet }: { readonly json?: boolean; readonly quiet?: boolean },
  context: RunContext,
): Promise<void> {
  if (!report.partial && (json || quiet)) await printErrors(context, errorsOf(report.ruleSet));
  if (!json) return quiet ? undefined : printScreen(context, auditScreen(report, facts));
  await printJson(context, report);
  if (report.partial) await context.reporter.note(partialWords(report, facts));
  if (facts.written !== undefined) await context.reporter.note(writtenLine(facts.written));
}

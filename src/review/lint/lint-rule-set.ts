import { isMeantToStop } from '../../engine/compile/actions.js';
import type { RuleSetInput } from '../../engine/engine.js';
import { refuseUnknownOptions } from '../../foundation/options.js';
import { nextTask } from '../../foundation/portions.js';
import { acceptanceRevision } from '../compare/acceptance-revision.js';
import { checks } from './checks.js';
import { closeLintContext, createLintContext, type LintContext } from './context.js';
import type { Finding, LintOptions, LintReport } from './finding.js';
import { ignoredFindings, withoutIgnored } from './ignore.js';

/**
 * Returns what is wrong with a rule set: all of `engine.issues`, and the terms, patterns and rules
 * that have no effect, are covered by others, or stop what they should not. Pauses while it
 * compiles and between checks. A single check of a long list takes seconds.
 *
 * Rejects with `UsageError` for unknown options and semantics, and with `RuleSetError` if the value
 * is not a rule set or its `lint` is malformed. Broken rules are findings, also under `broken:
 * 'fail'`.
 *
 * @example
 * ```ts
 * const condition = { operand: 'text', value: ['giveaway', 'free giveaway'] };
 * const rules = [{ id: 'spam', action: 'blockMessage', conditions: [condition] }];
 * const report = await lintRuleSet({ rules, lists: [] });
 * report.counts; // { error: 0, warning: 1, info: 0 }
 * report.findings[0]?.id; // 'covered'
 * report.findings[0]?.term; // 'free giveaway'
 * ```
 */
export async function lintRuleSet(ruleSet: RuleSetInput, options: LintOptions = {}): Promise<LintReport> {
  refuseUnknownOptions('`lintRuleSet`', options, ['semantics', 'ignore'] satisfies (keyof LintOptions)[]);
  const ignored = ignoredFindings(ruleSet, options.ignore);
  const context = await createLintContext(ruleSet, options);
  const findings: Finding[] = issuesOf(context);
  try {
    for (const { id, severity, find } of checks) {
      for await (const found of find(context)) findings.push({ id, severity, ...found });
      await nextTask();
    }
  } finally {
    closeLintContext(context);
  }
  const left = withoutIgnored(findings, ignored);
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of left) counts[severity]++;
  return { findings: left, counts, revision: await acceptanceRevision(ruleSet) };
}

/**
 * Returns issues as findings. Two are errors here: an action that was probably meant to stop
 * messages and stops none, and the id of a list that is used as a word.
 */
function issuesOf({ engine, compiled }: LintContext): Finding[] {
  const failing = new Set(compiled.rules.flatMap(({ id, actions }) => (isMeantToStop(actions) ? [id] : [])));
  return engine.issues.flatMap(({ code, ...issue }): Finding[] => {
    const isError = code === 'unflagged-list' || (code === 'unknown-action' && failing.has(issue.ruleId ?? ''));
    return [{ id: code, ...issue, ...(isError && { severity: 'error' }) }];
  });
}

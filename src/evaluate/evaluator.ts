import type { CompiledRule, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { UsageError } from '../errors.js';
import type { Semantics } from '../semantics.js';
import type { ConditionHit, Decision, RuleHit, Verdict } from './decision.js';
import { createExemption } from './exemption.js';
import { askFilters } from './filters.js';
import { type Marks, mark } from './marks.js';
import { createMatchFinder, type MatchFinder } from './matches.js';
import { type Observation, observe } from './observation.js';
import { createQuickDecision } from './quick-decision.js';
import { type PathNode, parsePath, printPath } from './text-parts.js';
import { findUnheard } from './unheard.js';

/** How many matches a decision reports at the most. */
export const MATCH_CAP = 1000;

/** Answers for messages; pure and synchronous. */
export interface Evaluator {
  decide(message: unknown, media: unknown): Verdict;
  explain(message: unknown, media: unknown): Decision;
}

/** Makes an evaluator. Throws `UsageError` for paths or exemptions of the semantics that cannot be read. */
export function createEvaluator(compiled: CompiledRuleSet, semantics: Semantics, revision: string): Evaluator {
  const customText = readPaths(semantics.customText);
  const isExempt = createExemption(semantics.exempt);
  const decideQuickly = createQuickDecision(compiled, semantics);
  const judge = (seen: Observation): { marks: Marks; matched: readonly CompiledRule[] } => {
    const marks: Marks = { holds: new Uint8Array(compiled.conditions.length), fault: undefined };
    mark(compiled, semantics, seen, marks);
    return { marks, matched: compiled.rules.filter((rule) => matches(rule, marks, semantics, seen)) };
  };
  const exempted = (): Decision => ({
    verdict: 'allow',
    actions: [],
    matched: [],
    unheard: [],
    exempt: true,
    truncated: false,
    revision,
  });
  return {
    decide: (message, media) => {
      const quick = media === undefined ? decideQuickly(message) : undefined;
      if (quick !== undefined) return quick;
      const seen = observe(message, media, customText);
      return isExempt(seen.message) ? 'allow' : verdictOf(compiled, judge(seen).matched);
    },
    explain: (message, media) => {
      const seen = observe(message, media, customText);
      if (isExempt(seen.message)) return exempted();
      const { marks, matched } = judge(seen);
      const verdict = verdictOf(compiled, matched);
      const finder = createMatchFinder(compiled, seen, MATCH_CAP);
      const hits = matched.map((rule) => ruleHit(compiled, rule, marks, finder, verdict));
      return {
        verdict,
        actions: [...new Set(hits.filter((hit) => !hit.shadow).flatMap((hit) => hit.actions))],
        matched: [...hits.filter((hit) => hit.determining), ...hits.filter((hit) => !hit.determining)],
        unheard: findUnheard(compiled, semantics, seen, marks, new Set(matched)),
        exempt: false,
        truncated: finder.truncated,
        revision,
      };
    },
  };
}

/** Whether a rule matches: its conditions combine as the semantics say, and its filters hold. */
function matches(rule: CompiledRule, { holds }: Marks, { conditions }: Semantics, seen: Observation): boolean {
  let held = 0;
  for (let index = rule.firstCondition; index < rule.endCondition; index++) held += holds[index]!;
  if (held === 0 || (conditions === 'all' && held < rule.endCondition - rule.firstCondition)) return false;
  if (rule.filterTrouble !== undefined) return false;
  return rule.filters.length === 0 || askFilters(rule.filters, seen.message).answer === 'holds';
}

/** The strongest verdict among the actions of matched rules; shadow rules have no say. */
function verdictOf({ verdicts }: CompiledRuleSet, matched: readonly CompiledRule[]): Verdict {
  let strongest = verdicts.length;
  for (const { rank, shadow } of matched) if (!shadow && rank < strongest) strongest = rank;
  return verdicts[strongest] ?? 'allow';
}

function ruleHit(
  compiled: CompiledRuleSet,
  rule: CompiledRule,
  marks: Marks,
  finder: MatchFinder,
  verdict: Verdict,
): RuleHit {
  const conditions: ConditionHit[] = [];
  for (let index = rule.firstCondition; index < rule.endCondition; index++) {
    if (marks.holds[index] === 0) continue;
    const { id, operand, message } = compiled.conditions[index]!;
    conditions.push({ conditionId: id, operand, ...(message && { message }), matches: finder.of(index) });
  }
  return {
    ruleId: rule.id,
    ruleName: rule.name,
    ...(rule.revisionId !== undefined && { revisionId: rule.revisionId }),
    actions: rule.actions,
    determining: !rule.shadow && compiled.verdicts[rule.rank] === verdict,
    shadow: rule.shadow,
    conditions,
  };
}

/** The paths of `customText`, without those that lie inside another. */
function readPaths(paths: readonly string[]): readonly PathNode[] {
  const nodes = paths.map((path) => {
    const node = parsePath(path);
    if (node === undefined)
      throw new UsageError(`reading \`customText\`: \`${path}\` is no JSON path such as data.customData.body[2]`);
    return node;
  });
  const printed = nodes.map(printPath);
  return nodes.filter((_, index) => {
    const path = printed[index]!;
    const inside = (other: string) => path.startsWith(`${other}.`) || path.startsWith(`${other}[`);
    return printed.indexOf(path) === index && !printed.some(inside);
  });
}

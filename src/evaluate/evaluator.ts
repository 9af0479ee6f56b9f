import type { CompiledRule, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { UsageError } from '../errors.js';
import type { Semantics } from '../semantics.js';
import type { ConditionHit, Decision, RuleHit, Verdict } from './decision.js';
import { createExemption } from './exemption.js';
import { askFilters } from './filters.js';
import { Hits } from './hits.js';
import { MatchFinder } from './matches.js';
import { type Observation, observe } from './observation.js';
import { createQuickDecision } from './quick-decision.js';
import { type PathNode, parsePath, printPath } from './text-parts.js';
import { createUnheardFinder } from './unheard.js';

/** How many matches a decision reports at the most. */
export const MATCH_CAP = 1000;

/** Answers for messages; pure and synchronous. */
export interface Evaluator {
  decide(message: unknown, media: unknown): Verdict;
  explain(message: unknown, media: unknown): Decision;
  /** Steps that the last message took beyond one for each unit of its texts, by which tests hold work to what it should be. */
  readonly steps: number;
}

/** Makes an evaluator. Throws `UsageError` for paths or exemptions of the semantics that cannot be read. */
export function createEvaluator(compiled: CompiledRuleSet, semantics: Semantics, revision: string): Evaluator {
  const customText = readPaths(semantics.customText);
  const isExempt = createExemption(semantics.exempt);
  const decideQuickly = createQuickDecision(compiled, semantics);
  const findUnheard = createUnheardFinder(compiled, semantics);
  // More than one at a time only when a message has a getter that asks the same engine.
  const spare: Hits[] = [];
  let steps = 0;
  const decideAtLength = (seen: Observation): Verdict => {
    const hits = spare.pop() ?? new Hits(compiled);
    try {
      hits.scan(seen, semantics, 1);
      return verdictOf(compiled, matchedRules(compiled, hits, semantics, seen));
    } finally {
      steps = hits.budget.spent;
      hits.clear();
      spare.push(hits);
    }
  };
  const explain = (seen: Observation): Decision => {
    const hits = spare.pop() ?? new Hits(compiled);
    try {
      hits.scan(seen, semantics, MATCH_CAP + 1);
      const rules = matchedRules(compiled, hits, semantics, seen);
      const verdict = verdictOf(compiled, rules);
      const held = rules.reduce((sum, rule) => sum + heldConditions(rule, hits), 0);
      const finder = new MatchFinder(compiled, seen, hits, MATCH_CAP, held);
      const isDetermining = ({ rank, shadow }: CompiledRule) => !shadow && compiled.verdicts[rank] === verdict;
      const matched: RuleHit[] = [];
      // In this order, or the matches of other rules might come to the cap before those that the verdict rests on.
      for (const rule of firstThose(isDetermining, rules))
        matched.push(ruleHit(compiled, rule, hits, finder, isDetermining(rule)));
      return {
        verdict,
        actions: actionsOf(rules),
        matched,
        unheard: findUnheard(seen, hits.fault, rules),
        exempt: false,
        truncated: finder.truncated,
        revision,
      };
    } finally {
      steps = hits.budget.spent;
      hits.clear();
      spare.push(hits);
    }
  };
  return {
    get steps() {
      return steps;
    },
    decide: (message, media) => {
      const quick = media === undefined ? decideQuickly(message) : undefined;
      if (quick !== undefined) {
        steps = compiled.words.matcher.steps;
        return quick;
      }
      const seen = observe(message, media, customText);
      return isExempt(seen.message) ? 'allow' : decideAtLength(seen);
    },
    explain: (message, media) => {
      const seen = observe(message, media, customText);
      if (!isExempt(seen.message)) return explain(seen);
      return { verdict: 'allow', actions: [], matched: [], unheard: [], exempt: true, truncated: false, revision };
    },
  };
}

/** The rules that match, in their order. Rules of which no condition holds are not looked at. */
function matchedRules(
  { rules, conditions }: CompiledRuleSet,
  hits: Hits,
  semantics: Semantics,
  seen: Observation,
): readonly CompiledRule[] {
  // The conditions of a rule stand together, and rules and conditions in the same order.
  const { held, heldCount } = hits;
  if (heldCount > 1) held.subarray(0, heldCount).sort();
  const matched: CompiledRule[] = [];
  let last = -1;
  for (let at = 0; at < heldCount; at++) {
    const { rule } = conditions[held[at]!]!;
    if (rule === last) continue;
    last = rule;
    if (matches(rules[rule]!, hits, semantics, seen)) matched.push(rules[rule]!);
  }
  return matched;
}

function actionsOf(rules: readonly CompiledRule[]): readonly string[] {
  const actions: string[] = [];
  for (const rule of rules) {
    if (!rule.shadow) for (const action of rule.actions) if (!actions.includes(action)) actions.push(action);
  }
  return actions;
}

function firstThose(are: (rule: CompiledRule) => boolean, rules: readonly CompiledRule[]): readonly CompiledRule[] {
  if (rules.every(are)) return rules;
  return [...rules.filter(are), ...rules.filter((rule) => !are(rule))];
}

/** Whether a rule matches: its conditions combine as the semantics say, and its filters hold. */
function matches(rule: CompiledRule, hits: Hits, { conditions }: Semantics, seen: Observation): boolean {
  const held = heldConditions(rule, hits);
  if (held === 0 || (conditions === 'all' && held < rule.endCondition - rule.firstCondition)) return false;
  if (rule.filterTrouble !== undefined) return false;
  return rule.filters.length === 0 || askFilters(rule.filters, seen.message).answer === 'holds';
}

function heldConditions(rule: CompiledRule, { holds }: Hits): number {
  let held = 0;
  for (let index = rule.firstCondition; index < rule.endCondition; index++) held += holds[index]!;
  return held;
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
  hits: Hits,
  finder: MatchFinder,
  determining: boolean,
): RuleHit {
  const conditions: ConditionHit[] = [];
  for (let index = rule.firstCondition; index < rule.endCondition; index++) {
    if (hits.holds[index] === 0) continue;
    const { id, operand, message } = compiled.conditions[index]!;
    const matches = finder.of(index);
    conditions.push({ conditionId: id, operand, ...(message && { message }), matches });
  }
  return {
    ruleId: rule.id,
    ruleName: rule.name,
    ...(rule.revisionId !== undefined && { revisionId: rule.revisionId }),
    actions: rule.actions,
    determining,
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

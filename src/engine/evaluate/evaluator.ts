/** Evaluates a message in full, for `explain` and where the fast path is inconclusive. */
import type { CompiledRule, CompiledRuleSet, ExceptionEntry } from '../compile/compiled-rule-set.js';
import { type PathNode, parsePath, printPath } from '../compile/json-path.js';
import type { Semantics } from '../semantics.js';
import type { ConditionHit, Decision, ExceptedMatch, ExceptionSource, RuleHit, Verdict } from './decision.js';
import { createFastPath } from './fast-path.js';
import { createExemption, evaluateFilters } from './filters.js';
import { type Find, Hits } from './hits.js';
import { byOccurrence, MatchFinder } from './matches.js';
import { type Observation, observe } from './observation.js';
import { neededLabels, openRequests, requestsOf, type ScoreRequest } from './score-requests.js';
import { createUnevaluatedFinder } from './unevaluated.js';

/** The most matches that a decision reports. */
const MATCH_CAP = 1000;

/**
 * Evaluates messages: synchronously, without I/O, and without a state that one message leaves to
 * the next.
 */
export interface Evaluator {
  /**
   * Returns the verdict. Throws `UsageError` if the value is not a message, or if the scores are
   * malformed.
   */
  decide(message: unknown, scores: unknown): Verdict;
  /**
   * Returns the decision, whose verdict is always that of `decide`. Rules come in their order,
   * those that determine the verdict first; matches by path, start and end, at most 1,000 of them
   * and at least one for each condition that found any. Throws as `decide` does.
   */
  explain(message: unknown, scores: unknown): Decision;
  /**
   * Returns what to request of a scorer; with `all`, also where no score can change the verdict.
   */
  scoreRequests(message: unknown, scores: unknown, all: boolean): readonly ScoreRequest[];
  /**
   * Steps that the last message took beyond one for each unit of its texts; tests bound the work by
   * them.
   */
  readonly steps: number;
}

/** Makes an evaluator of checked semantics. */
export function createEvaluator(compiled: CompiledRuleSet, semantics: Semantics, revision: string): Evaluator {
  const customText = readPaths(semantics.customText);
  const isExempt = createExemption(semantics.exempt);
  const fastPath = createFastPath(compiled, semantics);
  const needed = neededLabels(compiled);
  // Holds more than one only where exceptions apply, and after nested calls: a getter of a message
  // may call the same engine.
  const spare: Hits[] = [];
  let steps = 0;
  const withHits: WithHits = (use) => {
    const hits = spare.pop() ?? new Hits(compiled);
    try {
      return use(hits);
    } finally {
      steps += hits.budget.spent;
      hits.clear();
      spare.push(hits);
    }
  };
  const explain = createExplainer(compiled, semantics, revision, withHits);
  return {
    get steps() {
      return steps;
    },
    decide: (message, scores) => {
      const quick = scores === undefined ? fastPath(message) : undefined;
      if (quick !== undefined) {
        steps = compiled.words.matcher.steps;
        return quick;
      }
      const observation = observe(message, scores, customText);
      if (isExempt(observation.message)) return 'allow';
      steps = 0;
      return withHits((hits) => {
        hits.scan(observation, semantics, 1);
        return verdictOf(compiled, matchedRules(compiled, hits, semantics, observation));
      });
    },
    scoreRequests: (message, scores, all) => {
      const observation = observe(message, scores, customText);
      const requests = requestsOf(observation, needed);
      if (requests.length === 0 || isExempt(observation.message)) return [];
      if (all) return requests;
      const applies = (rule: CompiledRule) => filtersHold(rule, observation);
      return withHits((hits) => {
        hits.scan(observation, semantics, 1);
        return openRequests(requests, compiled, hits, observation, { all: semantics.conditions === 'all', applies });
      });
    },
    explain: (message, scores) => {
      const observation = observe(message, scores, customText);
      steps = 0;
      if (!isExempt(observation.message)) return explain(observation);
      const nothing = { actions: [], matched: [], unevaluated: [], excepted: [] };
      return { verdict: 'allow', ...nothing, exempt: true, truncated: false, revision };
    },
  };
}

/** Calls a function with hits that are cleared, and can be used again, when it returns. */
type WithHits = <T>(use: (hits: Hits) => T) => T;

/**
 * Makes the function that explains a message.
 *
 * INVARIANT: its verdict is the one of `decide`. Both follow from the conditions that hold in a
 * scan that keeps one occurrence of a key.
 */
function createExplainer(compiled: CompiledRuleSet, semantics: Semantics, revision: string, withHits: WithHits) {
  const findUnevaluated = createUnevaluatedFinder(compiled, semantics);
  /**
   * `held` has the conditions that hold, `found` their matches: two scans only where exceptions
   * apply.
   */
  const describe = (observation: Observation, held: Hits, found: Hits): Decision => {
    const rules = matchedRules(compiled, held, semantics, observation);
    const verdict = verdictOf(compiled, rules);
    const count = rules.reduce((sum, rule) => sum + heldConditions(rule, held), 0);
    const finder = new MatchFinder(compiled, observation, found, MATCH_CAP, count);
    const isDetermining = ({ rank, shadow }: CompiledRule) => !shadow && compiled.verdicts[rank] === verdict;
    // Determining rules first, so that their matches are within the cap.
    const matched = partitioned(rules, isDetermining).map((rule) =>
      ruleHit(compiled, rule, held, finder, isDetermining(rule)),
    );
    const isUsedUp = compiled.exceptions !== undefined && (held.budget.isUsedUp || found.budget.isUsedUp);
    return {
      verdict,
      actions: actionsOf(rules),
      matched,
      unevaluated: findUnevaluated(observation, held, rules),
      excepted: exceptedMatches(compiled, found, finder, (rule) => filtersHold(rule, observation)),
      exempt: false,
      truncated: finder.truncated || isUsedUp,
      revision,
    };
  };
  return (observation: Observation): Decision =>
    withHits((hits) => {
      const { exceptions } = compiled;
      hits.scan(observation, semantics, exceptions === undefined ? MATCH_CAP + 1 : 1);
      if (exceptions === undefined && !hits.hasFault) return describe(observation, hits, hits);
      // A scan that failed may have come less far than that of `decide`, which closes the terms
      // that it found.
      if (exceptions === undefined) {
        return withHits((held) => {
          held.scan(observation, semantics, 1);
          return describe(observation, held, hits);
        });
      }
      // Which conditions hold must not depend on how many matches are listed, nor on what further
      // matches take of the budget: it is what the scan of `decide` says. Once that one used up its
      // budget, its matches are the ones that are known to stand.
      const isAll = hits.budget.isUsedUp || (hits.heldCount === 0 && !hits.hasExcepted);
      if (isAll) return describe(observation, hits, hits);
      return withHits((all) => {
        all.scan(observation, semantics, MATCH_CAP + 1, hits.places);
        return describe(observation, hits, all);
      });
    });
}

/**
 * Returns the rules that match, in their order. Visits only rules with a condition that holds, so
 * its cost does not grow with the rule set.
 */
export function matchedRules(
  { rules, conditions }: CompiledRuleSet,
  hits: Hits,
  semantics: Semantics,
  observation: Observation,
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
    if (matches(rules[rule]!, hits, semantics, observation)) matched.push(rules[rule]!);
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

/** Returns the rules for which the predicate holds, then the others. */
function partitioned(
  rules: readonly CompiledRule[],
  isFirst: (rule: CompiledRule) => boolean,
): readonly CompiledRule[] {
  if (rules.every(isFirst)) return rules;
  return [...rules.filter(isFirst), ...rules.filter((rule) => !isFirst(rule))];
}

/**
 * Reports whether a rule matches: its conditions hold as the reading `conditions` requires, and its
 * filters hold.
 */
function matches(rule: CompiledRule, hits: Hits, { conditions }: Semantics, observation: Observation): boolean {
  const held = heldConditions(rule, hits);
  if (held === 0 || (conditions === 'all' && held < rule.endCondition - rule.firstCondition)) return false;
  return filtersHold(rule, observation);
}

function filtersHold(rule: CompiledRule, observation: Observation): boolean {
  if (rule.filterError !== undefined) return false;
  return rule.filters.length === 0 || evaluateFilters(rule.filters, observation.message).result === 'holds';
}

function heldConditions(rule: CompiledRule, { holds }: Hits): number {
  let held = 0;
  for (let index = rule.firstCondition; index < rule.endCondition; index++) held += holds[index]!;
  return held;
}

/** Returns the strongest verdict among the actions of matched rules, shadow rules left out. */
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

/**
 * Returns the excepted matches, in the order of rules and conditions, then of the places in the
 * message.
 */
function exceptedMatches(
  { rules, conditions, exceptions }: CompiledRuleSet,
  { excepted }: Hits,
  finder: MatchFinder,
  appliesTo: (rule: CompiledRule) => boolean,
): readonly ExceptedMatch[] {
  if (excepted.length === 0) return [];
  const ruleOf = ({ reference }: Find) => rules[conditions[reference.condition]!.rule]!;
  const kept = excepted.filter(({ find }) => appliesTo(ruleOf(find)));
  kept.sort((a, b) => a.find.reference.condition - b.find.reference.condition || byOccurrence(a.find, b.find));
  return kept.map(({ find, entry }) => ({
    ruleId: ruleOf(find).id,
    conditionId: conditions[find.reference.condition]!.id,
    match: finder.report(find),
    exception: sourceOf(exceptions!.entries[entry]!),
  }));
}

/** Returns an exception as decisions name it. */
export function sourceOf({ kind, written, listId }: ExceptionEntry): ExceptionSource {
  return { ...(kind === 'word' ? { term: written } : { pattern: written }), ...(listId !== undefined && { listId }) };
}

/** Returns the paths of `customText`, without those that lie inside another. */
export function readPaths(paths: readonly string[]): readonly PathNode[] {
  const nodes = paths.flatMap((path) => parsePath(path) ?? []);
  const printed = nodes.map(printPath);
  return nodes.filter((_, index) => {
    const path = printed[index]!;
    const inside = (parent: string) => path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
    return printed.indexOf(path) === index && !printed.some(inside);
  });
}

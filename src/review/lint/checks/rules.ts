/**
 * Checks of whole rules: rule sets that stop nothing, rules that never decide, and thresholds
 * without effect.
 */
import type { CompiledRule, CompiledRuleSet } from '../../../engine/compile/compiled-rule-set.js';
import { idlenessOf } from '../../../engine/compile/contents.js';
import { printThreshold, type Threshold } from '../../../engine/compile/threshold.js';
import { stops } from '../../../engine/compile/verdicts.js';
import type { Check } from '../context.js';
import { dominates, lostActions } from '../effects.js';
import type { Entry } from '../entries.js';
import type { Found } from '../finding.js';
import type { Firing } from '../firing.js';

/** Finds rule sets that cannot stop any message. */
export const stopsNothing: Check = {
  id: 'stops-nothing',
  severity: 'error',
  *find({ compiled, semantics }) {
    const { canStop, parts } = idlenessOf(compiled, semantics);
    if (canStop) return;
    const [{ ruleId, listId, detail } = { ruleId: undefined, listId: undefined, detail: 'no rule runs' }] = parts;
    const subject = ruleId ?? listId;
    const more = parts.length > 1 ? `, and ${parts.length - 1} more` : '';
    yield { detail: `no rule can stop a message: ${subject === undefined ? '' : `\`${subject}\`: `}${detail}${more}` };
  },
};

/** The largest number of rules that are compared with a rule that may never decide. */
const mostRules = 64;

/**
 * Finds rules that never decide because another rule stops the same messages at least as strongly.
 */
export const shadowed: Check = {
  id: 'shadowed',
  severity: 'warning',
  *find({ compiled, firing, semantics }) {
    if (semantics.conditions === 'all' || semantics.missingScores === 'block') return;
    const found = looksFor(compiled, firing);
    const rulesOf = new Map<string, number[]>();
    for (const [rule, { terms }] of found.entries()) {
      for (const entryKey of terms.keys()) rulesOf.set(entryKey, [...(rulesOf.get(entryKey) ?? []), rule]);
    }
    const shadows = (by: number, rule: number) =>
      by !== rule &&
      dominates(compiled.rules[by]!, compiled.rules[rule]!) &&
      [...found[rule]!.terms].every(([, covering]) => covering.some((key) => found[by]!.terms.has(key))) &&
      found[rule]!.thresholds.every((idle) =>
        found[by]!.thresholds.some((over) => over.operand === idle.operand && isIdle(idle.threshold, over.threshold)),
      );
    const reported = new Map<number, Found>();
    // Rules with fewer actions are examined first, and later rules before earlier ones. So, of two
    // rules that are alike, the one with more actions stays, or else the first.
    const order = [...found.keys()].reverse();
    order.sort((left, right) => compiled.rules[left]!.actions.length - compiled.rules[right]!.actions.length);
    for (const rule of order) {
      const { terms, thresholds, first } = found[rule]!;
      if (!mayBeShadowed(compiled, rule) || terms.size + thresholds.length === 0) continue;
      const [covering] = terms.values();
      const rivals = covering?.flatMap((key) => rulesOf.get(key) ?? []) ?? found.keys();
      const by = [...rivals].slice(0, mostRules).find((rival) => !reported.has(rival) && shadows(rival, rule));
      if (by === undefined) continue;
      const witness = first && firing.sampleOf(first);
      reported.set(rule, { ...shadowWords(compiled.rules[rule]!, compiled.rules[by]!), ...(witness && { witness }) });
    }
    yield* [...reported].sort(([left], [right]) => left - right).map(([, finding]) => finding);
  },
};

/** The terms, patterns and thresholds of a rule. */
interface LooksFor {
  /** Terms and patterns by operand and number, each with what covers it. */
  readonly terms: Map<string, readonly string[]>;
  readonly thresholds: { readonly operand: string; readonly threshold: Threshold }[];
  first?: Entry;
}

/**
 * Returns what each rule looks for. Terms to which exceptions apply cover nothing, and nothing
 * covers them.
 */
function looksFor({ rules, conditions }: CompiledRuleSet, firing: Firing): readonly LooksFor[] {
  const found = rules.map((): LooksFor => ({ terms: new Map(), thresholds: [] }));
  for (const { rule, operand, thresholds } of conditions) {
    for (const threshold of thresholds) found[rule]!.thresholds.push({ operand, threshold });
  }
  for (const entry of firing.all()) {
    const { operand, language, reference } = entry;
    const looks = found[conditions[reference.condition]!.rule]!;
    looks.first ??= entry;
    const covering = [...firing.coveringOf(language)].map((cover) => `${operand} ${cover}`);
    looks.terms.set(
      `${operand} ${language}${reference.scopes === undefined ? '' : ' excepted'}`,
      reference.scopes === undefined ? covering : [],
    );
  }
  return found;
}

/** Reports whether a rule stops messages and was compiled without errors. */
function mayBeShadowed({ rules, verdicts, conditions }: CompiledRuleSet, index: number): boolean {
  const { rank, shadow, filterError, firstCondition, endCondition } = rules[index]!;
  const isWhole = conditions
    .slice(firstCondition, endCondition)
    .every(({ compileError }) => compileError === undefined);
  return stops(verdicts[rank]) && !shadow && filterError === undefined && isWhole;
}

function shadowWords(rule: CompiledRule, by: CompiledRule): Found {
  const lost = lostActions(by, rule);
  const change = lost.length === 0 ? '' : ` (${lost.join(', ')} would be no longer among the actions)`;
  const detail = `never decides: each text that was tried, and that it stops, is stopped by \`${by.id}\`, at least as strongly`;
  return { ruleId: rule.id, detail, mend: `take it out${change}, or give it what the other has not` };
}

/**
 * Reports whether a threshold can be exceeded only if another one of the same operand is exceeded.
 */
function isIdle(threshold: Threshold, cover: Threshold): boolean {
  return (cover.any || (cover.key === threshold.key && !threshold.any)) && cover.greaterThan <= threshold.greaterThan;
}

/** Finds thresholds that can be exceeded only if another threshold of the same rule is exceeded. */
export const idleThreshold: Check = {
  id: 'idle-threshold',
  severity: 'warning',
  *find({ compiled, semantics, sources }) {
    for (const { id, firstCondition, endCondition } of compiled.rules) {
      const conditions = compiled.conditions.slice(firstCondition, endCondition);
      const all = conditions.flatMap(({ operand, thresholds, id: conditionId }, offset) =>
        thresholds.map((threshold) => ({ threshold, operand, conditionId, condition: firstCondition + offset })),
      );
      for (const [at, { threshold, operand, conditionId, condition }] of all.entries()) {
        const by = all.find((candidate, position) => {
          if (position === at || candidate.operand !== operand || !isIdle(threshold, candidate.threshold)) return false;
          if (semantics.conditions === 'all' && candidate.condition !== condition) return false;
          return position < at || !isIdle(candidate.threshold, threshold);
        });
        if (by === undefined) continue;
        const index = sources.indexOf(condition, (value) => value === printThreshold(threshold));
        const detail = `\`${printThreshold(threshold)}\` has no effect beside \`${printThreshold(by.threshold)}\` of condition ${by.conditionId}`;
        yield { ruleId: id, conditionId, ...(index >= 0 && { index }), detail, mend: 'remove one of the two' };
      }
    }
  },
};

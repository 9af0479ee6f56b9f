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
    const place = ruleId ?? listId;
    const more = parts.length > 1 ? `, and ${parts.length - 1} more` : '';
    yield { detail: `no rule can stop a message: ${place === undefined ? '' : `\`${place}\`: `}${detail}${more}` };
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
    const byPart = new Map<string, number[]>();
    for (const [rule, { parts }] of found.entries()) {
      for (const part of parts.keys()) byPart.set(part, [...(byPart.get(part) ?? []), rule]);
    }
    const shadows = (by: number, rule: number) =>
      by !== rule &&
      dominates(compiled.rules[by]!, compiled.rules[rule]!) &&
      [...found[rule]!.parts].every(([, covering]) => covering.some((part) => found[by]!.parts.has(part))) &&
      found[rule]!.thresholds.every((own) =>
        found[by]!.thresholds.some((other) => other.operand === own.operand && isIdle(own.threshold, other.threshold)),
      );
    const reported = new Map<number, Found>();
    // Rules with fewer actions are examined first, and later rules before earlier ones. So, of two
    // rules that are alike, the one with more actions stays, or else the first.
    const order = [...found.keys()].reverse();
    order.sort((one, other) => compiled.rules[one]!.actions.length - compiled.rules[other]!.actions.length);
    for (const rule of order) {
      const { parts, thresholds, first } = found[rule]!;
      if (!mayBeShadowed(compiled, rule) || parts.size + thresholds.length === 0) continue;
      const [covering] = parts.values();
      const others = covering?.flatMap((part) => byPart.get(part) ?? []) ?? found.keys();
      const by = [...others].slice(0, mostRules).find((other) => !reported.has(other) && shadows(other, rule));
      if (by === undefined) continue;
      const witness = first && firing.sampleOf(first);
      reported.set(rule, { ...shadowWords(compiled.rules[rule]!, compiled.rules[by]!), ...(witness && { witness }) });
    }
    yield* [...reported].sort(([one], [other]) => one - other).map(([, words]) => words);
  },
};

/** The terms, patterns and thresholds of a rule. */
interface LooksFor {
  /** Terms and patterns by operand and number, each with what covers it. */
  readonly parts: Map<string, readonly string[]>;
  readonly thresholds: { readonly operand: string; readonly threshold: Threshold }[];
  first?: Entry;
}

/**
 * Returns what each rule looks for. Terms to which exceptions apply cover nothing, and nothing
 * covers them.
 */
function looksFor({ rules, conditions }: CompiledRuleSet, firing: Firing): readonly LooksFor[] {
  const found = rules.map((): LooksFor => ({ parts: new Map(), thresholds: [] }));
  for (const { rule, operand, thresholds } of conditions) {
    for (const threshold of thresholds) found[rule]!.thresholds.push({ operand, threshold });
  }
  for (const entry of firing.all()) {
    const { operand, language, reference } = entry;
    const one = found[conditions[reference.condition]!.rule]!;
    one.first ??= entry;
    const covering = [...firing.coveringOf(language)].map((other) => `${operand} ${other}`);
    one.parts.set(
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
function isIdle(threshold: Threshold, other: Threshold): boolean {
  return (other.any || (other.key === threshold.key && !threshold.any)) && other.greaterThan <= threshold.greaterThan;
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
        const by = all.find((other, position) => {
          if (position === at || other.operand !== operand || !isIdle(threshold, other.threshold)) return false;
          if (semantics.conditions === 'all' && other.condition !== condition) return false;
          return position < at || !isIdle(other.threshold, threshold);
        });
        if (by === undefined) continue;
        const index = sources.indexOf(condition, (value) => value === printThreshold(threshold));
        const detail = `\`${printThreshold(threshold)}\` has no effect beside \`${printThreshold(by.threshold)}\` of condition ${by.conditionId}`;
        yield { ruleId: id, conditionId, ...(index >= 0 && { index }), detail, mend: 'remove one of the two' };
      }
    }
  },
};

import type { CompiledRule } from '../../../engine/compile/compiled-rule-set.js';
import { idlenessOf } from '../../../engine/compile/contents.js';
import { printThreshold } from '../../../engine/compile/threshold.js';
import { stops } from '../../../engine/compile/verdicts.js';
import type { Check, LintContext } from '../context.js';
import { isIdle } from '../coverage.js';

/** Finds a rule set of which no rule can stop a message. */
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

/** Finds rules that never decide, since others stop the same messages at least as strongly. */
export const shadowed: Check = {
  id: 'shadowed',
  severity: 'warning',
  *find(context) {
    const { compiled, languages, semantics } = context;
    if (semantics.conditions === 'all' || semantics.missingScores === 'block') return;
    // For each rule: the rules that cover what was examined so far; `undefined` once something is not covered.
    const covering: (Set<CompiledRule> | undefined)[] = compiled.rules.map((rule) =>
      mayBeShadowed(rule, context) ? new Set() : undefined,
    );
    const note = (condition: number, by: CompiledRule | undefined) => {
      const { rule } = compiled.conditions[condition]!;
      if (by === undefined) covering[rule] = undefined;
      else covering[rule]?.add(by);
    };
    const ruleOf = (condition: number) => compiled.rules[compiled.conditions[condition]!.rule]!;
    for (const [condition, { thresholds, rule }] of compiled.conditions.entries()) {
      if (covering[rule] === undefined) continue;
      for (const threshold of thresholds) note(condition, context.coverage.thresholdCover(condition, threshold));
    }
    for (let language = 0; language < languages.count; language++) {
      for (const entry of languages.entriesOf(language)) {
        const { condition } = entry.reference;
        if (covering[compiled.conditions[condition]!.rule] === undefined) continue;
        const cover = context.coverage.coverOf(entry, { otherRule: true });
        note(condition, cover?.proof === 'proved' ? ruleOf(cover.entry.reference.condition) : undefined);
      }
    }
    for (const [index, { id, actions }] of compiled.rules.entries()) {
      const by = [...(covering[index] ?? [])];
      if (by.length === 0) continue;
      const named = by.slice(0, 3).map((rule) => `\`${rule.id}\``);
      const lost = actions.filter((action) => !by.every((rule) => rule.actions.includes(action)));
      const change = lost.length === 0 ? '' : ` (\`${lost.join('`, `')}\` would be no longer among the actions)`;
      const others = by.length > 3 ? ` and ${by.length - 3} others` : '';
      const detail = `never decides: all that it stops is stopped by ${named.join(', ')}${others}, at least as strongly`;
      yield { ruleId: id, detail, mend: `take it out${change}, or give it what the others have not`, proof: 'proved' };
    }
  },
};

/** Reports whether a rule stops messages and was compiled whole. */
function mayBeShadowed(
  { rank, shadow, filterError, firstCondition, endCondition }: CompiledRule,
  { compiled }: LintContext,
): boolean {
  const verdict = compiled.verdicts[rank];
  const conditions = compiled.conditions.slice(firstCondition, endCondition);
  const isWhole = conditions.every(({ compileError }) => compileError === undefined);
  return stops(verdict) && !shadow && filterError === undefined && isWhole;
}

/** Finds thresholds that are exceeded only when another one of their rule is. */
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

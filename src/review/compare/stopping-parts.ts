/** The parts of a rule set that can stop a message, by identity, and those that another rule set has lost. */
import { runs } from '../../engine/compile/compile-rule-set.js';
import type { CompiledRuleSet } from '../../engine/compile/compiled-rule-set.js';
import { textOperands } from '../../engine/compile/operands.js';
import type { Reference } from '../../engine/compile/references.js';
import { asList } from '../../engine/compile/untrusted.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Semantics } from '../../engine/semantics.js';
import { canonicalJson } from '../../foundation/digest.js';
import { PORTION, type Portions } from '../../foundation/portions.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';

/** A compiled rule set with its readings. */
export interface CompiledRules {
  readonly ruleSet: RuleSet;
  readonly compiled: CompiledRuleSet;
  readonly semantics: Semantics;
}

/**
 * A rule that stops messages, or the terms, patterns and thresholds of a keyword list or of a rule that such rules match in one way. An
 * entry is kept as long as some list or rule has an equal one that is matched in the same way, by a rule that is not narrower.
 */
export interface StoppingPart {
  readonly kind: 'rule' | 'list' | 'inline';
  /** Id of the rule or the keyword list. */
  readonly id: string;
  /** How it is matched: category, operand and operator; for a score, its label as well. */
  readonly place: string;
  /** Further requirements, sorted: the filters of the rule, and under the reading `conditions: 'all'` its other conditions. */
  readonly narrowedBy: readonly string[];
  /** The score that must be exceeded; 0 for everything but scores. */
  readonly above: number;
  readonly entries: ReadonlySet<string>;
}

type Draft = Omit<StoppingPart, 'entries'> & { readonly entries: Set<string> };

/** Lists the parts of a rule set that can stop a message. Rules that do not run, are in shadow or have no stopping action have none. */
export function* stoppingParts({ ruleSet, compiled, semantics }: CompiledRules): Portions<StoppingPart[]> {
  const parts = new Map<string, Draft>();
  const running = ruleSet.rules.filter(
    (rule) => typeof rule.id === 'string' && rule.id !== '' && runs(rule, semantics),
  );
  const isFound = new Uint8Array(compiled.conditions.length);
  for (const [index, { thresholds }] of compiled.conditions.entries()) if (thresholds.length > 0) isFound[index] = 1;
  const excepted = new Map<string, number[]>();
  for (const { kind, written, scope } of compiled.exceptions?.entries ?? [])
    if (kind === 'word') excepted.set(entryOf(written), [...(excepted.get(entryOf(written)) ?? []), scope]);
  const isExcepted = ({ written, scopes }: Reference, isPattern: boolean) =>
    scopes !== undefined &&
    !isPattern &&
    excepted.get(entryOf(written))?.some((scope) => scopes.includes(scope)) === true;
  yield* eachReference(compiled, (reference, isPattern) => {
    if (!isExcepted(reference, isPattern)) isFound[reference.condition] = 1;
  });
  const narrowings = compiled.rules.map((rule, index): readonly string[] | undefined => {
    const found = isFound.subarray(rule.firstCondition, rule.endCondition);
    const isSatisfiable =
      semantics.conditions === 'all' ? found.length > 0 && found.every(Boolean) : found.some(Boolean);
    const mayStop = stops(compiled.verdicts[rule.rank]) && !rule.shadow && rule.filterError === undefined;
    return mayStop && isSatisfiable ? narrowedBy(running[index]!, semantics) : undefined;
  });
  const partOf = (index: number, listId: string | undefined, label = '', above = 0): Draft | undefined => {
    const { rule, operand } = compiled.conditions[index]!;
    const narrowing = narrowings[rule];
    if (narrowing === undefined) return undefined;
    const { id, firstCondition } = compiled.rules[rule]!;
    const { category, operator } = running[rule]!.conditions[index - firstCondition]!;
    const place = [category ?? 'word', operand, operator ?? 'contains', label].join(' ');
    const kind = listId === undefined ? 'inline' : 'list';
    return addPart(parts, { kind, id: listId ?? id, place, narrowedBy: narrowing, above });
  };
  for (const [index, narrowing] of narrowings.entries()) {
    if (narrowing === undefined) continue;
    const { id } = compiled.rules[index]!;
    addPart(parts, { kind: 'rule', id, place: '', narrowedBy: narrowing, above: 0 }).entries.add(id);
  }
  for (const [index, { thresholds }] of compiled.conditions.entries())
    for (const { key, greaterThan } of thresholds) partOf(index, undefined, key, greaterThan)?.entries.add(key);
  const places = new Map<string, Draft | undefined>();
  yield* eachReference(compiled, (reference, isPattern) => {
    const { condition, listId, written } = reference;
    const name = `${condition} ${listId ?? ''}`;
    if (!places.has(name)) places.set(name, partOf(condition, listId));
    if (!isExcepted(reference, isPattern)) places.get(name)?.entries.add(isPattern ? written : entryOf(written));
  });
  return [...parts.values()];
}

/** Normalises a term: terms that differ only by case or blanks at their ends are one, and the compiler keeps the first. */
function entryOf(written: string): string {
  return written.trim().toLowerCase();
}

function* eachReference(
  { words, patterns }: CompiledRuleSet,
  visit: (reference: Reference, isPattern: boolean) => void,
): Portions<void> {
  for (const operand of textOperands) {
    const { references } = patterns.references[operand];
    for (const group of [words.references[operand].references, references]) {
      for (const [index, reference] of group.entries()) {
        if (index % PORTION === 0) yield;
        visit(reference, group === references);
      }
    }
  }
}

function narrowedBy({ filters, conditions }: Rule, semantics: Semantics): readonly string[] {
  const all = asList(filters).map(canonicalJson);
  if (semantics.conditions === 'all') {
    const seen = new Map<string, number>();
    for (const { operand, category, operator } of conditions) {
      const way = [category ?? 'word', operand, operator ?? 'contains'].join(' ');
      seen.set(way, (seen.get(way) ?? 0) + 1);
      all.push(`condition ${seen.get(way)}: ${way}`);
    }
  }
  return [...new Set(all)].sort();
}

/** Returns the part that equals a given one except for its entries, and adds it if there is none. */
function addPart(parts: Map<string, Draft>, { kind, id, place, narrowedBy, above }: Omit<Draft, 'entries'>): Draft {
  const key = JSON.stringify([kind, id, place, narrowedBy, above]);
  const part = parts.get(key) ?? { kind, id, place, narrowedBy, above, entries: new Set() };
  parts.set(key, part);
  return part;
}

/** Lists the entries of some parts that are no longer among others. */
export function* lostParts(parts: readonly StoppingPart[], left: readonly StoppingPart[]): Portions<StoppingPart[]> {
  // A term that another list or rule matches in the same way still stops messages, so lists are not part of a place.
  const placeOf = ({ kind, id, place }: StoppingPart) => (kind === 'rule' ? `rule ${id}` : place);
  const places = new Map<string, Map<string, Draft>>();
  for (const part of left) {
    const place = placeOf(part);
    const merged = places.get(place) ?? new Map<string, Draft>();
    places.set(place, merged);
    const { entries } = addPart(merged, { ...part, kind: 'inline', id: '' });
    for (const entry of part.entries) {
      entries.add(entry);
      if (entries.size % PORTION === 0) yield;
    }
  }
  const lost = new Map<string, Draft>();
  for (const part of parts) {
    const others = [...(places.get(placeOf(part))?.values() ?? [])].filter(
      ({ above, narrowedBy }) =>
        above <= part.above && narrowedBy.every((narrowing) => part.narrowedBy.includes(narrowing)),
    );
    let gone: Set<string> | undefined;
    let seen = 0;
    for (const entry of part.entries) {
      if (seen++ % PORTION === 0) yield;
      if (others.some(({ entries }) => entries.has(entry))) continue;
      gone ??= addPart(lost, part).entries;
      gone.add(entry);
    }
  }
  return [...lost.values()];
}

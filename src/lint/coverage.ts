/**
 * Which terms, patterns and rules others cover: every text that fires them fires those, with at least the same effect.
 *
 * Of two that cover each other the first in the order of conditions stands: so whatever is reported can be left out, all of it at once.
 * No claim is made where exceptions apply, where the folding is `hardened`, and where all conditions of a rule have to hold.
 */
import type { CompiledRule, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import type { Threshold } from '../compile/threshold.js';
import { verdicts as verdictActions } from '../compile/verdicts.js';
import type { Entry } from './entries.js';
import type { Languages } from './languages.js';

/** What covers an entry, and how sure that is. */
export interface Cover {
  readonly entry: Entry;
  readonly proof: 'proved' | 'over-budget';
}

/** So many languages are looked at as covers of one. */
const MOST_CANDIDATES = 64;

export class Coverage {
  readonly #compiled: CompiledRuleSet;
  readonly #languages: Languages;
  /** By pair of rules: whether the second does at least what the first does. */
  readonly #dominance = new Map<number, boolean>();

  constructor(compiled: CompiledRuleSet, languages: Languages) {
    this.#compiled = compiled;
    this.#languages = languages;
  }

  /** What covers an entry: of another rule alone, or of any. `undefined` when nothing does. */
  coverOf(entry: Entry, { otherRule }: { readonly otherRule: boolean }): Cover | undefined {
    if (entry.reference.scopes !== undefined) return undefined;
    let unproved: Cover | undefined;
    for (const language of [
      entry.language,
      ...this.#languages.candidatesOf(entry.language).slice(0, MOST_CANDIDATES),
    ]) {
      const others = this.#languages.entriesOf(language).filter((other) => this.#mayCover(entry, other, otherRule));
      const [first] = others;
      const kind = first && this.#languages.includes(language, entry.language);
      const staying = kind === 'included' ? others.find((other) => this.#stays(other, entry, otherRule)) : undefined;
      if (staying !== undefined) return { entry: staying, proof: 'proved' };
      if (kind === 'over-budget') unproved ??= { entry: first!, proof: 'over-budget' };
    }
    return unproved;
  }

  /** The rule that has a threshold which is exceeded whenever one of a condition is; not of the rule itself. */
  thresholdCover(condition: number, threshold: Threshold): CompiledRule | undefined {
    const { conditions, rules } = this.#compiled;
    const { operand, rule } = conditions[condition]!;
    const found = conditions.find(({ operand: other, rule: by, thresholds }) => {
      if (other !== operand || by === rule || !this.#dominates(by, rule)) return false;
      const isFirst = by < rule || !this.#dominates(rule, by);
      return thresholds.some((one) => isIdle(threshold, one) && (isFirst || !isIdle(one, threshold)));
    });
    return found && rules[found.rule];
  }

  /** Whether a message that `other` fires on is treated at least as one that `entry` fires on. */
  #mayCover(entry: Entry, other: Entry, otherRule: boolean): boolean {
    if (other.reference === entry.reference || other.reference.scopes !== undefined) return false;
    if (other.operand !== entry.operand) return false;
    const { conditions } = this.#compiled;
    const [rule, by] = [conditions[entry.reference.condition]!.rule, conditions[other.reference.condition]!.rule];
    return rule === by ? !otherRule : this.#dominates(by, rule);
  }

  /** Whether it is the covering one that stays, of two that may cover each other. */
  #stays(covering: Entry, entry: Entry, otherRule: boolean): boolean {
    if (this.#isBefore(covering, entry) || !this.#mayCover(covering, entry, otherRule)) return true;
    return this.#languages.includes(entry.language, covering.language) === 'not';
  }

  /** Whether an entry stands before another of an equal language: in an earlier condition, or there by the number of the language. */
  #isBefore(one: Entry, other: Entry): boolean {
    const distance = one.reference.condition - other.reference.condition || one.language - other.language;
    if (distance !== 0) return distance < 0;
    const all = this.#languages.entriesOf(one.language);
    return (
      all.find(({ reference }) => reference === one.reference || reference === other.reference)!.reference ===
      one.reference
    );
  }

  /** Whether a rule does at least what another does, for everyone whom that applies to. */
  #dominates(by: number, rule: number): boolean {
    const { rules } = this.#compiled;
    const pair = by * rules.length + rule;
    const known = this.#dominance.get(pair) ?? doesAtLeast(rules[by]!, rules[rule]!);
    this.#dominance.set(pair, known);
    return known;
  }
}

const isVerdict = (action: string) => (verdictActions as readonly string[]).includes(action);

function doesAtLeast(by: CompiledRule, rule: CompiledRule): boolean {
  if (by.shadow || rule.shadow || by.filterError !== undefined || by.rank > rule.rank) return false;
  if (!rule.actions.every((action) => isVerdict(action) || by.actions.includes(action))) return false;
  const filters = new Set(rule.filters.map((filter) => JSON.stringify(filter)));
  return by.filters.every((filter) => filters.has(JSON.stringify(filter)));
}

/** Whether a threshold is exceeded only when another one of the same operand is. */
export function isIdle(threshold: Threshold, other: Threshold): boolean {
  return (other.any || (other.key === threshold.key && !threshold.any)) && other.greaterThan <= threshold.greaterThan;
}

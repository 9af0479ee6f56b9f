/**
 * Which terms, patterns and rules others cover: every text that fires them fires those, with at least the same effect.
 *
 * When two cover each other, the one with more actions stays, or else the first in the order of conditions: this order is total, so
 * whatever is reported can be left out, all of it at once.
 * No claim is made where exceptions apply, where the folding is `hardened`, and where all conditions of a rule must hold.
 *
 * Cost: rules with the same effect are one here, and the first of them stands for all, so that each entry is compared with at most
 * `MOST_EFFECTS` others of a language, however many rules share a term.
 */
import type { CompiledRule, CompiledRuleSet, TextOperand } from '../../engine/compile/compiled-rule-set.js';
import { byTextOperand } from '../../engine/compile/operands.js';
import type { Threshold } from '../../engine/compile/threshold.js';
import { verdicts as verdictActions } from '../../engine/compile/verdicts.js';
import type { Entry } from './entries.js';
import type { Languages } from './languages.js';

/** The entry that covers another, with the proof. */
export interface Cover {
  readonly entry: Entry;
  readonly proof: 'proved' | 'over-budget';
  /** Actions that messages lose without the covered entry: verdicts that are weaker than others. */
  readonly lost: readonly string[];
}

/** The most languages that are tried as covers of one, and the most effects of rules within a language. */
const MOST_CANDIDATES = 64;
const MOST_EFFECTS = 64;

/** The effect of a rule and its filters. Rules of the same effect share one. */
interface Effect {
  readonly rank: number;
  readonly actions: ReadonlySet<string>;
  readonly filters: ReadonlySet<string>;
}

/** The leaders of each effect, which represent all its entries: the first, and the first of another rule. */
type Leaders<T> = ReadonlyMap<Effect, readonly T[]>;

interface Leading {
  /** The first entry of each operand and rule. */
  readonly ofRules: ReadonlyMap<string, Entry>;
  readonly ofEffects: Readonly<Record<TextOperand, Leaders<Entry>>>;
}

interface PlacedThreshold {
  readonly rule: number;
  readonly threshold: Threshold;
}

export class Coverage {
  /** Rules and thresholds that were compared: the cost, to be counted by tests. */
  steps = 0;
  readonly #compiled: CompiledRuleSet;
  readonly #languages: Languages;
  /** The effect of each rule; `undefined` for rules that cover nothing but their own entries. */
  readonly #effects: readonly (Effect | undefined)[];
  readonly #leading = new Map<number, Leading>();
  /** The lowest thresholds, by operand and label, or `any`. */
  #thresholds: ReadonlyMap<string, Leaders<PlacedThreshold>> | undefined;

  constructor(compiled: CompiledRuleSet, languages: Languages) {
    this.#compiled = compiled;
    this.#languages = languages;
    const known = new Map<string, Effect>();
    this.#effects = compiled.rules.map((rule) => {
      if (rule.shadow || rule.filterError !== undefined) return undefined;
      const actions = new Set(rule.actions);
      const filters = new Set(rule.filters.map((filter) => JSON.stringify(filter)));
      const key = JSON.stringify([[...actions].sort(), [...filters].sort()]);
      const effect = known.get(key) ?? { rank: rule.rank, actions, filters };
      known.set(key, effect);
      return effect;
    });
  }

  /** Returns the entry that covers another one, of another rule or of any; one without lost actions is preferred. `undefined` if there is none. */
  coverOf(entry: Entry, { otherRule }: { readonly otherRule: boolean }): Cover | undefined {
    if (entry.reference.scopes !== undefined) return undefined;
    let found: Cover | undefined;
    for (const language of [
      entry.language,
      ...this.#languages.candidatesOf(entry.language).slice(0, MOST_CANDIDATES),
    ]) {
      const others = this.#othersOf(language, entry, otherRule);
      const kind = others.length > 0 && this.#languages.includes(language, entry.language);
      if (kind === 'over-budget') found ??= { entry: others[0]!, proof: kind, lost: [] };
      if (kind !== 'included') continue;
      for (const other of others) {
        if (!this.#stays(other, entry, otherRule)) continue;
        const cover: Cover = { entry: other, proof: 'proved', lost: this.#lostOf(other, entry) };
        if (cover.lost.length === 0) return cover;
        if (found?.proof !== 'proved') found = cover;
      }
    }
    return found;
  }

  /** Returns another rule with a threshold that is exceeded whenever one of a condition is. */
  thresholdCover(condition: number, threshold: Threshold): CompiledRule | undefined {
    const { conditions, rules } = this.#compiled;
    const { operand, rule } = conditions[condition]!;
    this.#thresholds ??= this.#readThresholds();
    for (const label of threshold.any ? ['any'] : ['any', threshold.key]) {
      const leaders = this.#thresholds.get(`${operand} ${label}`);
      for (const one of leaders === undefined ? [] : this.#leadersOver(leaders, rule, (own) => own.rule)) {
        const isFirst = this.#compare(one.rule, rule) < 0 || !this.#dominates(rule, one.rule);
        if (isIdle(threshold, one.threshold) && (isFirst || !isIdle(one.threshold, threshold))) return rules[one.rule];
      }
    }
    return undefined;
  }

  /** Returns, for each operand and label, the lowest threshold of each effect, and that of another rule. */
  #readThresholds(): ReadonlyMap<string, Leaders<PlacedThreshold>> {
    const all = this.#compiled.conditions.flatMap(({ operand, rule, thresholds }) =>
      thresholds.map((threshold) => ({ operand, rule, threshold })),
    );
    const found = new Map<string, Map<Effect, PlacedThreshold[]>>();
    for (const own of all.sort((a, b) => a.threshold.greaterThan - b.threshold.greaterThan)) {
      const key = `${own.operand} ${own.threshold.any ? 'any' : own.threshold.key}`;
      const leaders = found.get(key) ?? new Map<Effect, PlacedThreshold[]>();
      found.set(key, leaders);
      this.#lead(leaders, own, ({ rule }) => rule);
    }
    return found;
  }

  /** Adds a leader of its effect, unless there are two already. */
  #lead<T>(leaders: Map<Effect, T[]>, own: T, ruleOf: (one: T) => number): void {
    const effect = this.#effects[ruleOf(own)];
    const before = effect && leaders.get(effect);
    if (before !== undefined && before.length < 2 && ruleOf(before[0]!) !== ruleOf(own)) before.push(own);
    else if (effect !== undefined && before === undefined) leaders.set(effect, [own]);
  }

  /** Yields the leaders of other rules with at least the effect of a rule. */
  *#leadersOver<T>(leaders: Leaders<T>, rule: number, ruleOf: (one: T) => number): Generator<T> {
    let left = MOST_EFFECTS;
    for (const all of leaders.values()) {
      if (left-- === 0) return;
      const one = all.find((own) => ruleOf(own) !== rule);
      if (one !== undefined && this.#dominates(ruleOf(one), rule)) yield one;
    }
  }

  /** Returns entries of a language that may cover an entry: the first of its rule, and the first of rules of each effect. */
  #othersOf(language: number, entry: Entry, otherRule: boolean): readonly Entry[] {
    const { ofRules, ofEffects } = this.#leadingOf(language);
    const rule = this.#ruleOf(entry);
    const own = otherRule ? undefined : ofRules.get(`${entry.operand} ${rule}`);
    const others = [...this.#leadersOver(ofEffects[entry.operand], rule, this.#ruleOf)];
    return own === undefined || own.reference === entry.reference ? others : [own, ...others];
  }

  #leadingOf(language: number): Leading {
    const known = this.#leading.get(language);
    if (known !== undefined) return known;
    const ofRules = new Map<string, Entry>();
    const ofEffects = byTextOperand(() => new Map<Effect, Entry[]>());
    for (const entry of this.#languages.entriesOf(language)) {
      if (entry.reference.scopes !== undefined) continue;
      const key = `${entry.operand} ${this.#ruleOf(entry)}`;
      if (!ofRules.has(key)) ofRules.set(key, entry);
      this.#lead(ofEffects[entry.operand], entry, this.#ruleOf);
    }
    const leading = { ofRules, ofEffects };
    this.#leading.set(language, leading);
    return leading;
  }

  /** Reports whether it is the covering one that stays, of two that may cover each other. */
  #stays(covering: Entry, entry: Entry, otherRule: boolean): boolean {
    const [by, rule] = [this.#ruleOf(covering), this.#ruleOf(entry)];
    const order =
      this.#compare(by, rule) ||
      covering.reference.condition - entry.reference.condition ||
      covering.language - entry.language ||
      covering.order - entry.order;
    // A repetition has the order of what it repeats.
    if (order <= 0 || (rule === by ? otherRule : !this.#dominates(rule, by))) return true;
    return this.#languages.includes(entry.language, covering.language) === 'not';
  }

  readonly #ruleOf = ({ reference }: Entry): number => this.#compiled.conditions[reference.condition]!.rule;

  /** Orders rules: those of more actions first, then as they are written. */
  #compare(one: number, other: number): number {
    const countOf = (rule: number) => this.#effects[rule]?.actions.size ?? 0;
    return countOf(other) - countOf(one) || one - other;
  }

  #lostOf(covering: Entry, entry: Entry): readonly string[] {
    const { rules } = this.#compiled;
    const { actions } = rules[this.#ruleOf(covering)]!;
    return [...new Set(rules[this.#ruleOf(entry)]!.actions)].filter((action) => !actions.includes(action));
  }

  /** Reports whether a rule has at least the effect of another, except for weaker verdicts, on everyone to whom the other applies. */
  #dominates(by: number, rule: number): boolean {
    this.steps++;
    const [one, other] = [this.#effects[by], this.#effects[rule]];
    if (one === other || one === undefined || other === undefined) return one !== undefined && other !== undefined;
    const isVerdict = (action: string) => (verdictActions as readonly string[]).includes(action);
    return (
      one.rank <= other.rank &&
      [...other.actions].every((action) => isVerdict(action) || one.actions.has(action)) &&
      [...one.filters].every((filter) => other.filters.has(filter))
    );
  }
}

/** Reports whether a threshold is exceeded only when another one of the same operand is. */
export function isIdle(threshold: Threshold, other: Threshold): boolean {
  return (other.any || (other.key === threshold.key && !threshold.any)) && other.greaterThan <= threshold.greaterThan;
}

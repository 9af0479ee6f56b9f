/** The matches that are none because of an exception, as a decision lists them. Only for `explain`. */
import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { PatternFault } from '../match/patterns/engine.js';
import type { ExceptedMatch } from './decision.js';
import type { Hits } from './hits.js';
import { byOccurrence, type Find, type MatchFinder } from './matches.js';
import type { Observation } from './observation.js';

/** Most excepted matches that a decision lists. */
export const EXCEPTED_CAP = 100;

/** The first excepted matches that a scan finds, of rules whose filters hold. */
export class ExceptedFinds {
  readonly finds: { readonly find: Find; readonly entry: number }[] = [];
  readonly #appliesTo: (rule: number) => boolean;
  readonly #applies = new Map<number, boolean>();
  readonly #compiled: CompiledRuleSet;

  /** `appliesTo`: whether the filters of a rule, given by its number, hold for the message. */
  constructor(compiled: CompiledRuleSet, appliesTo: (rule: number) => boolean) {
    this.#compiled = compiled;
    this.#appliesTo = appliesTo;
  }

  get isFull(): boolean {
    return this.finds.length >= EXCEPTED_CAP;
  }

  add(find: Find, entry: number): void {
    if (this.isFull) return;
    const { rule } = this.#compiled.conditions[find.reference.condition]!;
    const applies = this.#applies.get(rule) ?? this.#appliesTo(rule);
    this.#applies.set(rule, applies);
    if (applies) this.finds.push({ find, entry });
  }

  /** Adds the matches of the patterns that a scan found, until there are enough or the budget is used up. */
  addPatterns(hits: Hits, { texts }: Observation): void {
    const { set, references } = this.#compiled.patterns;
    const { references: all, slots } = references[texts.operand];
    const { places, budget } = hits;
    if (set === undefined || slots === undefined || places === undefined) return;
    for (let at = 0; at < hits.patternCount && !this.isFull && !budget.isUsedUp; at += 2) {
      const pattern = hits.patterns[at]!;
      const part = hits.patterns[at + 1]!;
      const [first, last] = [slots.of[pattern]!, slots.of[pattern + 1]!];
      const noteAt = (start: number, end: number): boolean => {
        for (let slot = first; slot < last; slot++) {
          const { scopes } = all[slots.from[slot]!]!;
          const entry = scopes === undefined ? -1 : places.entryOf(scopes, part, start, end, budget);
          if (entry < 0) continue;
          for (const reference of all.slice(slots.from[slot]!, slots.from[slot + 1]!))
            this.add({ kind: 'pattern', part, start, end, reference, transforms: 0 }, entry);
        }
        return this.isFull || budget.isUsedUp;
      };
      try {
        set.find(pattern, texts.parts[part]!.text, 1, budget, noteAt);
      } catch (error) {
        if (!(error instanceof PatternFault)) throw error;
      }
    }
  }

  /** In the order of rules and conditions, then of the places in the message. */
  report(finder: MatchFinder): readonly ExceptedMatch[] {
    const { rules, conditions, exceptions } = this.#compiled;
    const sorted = this.finds.sort(
      (a, b) => a.find.reference.condition - b.find.reference.condition || byOccurrence(a.find, b.find),
    );
    return sorted.map(({ find, entry }) => {
      const { rule, id } = conditions[find.reference.condition]!;
      const { kind, written, listId } = exceptions!.entries[entry]!;
      return {
        ruleId: rules[rule]!.id,
        conditionId: id,
        match: finder.report(find),
        exception: {
          ...(kind === 'word' ? { term: written } : { pattern: written }),
          ...(listId !== undefined && { listId }),
        },
      };
    });
  }
}

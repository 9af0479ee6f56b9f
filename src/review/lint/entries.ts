/** The terms and patterns of the running conditions of a rule set, as the checks see them. */
import { runs } from '../../engine/compile/compile-rule-set.js';
import type { CompiledRuleSet, TextOperand } from '../../engine/compile/compiled-rule-set.js';
import { IssueLog } from '../../engine/compile/issue.js';
import type { Reference } from '../../engine/compile/references.js';
import { readTermLists, type TermList } from '../../engine/compile/terms.js';
import { asFields, asList, asString, type Fields } from '../../engine/compile/untrusted.js';
import type { RuleSetInput } from '../../engine/engine.js';
import type { Semantics } from '../../engine/semantics.js';
import { runAtOnce } from '../../foundation/portions.js';
import type { Found } from './finding.js';

/**
 * A term or a pattern of a condition that runs. Entries that fire on the same texts have the same
 * `language`.
 */
export interface Entry {
  readonly kind: 'word' | 'pattern';
  readonly language: number;
  readonly operand: TextOperand;
  readonly reference: Reference;
}

/**
 * The position of a term or a pattern: in a keyword list, with the first condition that names it,
 * or in a condition.
 */
export type Place = Pick<Found, 'ruleId' | 'conditionId' | 'listId' | 'index' | 'term' | 'pattern'>;

/** A compiled rule set with its source. */
interface Compiled {
  readonly ruleSet: RuleSetInput;
  readonly semantics: Semantics;
  readonly compiled: CompiledRuleSet;
}

/** The written rules, conditions and lists from which the compiled ones were made. */
export class Sources {
  readonly lists: ReadonlyMap<string, TermList>;
  /** The rules and conditions as written, by the index of the compiled ones. */
  readonly rules: readonly Fields[];
  readonly conditions: readonly (Fields | undefined)[];
  /** Ids of the lists that hold exceptions. Without a term, such a list excepts less. */
  readonly exceptionLists: ReadonlySet<string>;
  readonly #context: Compiled;
  readonly #indices = new Map<string | number, Map<string, number>>();

  constructor(context: Compiled) {
    const { ruleSet, semantics } = context;
    this.#context = context;
    this.lists = runAtOnce(readTermLists(ruleSet.lists ?? [], new IssueLog()));
    this.exceptionLists = new Set(
      semantics.exceptions.flatMap((exception) => (typeof exception === 'string' ? [] : (exception.lists ?? []))),
    );
    // `compileRules` selects the same rules.
    this.rules = ruleSet.rules.map(asFields).filter((fields): fields is Fields => {
      return (asString(fields?.id) ?? '') !== '' && runs(fields!, semantics);
    });
    this.conditions = this.rules.flatMap(({ conditions }) =>
      Array.isArray(conditions) ? conditions.filter((_, position) => position in conditions).map(asFields) : [],
    );
  }

  /**
   * Reports whether the texts of a condition must equal its terms, or match its patterns as a
   * whole.
   */
  isWhole(condition: number): boolean {
    return this.conditions[condition]?.operator === 'equals';
  }

  /** Returns the index of the first value of a condition for which a predicate holds, or -1. */
  indexOf(condition: number, holds: (value: unknown) => boolean): number {
    return asList(this.conditions[condition]?.value).findIndex(holds);
  }

  /**
   * Yields entries with their places. Each place occurs once, although several conditions may name
   * the same list.
   */
  *placed(entries: Iterable<Entry>): Generator<{ readonly entry: Entry; readonly place: Place }> {
    const seen = new Set<string>();
    for (const entry of entries) {
      const { condition, listId, written } = entry.reference;
      const key = `${entry.kind} ${this.isWhole(condition)} ${listId === undefined ? condition : `list ${listId}`} ${written}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield { entry, place: this.placeOf(entry) };
    }
  }

  placeOf({ kind, reference }: Pick<Entry, 'kind' | 'reference'>): Place {
    const { condition, written, listId } = reference;
    const { rules, conditions } = this.#context.compiled;
    const { id: conditionId, rule } = conditions[condition]!;
    const index = this.#indexOf(reference);
    return {
      ruleId: rules[rule]!.id,
      conditionId,
      ...(listId !== undefined && { listId }),
      ...(index !== undefined && { index }),
      ...(kind === 'word' ? { term: written } : { pattern: written }),
    };
  }

  /** Returns the first position of an entry in its list, or in the values of its condition. */
  #indexOf({ condition, written, listId }: Reference): number | undefined {
    const key = listId ?? condition;
    let indices = this.#indices.get(key);
    if (indices === undefined) {
      indices = new Map();
      const values =
        listId === undefined ? asList(this.conditions[condition]?.value).entries() : this.lists.get(listId)?.terms;
      for (const [index, value] of values ?? []) {
        if (typeof value === 'string' && !indices.has(value)) indices.set(value, index);
      }
      this.#indices.set(key, indices);
    }
    return indices.get(written);
  }
}

/** Describes a term or a pattern with its list, and with its rule unless that is `besides`. */
export function named({ term, pattern, listId, ruleId }: Place, besides?: string): string {
  const written = (term ?? pattern ?? '').replace(/\s+/g, ' ');
  const name = `${term === undefined ? 'pattern' : 'term'} \`${written.length > 60 ? `${written.slice(0, 60)}…` : written}\``;
  const list = listId === undefined ? '' : ` of list \`${listId}\``;
  return `${name}${list}${ruleId === besides ? '' : ` for rule \`${ruleId}\``}`;
}

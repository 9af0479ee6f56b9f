/**
 * Where exceptions occur in the texts of one message. A text is read for them when the first match in it has to be held against some.
 *
 * INVARIANT: all of it takes steps from the budget of the caller. Once that is used up nothing is excepted any more, so that a match
 * which could not be held against the exceptions stands.
 */
import type { CompiledExceptions } from '../compile/compiled-rule-set.js';
import { Advice } from '../match/keyword-scan.js';
import { PatternFault } from '../match/patterns/engine.js';
import type { WorkBudget } from '../match/work-budget.js';
import type { TextPart } from './observation.js';
import { type ExceptionSpan, earlier, SpanCover } from './span-cover.js';

/** Steps for an occurrence that is kept, and for a search in those of one scope. */
const STEPS_OF_A_PLACE = 24;
const STEPS_OF_A_SEARCH = 16;

/** The occurrences in one text, by scope. */
type Covers = readonly (SpanCover | undefined)[];

export class ExceptionPlaces {
  readonly #exceptions: CompiledExceptions;
  readonly #parts: readonly TextPart[];
  /** By index of the text; absent for one that was not read. */
  readonly #covers: (Covers | undefined)[] = [];

  constructor(exceptions: CompiledExceptions, parts: readonly TextPart[]) {
    this.#exceptions = exceptions;
    this.#parts = parts;
  }

  /**
   * The entry that excepts a match in a text, of those of some scopes; -1 when none does. Of several it is the one whose occurrence
   * begins first, and of these the first of the reading.
   */
  entryOf(scopes: readonly number[], part: number, start: number, end: number, budget: WorkBudget): number {
    if (budget.isUsedUp) return -1;
    this.#covers[part] ??= this.#read(this.#parts[part]!.text, budget);
    const covers = this.#covers[part];
    let first: ExceptionSpan | undefined;
    for (const scope of scopes) {
      budget.spent += STEPS_OF_A_SEARCH;
      const covering = covers[scope]?.covering(start, end);
      if (covering !== undefined) first = first === undefined ? covering : earlier(first, covering);
    }
    return first?.entry ?? -1;
  }

  #read(text: string, budget: WorkBudget): Covers {
    const { entries, scopes } = this.#exceptions;
    const found: ExceptionSpan[][] = [];
    const note = (start: number, end: number, of: readonly number[]) => {
      for (const entry of of) {
        const { scope } = entries[entry]!;
        found[scope] ??= [];
        found[scope].push({ start, end, entry });
        budget.spent += STEPS_OF_A_PLACE;
      }
    };
    this.#findTerms(text, budget, note);
    this.#findPatterns(text, budget, note);
    return Array.from({ length: scopes }, (_, scope) => found[scope] && new SpanCover(found[scope]));
  }

  #findTerms(text: string, budget: WorkBudget, note: OnOccurrence): void {
    const { words, isForAll } = this.#exceptions;
    if (words === undefined) return;
    const { matcher, entries } = words;
    budget.spent += text.length;
    let steps = 0;
    const spend = () => {
      budget.spent += matcher.steps - steps;
      steps = matcher.steps;
    };
    matcher.scan(text, (term, start, end) => {
      note(start, end, entries[term]!);
      spend();
      if (budget.isUsedUp) return Advice.STOP;
      // Of one scope, shorter terms with the same end cover nothing else.
      return isForAll ? Advice.SKIP_SHORTER : Advice.CONTINUE;
    });
    spend();
  }

  #findPatterns(text: string, budget: WorkBudget, note: OnOccurrence): void {
    const { patterns } = this.#exceptions;
    if (patterns === undefined || budget.isUsedUp) return;
    const { set, entries } = patterns;
    const marked: number[] = [];
    budget.spent += text.length;
    try {
      set.mark(text, (pattern) => marked.push(pattern));
      // The order of the automaton depends on the texts before.
      for (const pattern of marked.sort((a, b) => a - b)) {
        if (budget.isUsedUp) return;
        set.find(pattern, text, 1, budget, (start, end) => {
          note(start, end, entries[pattern]!);
          return budget.isUsedUp;
        });
      }
    } catch (error) {
      // What was found is found; a match that was not held against the rest stands.
      if (!(error instanceof PatternFault)) throw error;
    }
  }
}

type OnOccurrence = (start: number, end: number, entries: readonly number[]) => void;

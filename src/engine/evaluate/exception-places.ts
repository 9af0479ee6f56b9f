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

/** Steps for an occurrence, which bound how many are kept to three a unit, and for a search in those of one scope. */
const STEPS_OF_A_PLACE = 48;
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
   * The entry that excepts a match, of those of some scopes; -1 when none does. Of several it is the one whose occurrence begins first,
   * and of these the first of the reading.
   */
  entryOf(
    scopes: readonly number[],
    { part, start, end }: { readonly part: number; readonly start: number; readonly end: number },
    budget: WorkBudget,
  ): number {
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
    const { entries, scopes, words, patterns } = this.#exceptions;
    const found: ExceptionSpan[][] = Array.from({ length: scopes }, () => []);
    const note = (start: number, end: number, of: readonly number[]) => {
      for (const entry of of) {
        const own = found[entries[entry]!.scope]!;
        const last = own.at(-1);
        const next = { start, end, entry };
        budget.spent += STEPS_OF_A_PLACE;
        // Shorter ones with the same end cover nothing else: of nested terms the longest comes first.
        if (last === undefined || last.end !== end || earlier(last, next) === next) own.push(next);
      }
    };
    budget.spent += 2 * text.length;
    let steps = 0;
    words?.matcher.scan(text, (term, start, end) => {
      note(start, end, words.entries[term]!);
      budget.spent += words.matcher.steps - steps;
      steps = words.matcher.steps;
      return budget.isUsedUp ? Advice.STOP : Advice.CONTINUE;
    });
    const marked: number[] = [];
    try {
      if (!budget.isUsedUp) patterns?.set.mark(text, (pattern) => marked.push(pattern));
      // The order of the automaton depends on the texts before.
      for (const pattern of marked.sort((a, b) => a - b)) {
        if (budget.isUsedUp) break;
        patterns?.set.find(pattern, text, budget, (start, end) => {
          note(start, end, patterns.entries[pattern]!);
          return budget.isUsedUp;
        });
      }
    } catch (error) {
      // What was found is found; a match that was not held against the rest stands.
      if (!(error instanceof PatternFault)) throw error;
    }
    return found.map((spans) => (spans.length === 0 ? undefined : new SpanCover(spans)));
  }
}

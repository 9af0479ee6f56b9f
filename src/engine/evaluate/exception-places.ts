/**
 * The places of exceptions in the texts of one message. A text is read for them when the first
 * match in it must be compared with some.
 *
 * INVARIANT: every step is taken from the budget of the caller. Once that is used up nothing is
 * excepted any more, so a match that could not be compared with the exceptions stands.
 */
import type { CompiledExceptions } from '../compile/compiled-rule-set.js';
import { FORMATTING } from '../match/hardened/transforms.js';
import { Advice } from '../match/keyword-scan.js';
import { firstWhere } from '../match/ordered.js';
import type { Span } from '../match/span.js';
import type { WorkBudget } from '../match/work-budget.js';
import type { TextPart } from './observation.js';

/**
 * Steps for an occurrence, which bound how many are kept to three a unit, and for a search among
 * those of one scope.
 */
const STEPS_OF_A_PLACE = 48;
const STEPS_OF_A_SEARCH = 16;

/** The span of a match in one of the texts, with the transforms that it was read through. */
interface MatchPlace extends Span {
  readonly part: number;
  readonly transforms: number;
}

/** An occurrence of an exception, with its index into `CompiledExceptions.entries`. */
interface ExceptionSpan extends Span {
  readonly entry: number;
}

/** Occurrences of exceptions in a text. A binary search finds the one that covers a span. */
class SpanCover {
  readonly #ends: Int32Array;
  /**
   * For each end: of the occurrences that end there or later, the one that begins first, and of
   * these the first entry.
   */
  readonly #earliest: readonly ExceptionSpan[];

  constructor(found: ExceptionSpan[]) {
    // Not every matcher visits occurrences in the order of their ends.
    found.sort((a, b) => a.end - b.end);
    const earliest = [...found];
    for (let at = found.length - 2; at >= 0; at--) earliest[at] = earlier(found[at]!, earliest[at + 1]!);
    this.#ends = Int32Array.from(found, ({ end }) => end);
    this.#earliest = earliest;
  }

  /**
   * Returns the occurrence that a span lies inside: of several the one that begins first, and of
   * these the first entry.
   */
  covering(start: number, end: number): ExceptionSpan | undefined {
    const ends = this.#ends;
    const first = this.#earliest[firstWhere(0, ends.length, (index) => ends[index]! >= end)];
    return first !== undefined && first.start <= start ? first : undefined;
  }
}

/** Returns the one that begins first; of two that begin at one place, the first entry. */
function earlier(left: ExceptionSpan, right: ExceptionSpan): ExceptionSpan {
  return (left.start - right.start || left.entry - right.entry) <= 0 ? left : right;
}

/**
 * The occurrences in one text, two for each scope: those of the text as it was sent, then those
 * that were read through formatting.
 */
type Covers = readonly (SpanCover | undefined)[];

export class ExceptionPlaces {
  readonly #exceptions: CompiledExceptions;
  readonly #parts: readonly TextPart[];
  /** The occurrences of each text; absent for one that was not read. */
  readonly #covers: (Covers | undefined)[] = [];

  constructor(exceptions: CompiledExceptions, parts: readonly TextPart[]) {
    this.#exceptions = exceptions;
    this.#parts = parts;
  }

  /**
   * Returns the entry that excepts a match, of those of some scopes; -1 when none does. Of several
   * it is the one whose occurrence begins first, and of these the first of the reading. A match of
   * the text as it was sent is excepted by nothing that is read through formatting.
   */
  entryOf(scopes: readonly number[], { part, start, end, transforms }: MatchPlace, budget: WorkBudget): number {
    if (budget.isUsedUp) return -1;
    this.#covers[part] ??= this.#read(this.#parts[part]!.text, budget);
    const covers = this.#covers[part];
    let first: ExceptionSpan | undefined;
    for (const scope of scopes) {
      budget.spent += STEPS_OF_A_SEARCH;
      for (let form = 0; form <= (transforms & FORMATTING) / FORMATTING; form++) {
        const covering = covers[2 * scope + form]?.covering(start, end);
        if (covering !== undefined) first = first === undefined ? covering : earlier(first, covering);
      }
    }
    return first?.entry ?? -1;
  }

  #read(text: string, budget: WorkBudget): Covers {
    const { entries, scopes, words, patterns } = this.#exceptions;
    const found: ExceptionSpan[][] = Array.from({ length: 2 * scopes }, () => []);
    const note = (start: number, end: number, entriesFound: readonly number[], transforms = 0) => {
      for (const entry of entriesFound) {
        const spans = found[2 * entries[entry]!.scope + (transforms & FORMATTING) / FORMATTING]!;
        const last = spans.at(-1);
        const next = { start, end, entry };
        budget.spent += STEPS_OF_A_PLACE;
        // Shorter ones with the same end cover nothing else: of nested terms the longest comes
        // first.
        if (last === undefined || last.end !== end || earlier(last, next) === next) spans.push(next);
      }
    };
    budget.spent += 2 * text.length;
    let steps = 0;
    const marked: number[] = [];
    try {
      words?.matcher.scan(text, (term, start, end, transforms) => {
        note(start, end, words.entries[term]!, transforms);
        budget.spent += words.matcher.steps - steps;
        steps = words.matcher.steps;
        return budget.isUsedUp ? Advice.STOP : Advice.CONTINUE;
      });
      if (!budget.isUsedUp) patterns?.set.mark(text, (pattern) => marked.push(pattern));
      // The order of the automaton depends on the texts before.
      for (const pattern of marked.sort((a, b) => a - b)) {
        if (budget.isUsedUp) break;
        patterns?.set.find(pattern, text, budget, (start, end) => {
          note(start, end, patterns.entries[pattern]!);
          return budget.isUsedUp;
        });
      }
    } catch {
      // Occurrences found so far count; a match that was not compared with the rest stands.
    }
    return found.map((spans) => (spans.length === 0 ? undefined : new SpanCover(spans)));
  }
}

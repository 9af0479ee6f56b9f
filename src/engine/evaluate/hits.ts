/**
 * The hits of a message: occurrences of terms with their spans, patterns that occur, and the
 * conditions that hold because of them. `decide` and `explain` derive their verdicts from the same
 * conditions, which is why they cannot disagree. Each text is scanned once for both terms and
 * patterns. All state is in arrays that are reused for the next message.
 *
 * INVARIANT: beside one read of each unit, a message takes at most its work budget and, for each
 * term, one comparison until it is found. A term is closed when `limit` occurrences of it are kept,
 * and once the budget is used up, after the first.
 */
import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { isMediaOperand, textOperands } from '../compile/operands.js';
import type { Reference, ReferenceIndex } from '../compile/references.js';
import { Advice, type ClosedTerms } from '../match/keyword-scan.js';
import { PatternFault } from '../match/patterns/engine.js';
import type { PatternDfa } from '../match/patterns/lazy-dfa.js';
import type { Span } from '../match/span.js';
import { WorkBudget } from '../match/work-budget.js';
import type { Semantics } from '../semantics.js';
import { ExceptionPlaces } from './exception-places.js';
import type { Observation } from './observation.js';
import { holdsMedia, lackOfScores, scoresOver } from './scores.js';

/**
 * Fields of an occurrence that is kept: key, index of the text, start, end, transforms, and offset
 * of the next one of the same key, or -1. Where there are exceptions a key is a reference, since a
 * match that is excepted for one may stand for another: references to patterns are after those to
 * words.
 */
export const WordHit = { KEY: 0, PART: 1, START: 2, END: 3, TRANSFORMS: 4, NEXT: 5, SIZE: 6 } as const;

const { KEY, PART, START, END, TRANSFORMS, NEXT, SIZE } = WordHit;
/** Arrays that grew longer than this are not kept for the next message. */
const MAX_KEPT = 1 << 14;
/** Steps for an occurrence that is kept: it is stored, sorted, and reported. */
const STEPS_OF_A_HIT = 24;

/**
 * An occurrence in a text, with the reference to its term or pattern. Its path is printed only when
 * it is reported.
 */
export interface Find {
  readonly kind: 'word' | 'pattern';
  /** Index of the message's text, and the span in it. */
  readonly part: number;
  readonly start: number;
  readonly end: number;
  readonly reference: Reference;
  /** The transforms of a term as bits; 0 for patterns. */
  readonly transforms: number;
}

/** The readings that a scan follows. */
type ScanReadings = Pick<Semantics, 'missingScores' | 'unreadable'>;

/**
 * Describes a failed search. The text of an error may quote the message, so only its name is told.
 */
function faultWords(error: unknown): string {
  if (error instanceof PatternFault) return error.message;
  return `the search failed (${error instanceof Error ? error.name : 'unknown error'})`;
}

/** The most excepted matches that are kept. */
const EXCEPTED_CAP = 100;

export class Hits {
  /** For each condition: 1 when it holds. */
  readonly holds: Uint8Array;
  /** The conditions that hold, in any order: the first `heldCount`. */
  readonly held: Int32Array;
  heldCount = 0;
  /**
   * Occurrences of terms, `WordHit.SIZE` numbers each; the first `headCount` of `heads` are offsets
   * of the first of each key.
   */
  words = new Int32Array(16 * SIZE);
  readonly heads: number[] = [];
  headCount = 0;
  /**
   * `[pattern, part, pattern, part, …]`: patterns that occur and the texts they occur in; the first
   * `patternCount` numbers.
   */
  readonly patterns: number[] = [];
  patternCount = 0;
  /** Why terms, and why patterns, of this message could not be searched for. */
  readonly #faults: Record<Find['kind'], string | undefined> = { word: undefined, pattern: undefined };
  /** The conditions that refer to terms, listed when a search for them first fails. */
  #wordConditions: ReadonlySet<number> | undefined;
  /** Work allowed for occurrences beyond the first of each term and pattern. */
  readonly budget = new WorkBudget();
  /** The budget was used up: occurrences may be missing, but none that makes a condition hold. */
  truncated = false;
  /** References to patterns are keys from this one on. */
  patternBase = 0;
  /** The places of exceptions in the texts of the message; absent where there are no exceptions. */
  places: ExceptionPlaces | undefined;
  /**
   * Whether a match was excepted; with a limit above one, the first such matches, each with the
   * entry of the exceptions.
   */
  hasExcepted = false;
  readonly excepted: { readonly find: Find; readonly entry: number }[] = [];

  readonly #compiled: CompiledRuleSet;
  /** For each key: the number of hits kept, and the offset of the last. */
  readonly #kept: Int32Array;
  readonly #last: Int32Array;
  readonly #closed: ClosedTerms;
  /** Steps of the texts before this one, and of the hits kept. */
  #spentBefore = 0;
  #size = 0;
  #limit = 1;
  #part = 0;
  #text = '';
  #wordReferences: ReferenceIndex;
  #patternReferences: ReferenceIndex;
  /** Patterns of this text to which exceptions apply. */
  readonly #marked: number[] = [];

  constructor(compiled: CompiledRuleSet) {
    this.#compiled = compiled;
    this.holds = new Uint8Array(compiled.conditions.length);
    this.held = new Int32Array(compiled.conditions.length);
    const { words, patterns, exceptions } = compiled;
    const references = textOperands.map(
      (operand) => words.references[operand].references.length + patterns.references[operand].references.length,
    );
    const keys = exceptions === undefined ? words.count : references.reduce((most, count) => Math.max(most, count), 0);
    this.#kept = new Int32Array(keys);
    this.#last = new Int32Array(keys);
    this.#closed = compiled.words.matcher.createClosedTerms();
    this.#wordReferences = compiled.words.references.text;
    this.#patternReferences = compiled.patterns.references.text;
  }

  /**
   * Scans a message; at most `limit` occurrences of a key are kept. `places` are those of an
   * earlier scan of the message. `clear` must be called before the next scan.
   *
   * INVARIANT: afterwards `held` has every condition that holds, whatever `limit` is, unless
   * exceptions apply and the budget is used up: then a match that could not be compared with
   * exceptions counts.
   */
  scan(observation: Observation, semantics: ScanReadings, limit: number, places?: ExceptionPlaces): void {
    const { words, patterns, exceptions } = this.#compiled;
    const { scores } = observation;
    const { missingScores } = semantics;
    const { operand, parts, unreadable } = observation.texts;
    this.#limit = limit;
    this.#wordReferences = words.references[operand];
    this.#patternReferences = patterns.references[operand];
    this.patternBase = exceptions === undefined ? words.count : this.#wordReferences.references.length;
    this.places = places ?? (exceptions && new ExceptionPlaces(exceptions, parts));
    if (patterns.set === undefined) this.#faults.pattern = patterns.fault;
    let units = 0;
    for (const { text } of parts) units += text.length;
    this.budget.begin(units);
    for (let partIndex = 0; partIndex < parts.length; partIndex++) {
      const { text } = parts[partIndex]!;
      this.#part = partIndex;
      this.#text = text;
      this.#scanText(text);
    }
    if (unreadable) for (const condition of this.#compiled.unreadableConditions) this.#hold(condition);
    if (semantics.unreadable === 'block' && this.hasFault) this.#holdUnsearched();
    if (scores.length === 0 && missingScores !== 'block') return;
    for (const condition of this.#compiled.scoredConditions) {
      const { operand: kind, thresholds } = this.#compiled.conditions[condition]!;
      const isOver = scoresOver(thresholds, kind, scores, 1).length > 0;
      const isMissing = () =>
        holdsMedia(observation, kind) && lackOfScores(thresholds, kind, observation) !== undefined;
      if (isOver || (missingScores === 'block' && isMediaOperand(kind) && isMissing())) this.#hold(condition);
    }
  }

  /**
   * Resets all state, in time proportional to the hits, so that the next message starts from
   * nothing.
   */
  clear(): void {
    for (let at = 0; at < this.heldCount; at++) this.holds[this.held[at]!] = 0;
    for (let at = 0; at < this.headCount; at++) this.#kept[this.words[this.heads[at]! + KEY]!] = 0;
    this.#closed.clear();
    this.heldCount = 0;
    // Not `length = 0`: that frees the array's storage, and the next message would allocate it
    // again.
    this.headCount = 0;
    this.patternCount = 0;
    this.#size = 0;
    this.#text = '';
    this.places = undefined;
    this.hasExcepted = false;
    if (this.excepted.length > 0) this.excepted.length = 0;
    this.#faults.word = undefined;
    this.#faults.pattern = undefined;
    this.truncated = false;
    if (this.words.length > MAX_KEPT) this.words = new Int32Array(16 * SIZE);
    if (this.heads.length > MAX_KEPT) this.heads.length = 0;
    if (this.patterns.length > MAX_KEPT) this.patterns.length = 0;
  }

  #scanText(text: string): void {
    const { words, patterns } = this.#compiled;
    const { set } = patterns;
    this.#spentBefore = this.budget.spent;
    const isComplete = words.count > 0 && this.#scanTerms(text, set?.dfa);
    try {
      if (!isComplete) set?.mark(text, this.#onPattern);
      else if (set?.dfa !== undefined)
        for (let at = 0; at < set.dfa.matchedCount; at++) this.#onPattern(set.dfa.matched[at]!);
    } catch (error) {
      this.#faults.pattern = faultWords(error);
    }
    this.#findMarked();
  }

  /**
   * Scans a text for terms. Returns whether patterns were stepped in the same loop, so that those
   * that occur are known.
   */
  #scanTerms(text: string, dfa: PatternDfa | undefined): boolean {
    const { matcher } = this.#compiled.words;
    let isComplete = false;
    try {
      if (dfa === undefined) matcher.scan(text, this.#onTerm, this.#closed);
      else isComplete = matcher.scanWith(text, this.#onTerm, dfa, this.#closed);
    } catch (error) {
      this.#faults.word = faultWords(error);
    }
    this.#spend(matcher.steps);
    return isComplete;
  }

  /** Whether an engine failed on this message. Conditions that hold all the same are answered. */
  get hasFault(): boolean {
    return this.#faults.word !== undefined || this.#faults.pattern !== undefined;
  }

  /**
   * Returns why the terms or patterns of a condition could not be searched for; `undefined` if they
   * were.
   */
  faultOf(condition: number): string | undefined {
    const { word, pattern } = this.#faults;
    if (pattern !== undefined && this.#compiled.conditions[condition]!.patterns.length > 0) return pattern;
    return word !== undefined && this.#conditionsOnWords().has(condition) ? word : undefined;
  }

  #conditionsOnWords(): ReadonlySet<number> {
    if (this.#wordConditions === undefined) {
      const found = new Set<number>();
      for (const operand of textOperands)
        for (const { condition } of this.#compiled.words.references[operand].references) found.add(condition);
      this.#wordConditions = found;
    }
    return this.#wordConditions;
  }

  /**
   * Makes the conditions hold whose terms or patterns could not be searched for in this message.
   */
  #holdUnsearched(): void {
    const { word, pattern } = this.#faults;
    if (word !== undefined) for (const { condition } of this.#wordReferences.references) this.#hold(condition);
    if (pattern !== undefined && this.#compiled.patterns.set !== undefined)
      for (const { condition } of this.#patternReferences.references) this.#hold(condition);
  }

  readonly #onTerm = (key: number, start: number, end: number, transforms: number): number => {
    const { from, references } = this.#wordReferences;
    const first = from[key]!;
    const last = from[key + 1]!;
    if (first === last) {
      this.#closed.close(key);
      return Advice.CONTINUE;
    }
    if (this.places !== undefined) return this.#onExceptableTerm(key, { start, end }, transforms);
    const before = this.#kept[key]!;
    if (before >= this.#limit) return Advice.CONTINUE;
    this.#keep(key, start, end, transforms, before);
    if (before === 0) for (let index = first; index < last; index++) this.#hold(references[index]!.condition);
    this.#spentBefore += STEPS_OF_A_HIT * (last - first);
    this.#spend(this.#compiled.words.matcher.steps);
    if (before + 1 >= this.#limit) this.#closed.close(key);
    return Advice.CONTINUE;
  };

  /**
   * Stores an occurrence after the `before` others of its key. Allocates only if the arrays are
   * full.
   */
  #keep(key: number, start: number, end: number, transforms: number, before: number): void {
    if (this.#size === this.words.length) {
      const longer = new Int32Array(2 * this.#size);
      longer.set(this.words);
      this.words = longer;
    }
    const { words } = this;
    const at = this.#size;
    words[at + KEY] = key;
    words[at + PART] = this.#part;
    words[at + START] = start;
    words[at + END] = end;
    words[at + TRANSFORMS] = transforms;
    words[at + NEXT] = -1;
    this.#size += SIZE;
    this.#kept[key] = before + 1;
    if (before > 0) words[this.#last[key]! + NEXT] = at;
    else this.heads[this.headCount++] = at;
    this.#last[key] = at;
  }

  /**
   * Adds the steps of this text to the budget. Once it is used up, the limit is one occurrence, and
   * found terms are closed.
   */
  #spend(steps: number): void {
    this.budget.spent = this.#spentBefore + steps;
    if (!this.budget.isUsedUp || this.#limit === 1) return;
    this.#limit = 1;
    this.truncated = true;
    // A term with several keys is closed when it is visited again.
    if (this.places !== undefined) return;
    for (let at = 0; at < this.headCount; at++) this.#closed.close(this.words[this.heads[at]! + KEY]!);
  }

  #onExceptableTerm(key: number, span: Span, transforms: number): number {
    this.#spend(this.#compiled.words.matcher.steps);
    const { spent } = this.budget;
    if (this.#take('word', key, span, transforms)) this.#closed.close(key);
    this.#spentBefore += this.budget.spent - spent;
    return Advice.CONTINUE;
  }

  /**
   * Keeps an occurrence for the references to its term or pattern for which it is not excepted.
   * Returns whether all have enough.
   */
  #take(kind: Find['kind'], key: number, { start, end }: Span, transforms: number): boolean {
    const { from, references } = kind === 'word' ? this.#wordReferences : this.#patternReferences;
    const base = kind === 'word' ? 0 : this.patternBase;
    let isEnough = true;
    for (let at = from[key]!; at < from[key + 1]!; at++) {
      const before = this.#kept[base + at]!;
      if (before >= this.#limit) continue;
      const reference = references[at]!;
      if (!this.#isExcepted({ kind, part: this.#part, start, end, reference, transforms })) {
        this.#keep(base + at, start, end, transforms, before);
        this.#hold(reference.condition);
        this.budget.spent += STEPS_OF_A_HIT;
      }
      if (this.#kept[base + at]! < this.#limit) isEnough = false;
    }
    return isEnough;
  }

  /** Reports whether a match is excepted. With a limit above one, the first that are, are kept. */
  #isExcepted(find: Find): boolean {
    const { scopes } = find.reference;
    if (scopes === undefined || this.places === undefined) return false;
    const entry = this.places.entryOf(scopes, find, this.budget);
    if (entry < 0) return false;
    this.hasExcepted = true;
    if (this.#limit > 1 && this.excepted.length < EXCEPTED_CAP) this.excepted.push({ find, entry });
    return true;
  }

  readonly #onPattern = (pattern: number): void => {
    const { from, references } = this.#patternReferences;
    const first = from[pattern]!;
    const last = from[pattern + 1]!;
    if (this.places !== undefined && references.slice(first, last).some(({ scopes }) => scopes !== undefined)) {
      this.#marked.push(pattern);
      return;
    }
    let isKept = this.#limit > 1;
    for (let index = first; index < last; index++) if (this.#hold(references[index]!.condition)) isKept = true;
    if (first === last || !isKept) return;
    this.patterns[this.patternCount++] = pattern;
    this.patterns[this.patternCount++] = this.#part;
    this.#spendOnHits(last - first);
  };

  /**
   * Searches for the patterns of this text to which exceptions apply, in the order of their
   * numbers: that of the automaton depends on the texts before. Where one match is enough, those of
   * which every condition holds are left out.
   */
  #findMarked(): void {
    if (this.#marked.length === 0) return;
    const { from, references } = this.#patternReferences;
    for (const pattern of this.#marked.sort((a, b) => a - b)) {
      const patternReferences = references.slice(from[pattern]!, from[pattern + 1]!);
      if (this.#limit === 1 && patternReferences.every(({ condition }) => this.holds[condition] === 1)) continue;
      try {
        this.#compiled.patterns.set?.find(pattern, this.#text, this.budget, (start, end) => {
          this.#spendOnHits(0);
          return this.#take('pattern', pattern, { start, end }, 0);
        });
      } catch {
        for (const { condition } of patternReferences) this.#hold(condition);
      }
      this.#spendOnHits(0);
    }
    this.#marked.length = 0;
  }

  #spendOnHits(count: number): void {
    this.#spentBefore = this.budget.spent;
    this.#spend(STEPS_OF_A_HIT * count);
  }

  /**
   * Marks a condition as holding; each is in `held` once. Returns false when it was marked before.
   */
  #hold(condition: number): boolean {
    if (this.holds[condition] === 1) return false;
    this.holds[condition] = 1;
    this.held[this.heldCount++] = condition;
    return true;
  }
}

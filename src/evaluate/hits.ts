/**
 * The hits of a message: occurrences of terms with their spans, patterns that occur, and the conditions that hold because of
 * them. `decide` and `explain` derive their verdicts from the same conditions, which is why they cannot disagree. Each text
 * is scanned once for both terms and patterns. All state is in arrays that are reused for the next message.
 *
 * INVARIANT: beside one read of each unit, a message takes at most its work budget and, for each term, one comparison until
 * it is found. A term is closed when `limit` occurrences of it are kept, and once the budget is used up, after the first.
 */
import type { CompiledRuleSet, ExactMatch } from '../compile/compiled-rule-set.js';
import type { Reference, ReferenceIndex, Slots } from '../compile/references.js';
import { Advice, type ClosedTerms } from '../match/keyword-scan.js';
import { PatternFault } from '../match/patterns/engine.js';
import { WorkBudget } from '../match/work-budget.js';
import type { Semantics } from '../semantics.js';
import type { ExceptedFinds } from './excepted.js';
import { ExceptionPlaces } from './exception-places.js';
import { holdsMedia, lackOfScores, scoresOver } from './media.js';
import type { Observation } from './observation.js';

/** Fields of a word hit: key, or slot of it where exceptions apply to some terms, index of the text, start, end, transforms, and offset of the next hit of the same one, or -1. */
export const WordHit = { KEY: 0, PART: 1, START: 2, END: 3, TRANSFORMS: 4, NEXT: 5, SIZE: 6 } as const;

const { KEY, PART, START, END, TRANSFORMS, NEXT, SIZE } = WordHit;
/** Arrays that grew longer than this are not kept for the next message. */
const MAX_KEPT = 1 << 14;
/** Steps for an occurrence that is kept: it is stored, sorted, and reported. */
const STEPS_OF_A_HIT = 24;

/** What a scan has from one of the same message before it. */
export interface SharedScan {
  readonly places: ExceptionPlaces | undefined;
  /** Takes what is excepted among words; the patterns are searched for by who reports them. */
  readonly excepted: ExceptedFinds;
}

export class Hits {
  /** By condition: 1 when it holds. */
  readonly holds: Uint8Array;
  /** The conditions that hold, in any order: the first `heldCount`. */
  readonly held: Int32Array;
  heldCount = 0;
  /** Occurrences of terms, `WordHit.SIZE` numbers each; the first `headCount` of `heads` are offsets of the first of each key. */
  words = new Int32Array(16 * SIZE);
  readonly heads: number[] = [];
  headCount = 0;
  /** Whole texts that equal a term. */
  readonly exactMatches: { readonly part: number; readonly match: ExactMatch }[] = [];
  /** `[pattern, part, pattern, part, …]`: patterns that occur and the texts they occur in; the first `patternCount` numbers. */
  readonly patterns: number[] = [];
  patternCount = 0;
  /** The pattern engine failed on this message; its conditions could not be evaluated. */
  fault: string | undefined;
  /** Work allowed for occurrences beyond the first of each term and pattern. */
  readonly budget = new WorkBudget();
  /** The budget was used up: occurrences may be missing, but none that makes a condition hold. */
  truncated = false;
  /** Where exceptions occur in the texts of the message; absent where there are none. */
  places: ExceptionPlaces | undefined;
  /** A match was excepted. */
  hasExcepted = false;

  readonly #compiled: CompiledRuleSet;
  /** By key: the number of hits kept, and the offset of the last. */
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
  #excepted: ExceptedFinds | undefined;
  /** Patterns of the text to which exceptions apply. */
  readonly #marked: number[] = [];

  constructor(compiled: CompiledRuleSet) {
    this.#compiled = compiled;
    this.holds = new Uint8Array(compiled.conditions.length);
    this.held = new Int32Array(compiled.conditions.length);
    const { text, custom } = compiled.words.references;
    const keys = Math.max(compiled.words.count, text.slots?.count ?? 0, custom.slots?.count ?? 0);
    this.#kept = new Int32Array(keys);
    this.#last = new Int32Array(keys);
    this.#closed = compiled.words.matcher.createClosedTerms();
    this.#wordReferences = compiled.words.references.text;
    this.#patternReferences = compiled.patterns.references.text;
  }

  /** Scans a message; at most `limit` occurrences of a key are kept. `clear` must be called before the next scan. */
  scan(observation: Observation, { missingScores }: Semantics, limit: number, shared?: SharedScan): void {
    const { words, patterns, exceptions } = this.#compiled;
    const { media } = observation;
    const { operand, parts, unreadable } = observation.texts;
    this.#limit = limit;
    this.places = shared?.places;
    if (exceptions !== undefined) this.places ??= new ExceptionPlaces(exceptions, parts);
    this.#excepted = shared?.excepted;
    this.#wordReferences = words.references[operand];
    this.#patternReferences = patterns.references[operand];
    if (patterns.set === undefined) this.fault = patterns.fault;
    const exactTerms = words.exactTerms[operand];
    let units = 0;
    for (const { text } of parts) units += text.length;
    this.budget.begin(units);
    for (let part = 0; part < parts.length; part++) {
      const { text } = parts[part]!;
      this.#part = part;
      this.#text = text;
      this.#scanText(text);
      if (exactTerms.size > 0 && exactTerms.mayEqual(text)) this.#noteExact(exactTerms.occurrencesIn(text));
    }
    if (unreadable) for (const condition of this.#compiled.unreadableConditions) this.#hold(condition);
    if (media.length === 0 && missingScores !== 'block') return;
    for (const condition of this.#compiled.mediaConditions) {
      const { operand: kind, thresholds } = this.#compiled.conditions[condition]!;
      const isOver = scoresOver(thresholds, kind, media, 1).length > 0;
      const isMissing = () =>
        holdsMedia(observation, kind) && lackOfScores(thresholds, kind, observation) !== undefined;
      if (isOver || (missingScores === 'block' && isMissing())) this.#hold(condition);
    }
  }

  /** Resets all state, in time proportional to the hits. */
  clear(): void {
    for (let at = 0; at < this.heldCount; at++) this.holds[this.held[at]!] = 0;
    for (let at = 0; at < this.headCount; at++) this.#kept[this.words[this.heads[at]! + KEY]!] = 0;
    this.#closed.clear();
    this.heldCount = 0;
    // Not `length = 0`: that frees the array's storage, and the next message would allocate it again.
    this.headCount = 0;
    this.patternCount = 0;
    if (this.exactMatches.length > 0) this.exactMatches.length = 0;
    this.#size = 0;
    this.#text = '';
    this.places = undefined;
    this.hasExcepted = false;
    this.#excepted = undefined;
    this.fault = undefined;
    this.truncated = false;
    if (this.words.length > MAX_KEPT) this.words = new Int32Array(16 * SIZE);
    if (this.heads.length > MAX_KEPT) this.heads.length = 0;
    if (this.patterns.length > MAX_KEPT) this.patterns.length = 0;
  }

  #scanText(text: string): void {
    const { words, patterns } = this.#compiled;
    const { set } = patterns;
    this.#spentBefore = this.budget.spent;
    if (set?.dfa !== undefined && words.count > 0) {
      const isComplete = words.matcher.scanWith(text, this.#onTerm, set.dfa, this.#closed);
      this.#spend(words.matcher.steps);
      if (isComplete) {
        const { matched, matchedCount } = set.dfa;
        for (let at = 0; at < matchedCount; at++) this.#onPattern(matched[at]!);
        this.#takeMarked();
        return;
      }
    } else if (words.count > 0) {
      words.matcher.scan(text, this.#onTerm, this.#closed);
      this.#spend(words.matcher.steps);
    }
    try {
      set?.mark(text, this.#onPattern);
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      this.fault = error.message;
    }
    this.#takeMarked();
  }

  readonly #onTerm = (key: number, start: number, end: number, transforms: number): number => {
    const { from, references, slots } = this.#wordReferences;
    const first = from[key]!;
    const last = from[key + 1]!;
    if (first === last) {
      this.#closed.close(key);
      return Advice.CONTINUE;
    }
    if (slots !== undefined) return this.#onSlots(slots, key, start, end, transforms);
    const before = this.#kept[key]!;
    if (before >= this.#limit) return Advice.CONTINUE;
    this.#keep(key, start, end, transforms, before);
    if (before === 0) for (let index = first; index < last; index++) this.#hold(references[index]!.condition);
    this.#spentBefore += STEPS_OF_A_HIT * (last - first);
    this.#spend(this.#compiled.words.matcher.steps);
    if (before + 1 >= this.#limit) this.#closed.close(key);
    return Advice.CONTINUE;
  };

  /** Stores an occurrence behind the `before` others of its key. */
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

  /** Adds the steps of this text to the budget. Once it is used up, the limit is one occurrence, and found terms are closed. */
  #spend(steps: number): void {
    this.budget.spent = this.#spentBefore + steps;
    if (!this.budget.isUsedUp || this.#limit === 1) return;
    this.#limit = 1;
    this.truncated = true;
    // A term with several slots is closed when it is visited again.
    if (this.#wordReferences.slots !== undefined) return;
    for (let at = 0; at < this.headCount; at++) this.#closed.close(this.words[this.heads[at]! + KEY]!);
  }

  /** An occurrence where exceptions apply to some terms: it is kept for the slots of its term for which it is not excepted. */
  #onSlots({ of, from }: Slots, key: number, start: number, end: number, transforms: number): number {
    const { references } = this.#wordReferences;
    let isOpen = false;
    let advice: number = Advice.CONTINUE;
    for (let slot = of[key]!; slot < of[key + 1]!; slot++) {
      const before = this.#kept[slot]!;
      if (before >= this.#limit) continue;
      const [first, last] = [from[slot]!, from[slot + 1]!];
      const spent = this.budget.spent;
      const entry = this.#entryOf(references[first]!, start, end);
      this.#spentBefore += this.budget.spent - spent;
      if (entry < 0) {
        this.#keep(slot, start, end, transforms, before);
        if (before === 0) for (let index = first; index < last; index++) this.#hold(references[index]!.condition);
        this.#spentBefore += STEPS_OF_A_HIT * (last - first);
      } else if (this.#excepted === undefined) {
        // An exception for everything that covers this span covers all shorter terms with the same end, too.
        if (this.#compiled.exceptions?.isForAll) advice = Advice.SKIP_SHORTER;
      } else {
        for (let index = first; index < last; index++) {
          const reference = references[index]!;
          this.#excepted.add({ kind: 'word', part: this.#part, start, end, reference, transforms }, entry);
        }
      }
      this.#spend(this.#compiled.words.matcher.steps);
      if (this.#kept[slot]! < this.#limit) isOpen = true;
    }
    if (!isOpen) this.#closed.close(key);
    return advice;
  }

  /** The entry of the exceptions that excepts a match in this text; -1 when none does. */
  #entryOf({ scopes }: Reference, start: number, end: number): number {
    if (scopes === undefined || this.places === undefined) return -1;
    const entry = this.places.entryOf(scopes, this.#part, start, end, this.budget);
    if (entry >= 0) this.hasExcepted = true;
    return entry;
  }

  readonly #onPattern = (pattern: number): void => {
    const { from, references, slots } = this.#patternReferences;
    if (slots !== undefined) {
      this.#marked.push(pattern);
      return;
    }
    const first = from[pattern]!;
    const last = from[pattern + 1]!;
    let isKept = this.#limit > 1;
    for (let index = first; index < last; index++) if (this.#hold(references[index]!.condition)) isKept = true;
    if (first === last || !isKept) return;
    this.patterns[this.patternCount++] = pattern;
    this.patterns[this.patternCount++] = this.#part;
    this.#spendOnHits(last - first);
  };

  /**
   * Takes the patterns of a text where exceptions apply to some, in the order of their numbers: that of the automaton depends on the
   * texts before. With a limit of one, matches are searched until each slot has one that stands; else that is left to who reports them.
   */
  #takeMarked(): void {
    const { slots } = this.#patternReferences;
    if (slots === undefined || this.#marked.length === 0) return;
    for (const pattern of this.#marked.sort((a, b) => a - b)) {
      const before = this.heldCount;
      const [from, to] = [slots.of[pattern]!, slots.of[pattern + 1]!];
      if (this.#limit === 1) this.#holdStanding(pattern, from, to, slots);
      if (this.#limit === 1 && this.heldCount === before) continue;
      this.patterns[this.patternCount++] = pattern;
      this.patterns[this.patternCount++] = this.#part;
      this.#spendOnHits(slots.from[to]! - slots.from[from]!);
    }
    if (this.#marked.length > MAX_KEPT) this.#marked.splice(0);
    else while (this.#marked.length > 0) this.#marked.pop();
  }

  #holdStanding(pattern: number, from: number, to: number, slots: Slots): void {
    const { references } = this.#patternReferences;
    const isOpen = (slot: number) => {
      for (let at = slots.from[slot]!; at < slots.from[slot + 1]!; at++)
        if (this.holds[references[at]!.condition] === 0) return true;
      return false;
    };
    const hold = (slot: number) => {
      for (let at = slots.from[slot]!; at < slots.from[slot + 1]!; at++) this.#hold(references[at]!.condition);
    };
    let open: number[] = [];
    for (let slot = from; slot < to; slot++) {
      if (references[slots.from[slot]!]?.scopes === undefined) hold(slot);
      else if (isOpen(slot)) open.push(slot);
    }
    const isSettled = (start: number, end: number): boolean => {
      const excepted = open.filter((slot) => this.#entryOf(references[slots.from[slot]!]!, start, end) >= 0);
      for (const slot of open) if (!excepted.includes(slot)) hold(slot);
      open = excepted;
      return open.length === 0;
    };
    if (open.length === 0) return;
    try {
      // Nothing is searched for once the budget is used up: that the pattern occurs is known.
      if (this.budget.isUsedUp) for (const slot of open) hold(slot);
      else this.#compiled.patterns.set?.find(pattern, this.#text, 1, this.budget, isSettled);
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      for (const slot of open) hold(slot);
    }
  }

  #noteExact(found: readonly ExactMatch[]): void {
    for (const match of found) {
      const { reference, span, transforms } = match;
      const entry = this.#entryOf(reference, span.start, span.end);
      if (entry >= 0) {
        this.#excepted?.add({ kind: 'word', part: this.#part, ...span, reference, transforms }, entry);
        continue;
      }
      if (!this.#hold(match.reference.condition) && this.#limit === 1) continue;
      this.exactMatches.push({ part: this.#part, match });
      this.#spendOnHits(1);
    }
  }

  #spendOnHits(count: number): void {
    this.#spentBefore = this.budget.spent;
    this.#spend(STEPS_OF_A_HIT * count);
  }

  /** Marks a condition as holding. Returns false when it was marked before. */
  #hold(condition: number): boolean {
    if (this.holds[condition] === 1) return false;
    this.holds[condition] = 1;
    this.held[this.heldCount++] = condition;
    return true;
  }
}

/**
 * What a message holds: which terms stand where in its texts, which patterns occur, and which conditions hold because of them.
 * `decide` needs no more than the last, `explain` starts from the same, which is why they cannot disagree. Each text is read
 * once for both terms and patterns. Everything is kept in arrays that serve one message after the other.
 *
 * INVARIANT: beside one read of each unit, a message costs its work budget and, for each term, a comparison until it is found.
 * A term of which enough is kept is closed, and once the budget is used up one occurrence is enough.
 */
import type { CompiledRuleSet, UseIndex, WholeText } from '../compile/compiled-rule-set.js';
import { Advice, type ClosedTerms } from '../match/keyword-scan.js';
import { PatternFault } from '../match/pattern-engine.js';
import { WorkBudget } from '../match/work-budget.js';
import type { Semantics } from '../semantics.js';
import { hasScores, holdsMedia, scoresOver } from './media.js';
import type { Observation } from './observation.js';
import { SpanCover } from './span-cover.js';

/** Numbers of a word hit: its key, the text it stands in, where it begins and ends, and the next hit of its key. */
export const WordHit = { KEY: 0, PART: 1, START: 2, END: 3, NEXT: 4, SIZE: 5 } as const;

const { KEY, PART, START, END, NEXT, SIZE } = WordHit;
/** Arrays that one message made longer than this are not kept for the next. */
const MAX_KEPT = 1 << 14;
/** What an occurrence costs that is kept to be reported: it is stored, put in order, and written out. */
const STEPS_OF_A_HIT = 24;

export class Hits {
  /** By condition: 1 when it holds. */
  readonly holds: Uint8Array;
  /** The conditions that hold, in any order: the first `heldCount`. */
  readonly held: Int32Array;
  heldCount = 0;
  /** Occurrences of terms, `WordHit.SIZE` numbers each; the first `headCount` of `heads` are the places of the first of each key. */
  words = new Int32Array(16 * SIZE);
  readonly heads: number[] = [];
  headCount = 0;
  /** Texts that equal a term as a whole. */
  readonly wholes: { readonly part: number; readonly whole: WholeText }[] = [];
  /** `[pattern, part, pattern, part, …]`: what occurs where, the first `patternCount` numbers. */
  readonly patterns: number[] = [];
  patternCount = 0;
  /** The pattern engine failed on this message; its conditions could not be evaluated. */
  fault: string | undefined;
  /** What may go into occurrences beyond the first of each term and pattern. */
  readonly budget = new WorkBudget();
  /** The budget was used up: occurrences may be missing, but none that makes a condition hold. */
  truncated = false;

  readonly #compiled: CompiledRuleSet;
  /** By key: how many were kept, and the place of the last. */
  readonly #kept: Int32Array;
  readonly #last: Int32Array;
  readonly #closed: ClosedTerms;
  /** Steps of the texts before this one, and of what was kept. */
  #spentBefore = 0;
  #size = 0;
  #limit = 1;
  #part = 0;
  #text = '';
  #wordUses: UseIndex;
  #patternUses: UseIndex;
  #allowed: SpanCover | undefined;

  constructor(compiled: CompiledRuleSet) {
    this.#compiled = compiled;
    this.holds = new Uint8Array(compiled.conditions.length);
    this.held = new Int32Array(compiled.conditions.length);
    this.#kept = new Int32Array(compiled.words.count);
    this.#last = new Int32Array(compiled.words.count);
    this.#closed = compiled.words.matcher.createClosedTerms();
    this.#wordUses = compiled.words.uses.text;
    this.#patternUses = compiled.patterns.uses.text;
  }

  /** Scans a message; at most `limit` occurrences of a key are kept. Must be cleared before and after. */
  scan({ message, texts, media }: Observation, { missingScores }: Semantics, limit: number): void {
    const { words, patterns } = this.#compiled;
    const { operand, parts } = texts;
    this.#limit = limit;
    this.#wordUses = words.uses[operand];
    this.#patternUses = patterns.uses[operand];
    if (patterns.set === undefined) this.fault = patterns.fault;
    const wholeTexts = words.wholeTexts[operand];
    let units = 0;
    for (const { text } of parts) units += text.length;
    this.budget.begin(units);
    for (let part = 0; part < parts.length; part++) {
      const { text } = parts[part]!;
      this.#part = part;
      this.#text = text;
      this.#allowed = undefined;
      this.#scanText(text);
      if (wholeTexts.size > 0 && wholeTexts.mayEqual(text)) this.#noteWholes(wholeTexts.occurrencesIn(text));
    }
    if (media.length === 0 && missingScores !== 'block') return;
    for (const condition of this.#compiled.mediaConditions) {
      const { operand: kind, thresholds } = this.#compiled.conditions[condition]!;
      const isOver = hasScores(kind, media)
        ? scoresOver(thresholds, kind, media, 1).length > 0
        : missingScores === 'block' && holdsMedia(message, kind, media);
      if (isOver) this.#hold(condition);
    }
  }

  /** Forgets the message. */
  clear(): void {
    for (let at = 0; at < this.heldCount; at++) this.holds[this.held[at]!] = 0;
    for (let at = 0; at < this.headCount; at++) this.#kept[this.words[this.heads[at]! + KEY]!] = 0;
    this.#closed.clear();
    this.heldCount = 0;
    // Set to no length, an array gives its room back, and the next message has to request it again.
    this.headCount = 0;
    this.patternCount = 0;
    if (this.wholes.length > 0) this.wholes.length = 0;
    this.#size = 0;
    this.#text = '';
    this.#allowed = undefined;
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
  }

  readonly #onTerm = (key: number, start: number, end: number): number => {
    const { from, uses } = this.#wordUses;
    const first = from[key]!;
    const last = from[key + 1]!;
    if (first === last) {
      this.#closed.close(key);
      return Advice.CONTINUE;
    }
    // What an allow-term covers, it covers for all shorter terms that end there, too.
    if (this.#isAllowed(start, end)) return Advice.SKIP_SHORTER;
    const before = this.#kept[key]!;
    if (before >= this.#limit) return Advice.CONTINUE;
    this.#keep(key, start, end, before);
    if (before === 0) for (let index = first; index < last; index++) this.#hold(uses[index]!.condition);
    this.#spentBefore += STEPS_OF_A_HIT * (last - first);
    this.#spend(this.#compiled.words.matcher.steps);
    if (before + 1 >= this.#limit) this.#closed.close(key);
    return Advice.CONTINUE;
  };

  /** Stores an occurrence behind the `before` others of its key. */
  #keep(key: number, start: number, end: number, before: number): void {
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
    words[at + NEXT] = -1;
    this.#size += SIZE;
    this.#kept[key] = before + 1;
    if (before > 0) words[this.#last[key]! + NEXT] = at;
    else this.heads[this.headCount++] = at;
    this.#last[key] = at;
  }

  /** Takes the steps of this text into account. Once the budget is used up, one occurrence of a term is enough. */
  #spend(steps: number): void {
    this.budget.spent = this.#spentBefore + steps;
    if (!this.budget.isUsedUp || this.#limit === 1) return;
    this.#limit = 1;
    this.truncated = true;
    for (let at = 0; at < this.headCount; at++) this.#closed.close(this.words[this.heads[at]! + KEY]!);
  }

  /** Whether a span lies inside an allow-term, for which the text is searched when the first term is found in it. */
  #isAllowed(start: number, end: number): boolean {
    const { allowed } = this.#compiled.words;
    if (allowed === undefined) return false;
    if (this.#allowed === undefined) {
      this.#allowed = new SpanCover(allowed, this.#text);
      this.#spentBefore += this.#text.length + allowed.steps;
    }
    return this.#allowed.covers(start, end);
  }

  readonly #onPattern = (pattern: number): void => {
    const { from, uses } = this.#patternUses;
    const first = from[pattern]!;
    const last = from[pattern + 1]!;
    let isNews = this.#limit > 1;
    for (let index = first; index < last; index++) if (this.#hold(uses[index]!.condition)) isNews = true;
    if (first === last || !isNews) return;
    this.patterns[this.patternCount++] = pattern;
    this.patterns[this.patternCount++] = this.#part;
    this.#spendOnHits(last - first);
  };

  #noteWholes(found: readonly WholeText[]): void {
    for (const whole of found) {
      if (this.#isAllowed(whole.span.start, whole.span.end)) continue;
      if (!this.#hold(whole.use.condition) && this.#limit === 1) continue;
      this.wholes.push({ part: this.#part, whole });
      this.#spendOnHits(1);
    }
  }

  #spendOnHits(count: number): void {
    this.#spentBefore = this.budget.spent;
    this.#spend(STEPS_OF_A_HIT * count);
  }

  /** Notes that a condition holds. Returns whether that is news. */
  #hold(condition: number): boolean {
    if (this.holds[condition] === 1) return false;
    this.holds[condition] = 1;
    this.held[this.heldCount++] = condition;
    return true;
  }
}

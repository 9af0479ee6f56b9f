/**
 * What was seen in a message: which terms stand where in its texts, which patterns occur, and which conditions hold because
 * of them. `decide` asks no more than the last, `explain` starts from the same, which is why they cannot disagree. Each text is
 * read once for both terms and patterns. Everything is kept in arrays that serve one message after the other.
 */
import type { CompiledRuleSet, UseIndex, WholeText } from '../compile/compiled-rule-set.js';
import { PatternFault } from '../match/pattern-engine.js';
import type { Span } from '../match/span.js';
import type { Semantics } from '../semantics.js';
import { hasScores, holdsMedia, scoresOver } from './media.js';
import type { Observation } from './observation.js';
import { createSpanCover, type SpanCover } from './span-cover.js';

/** Numbers of an occurrence: its key, the text it stands in, where it begins and ends, and the next one of its key. */
export const Sighting = { KEY: 0, PART: 1, START: 2, END: 3, NEXT: 4, SIZE: 5 } as const;

const { KEY, PART, START, END, NEXT, SIZE } = Sighting;
/** Arrays that one message made longer than this are not kept for the next. */
const MAX_KEPT = 1 << 14;

export class Sightings {
  /** By condition: 1 when it holds. */
  readonly holds: Uint8Array;
  /** The conditions that hold, in any order: the first `heldCount`. */
  readonly held: Int32Array;
  heldCount = 0;
  /** Occurrences of terms, `Sighting.SIZE` numbers each; the first `headCount` of `heads` are the places of the first of each key. */
  words = new Int32Array(16 * SIZE);
  readonly heads: number[] = [];
  headCount = 0;
  /** Texts that equal a term as a whole. */
  readonly wholes: { readonly part: number; readonly whole: WholeText }[] = [];
  /** `[pattern, part, pattern, part, …]`: what occurs where, the first `patternCount` numbers. */
  readonly patterns: number[] = [];
  patternCount = 0;
  /** The pattern engine failed on this message; its conditions could not be answered. */
  fault: string | undefined;

  readonly #compiled: CompiledRuleSet;
  /** By key: how many were kept, and the place of the last. */
  readonly #kept: Int32Array;
  readonly #last: Int32Array;
  #size = 0;
  #limit = 1;
  #part = 0;
  #wordUses: UseIndex;
  #patternUses: UseIndex;
  #allowed: SpanCover | undefined;

  constructor(compiled: CompiledRuleSet) {
    this.#compiled = compiled;
    this.holds = new Uint8Array(compiled.conditions.length);
    this.held = new Int32Array(compiled.conditions.length);
    this.#kept = new Int32Array(compiled.words.count);
    this.#last = new Int32Array(compiled.words.count);
    this.#wordUses = compiled.words.uses.text;
    this.#patternUses = compiled.patterns.uses.text;
  }

  /** Looks at a message; `limit` occurrences of a key are kept. Must be cleared before and after. */
  look({ message, texts, media }: Observation, { missingScores }: Semantics, limit: number): void {
    const { words, patterns } = this.#compiled;
    const { operand, parts } = texts;
    this.#limit = limit;
    this.#wordUses = words.uses[operand];
    this.#patternUses = patterns.uses[operand];
    if (patterns.set === undefined) this.fault = patterns.fault;
    const wholeTexts = words.wholeTexts[operand];
    for (let part = 0; part < parts.length; part++) {
      const { text } = parts[part]!;
      this.#part = part;
      this.#allowed = words.hasAllowed ? allowedSpans(words, text) : undefined;
      this.#scan(text);
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
    this.heldCount = 0;
    // Set to no length, an array gives its room back, and the next message has to ask for it again.
    this.headCount = 0;
    this.patternCount = 0;
    if (this.wholes.length > 0) this.wholes.length = 0;
    this.#size = 0;
    this.#allowed = undefined;
    this.fault = undefined;
    if (this.words.length > MAX_KEPT) this.words = new Int32Array(16 * SIZE);
    if (this.heads.length > MAX_KEPT) this.heads.length = 0;
    if (this.patterns.length > MAX_KEPT) this.patterns.length = 0;
  }

  #scan(text: string): void {
    const { words, patterns } = this.#compiled;
    const { set } = patterns;
    if (set?.dfa !== undefined && words.count > 0) {
      if (words.matcher.scanWith(text, this.#onTerm, set.dfa)) {
        const { matched, matchedCount } = set.dfa;
        for (let at = 0; at < matchedCount; at++) this.#onPattern(matched[at]!);
        return;
      }
    } else if (words.count > 0) words.matcher.scan(text, this.#onTerm);
    try {
      set?.mark(text, this.#onPattern);
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      this.fault = error.message;
    }
  }

  readonly #onTerm = (key: number, start: number, end: number): void => {
    const { from, uses } = this.#wordUses;
    const first = from[key]!;
    const last = from[key + 1]!;
    if (first === last || this.#allowed?.covers(start, end) === true) return;
    const before = this.#kept[key]!;
    if (before === this.#limit) return;
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
    else {
      this.heads[this.headCount++] = at;
      for (let index = first; index < last; index++) this.#hold(uses[index]!.condition);
    }
    this.#last[key] = at;
  };

  readonly #onPattern = (pattern: number): void => {
    const { from, uses } = this.#patternUses;
    const first = from[pattern]!;
    const last = from[pattern + 1]!;
    if (first === last) return;
    this.patterns[this.patternCount++] = pattern;
    this.patterns[this.patternCount++] = this.#part;
    for (let index = first; index < last; index++) this.#hold(uses[index]!.condition);
  };

  #noteWholes(found: readonly WholeText[]): void {
    for (const whole of found) {
      if (this.#allowed?.covers(whole.span.start, whole.span.end) === true) continue;
      this.wholes.push({ part: this.#part, whole });
      this.#hold(whole.use.condition);
    }
  }

  #hold(condition: number): void {
    if (this.holds[condition] === 1) return;
    this.holds[condition] = 1;
    this.held[this.heldCount++] = condition;
  }
}

/** Where the allow-terms stand in a text: word matches inside are none. */
function allowedSpans({ matcher, allowed }: CompiledRuleSet['words'], text: string): SpanCover {
  const spans: Span[] = [];
  matcher.scan(text, (key, start, end) => {
    if (allowed[key] === 1) spans.push({ start, end });
  });
  return createSpanCover(spans);
}

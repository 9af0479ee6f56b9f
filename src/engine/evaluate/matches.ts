/**
 * The matches of conditions, with their places in the message and their sources in the rule set.
 * Runs only for `explain`, and only for conditions that hold.
 */
import type { CompiledCondition, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { printPath } from '../compile/json-path.js';
import type { Reference } from '../compile/references.js';
import { namesOf } from '../match/hardened/transforms.js';
import { firstWhere } from '../match/ordered.js';
import type { Span } from '../match/span.js';
import type { Match, PatternMatch, ScoreMatch, WordMatch } from './decision.js';
import { type Find, type Hits, WordHit } from './hits.js';
import type { Observation } from './observation.js';
import { scoresOver } from './scores.js';

const { KEY, PART, START, END, TRANSFORMS, NEXT } = WordHit;

/**
 * A condition's reference to a term that occurs, or to a pattern of which occurrences are kept, and
 * the offset of the first in `Hits.words`.
 */
interface KeptFound {
  readonly kind: Find['kind'];
  readonly reference: Reference;
  readonly head: number;
}

/** A condition's reference to a pattern that occurs, and the index of a text that it occurs in. */
interface PatternFound {
  readonly reference: Reference;
  readonly pattern: number;
  readonly part: number;
}

/** The most matches of a condition that are sorted; more than are reported. */
const MAX_ORDERED = 5_000;

/**
 * Finds the matches of one condition after the other: the first ones in the message, sorted by
 * their paths. A path may be as long as the message is deep, so only the paths of reported matches
 * are printed.
 *
 * INVARIANT: there are at most `cap` matches in all and, if anything of the condition was kept, at
 * least one for each condition.
 */
export class MatchFinder {
  /** Whether matches are missing: there were more than `cap`, or the work budget was used up. */
  truncated: boolean;
  readonly #compiled: CompiledRuleSet;
  readonly #observation: Observation;
  readonly #hits: Hits;
  /** Occurrences that were kept and patterns that were found, each sorted by condition. */
  readonly #kept: readonly KeptFound[];
  readonly #patterns: readonly PatternFound[];
  /** Spans of patterns that several conditions refer to, by text and pattern. */
  readonly #spans = new Map<string, readonly Span[]>();
  #left: number;
  #conditions: number;
  /** The path of the text reported last. */
  #path = '';
  #pathOf = -1;

  /** `conditions` is the number of conditions whose matches are to be found. */
  constructor(compiled: CompiledRuleSet, observation: Observation, hits: Hits, cap: number, conditions: number) {
    this.#compiled = compiled;
    this.#observation = observation;
    this.#hits = hits;
    this.#kept = keptFound(compiled, observation, hits);
    this.#patterns = patternsFound(compiled, observation, hits);
    this.#left = cap;
    this.#conditions = conditions;
    this.truncated = hits.truncated;
  }

  of(index: number): readonly Match[] {
    const condition = this.#compiled.conditions[index]!;
    this.#conditions--;
    const room = Math.max(1, this.#left - this.#conditions);
    const finds: Find[] = [];
    this.#addKept(finds, index, room + 1);
    if (condition.patterns.length > 0) this.#addPatterns(finds, index, room + 1);
    if (finds.length > 1) finds.sort(byOccurrence);
    if (finds.length > room) {
      this.truncated = true;
      finds.length = room;
    }
    const matches: Match[] = [];
    for (const find of finds) matches.push(this.report(find));
    if (matches.length > 1) matches.sort(byPath);
    if (condition.thresholds.length > 0) this.#addScores(condition, matches, room);
    this.#left -= matches.length;
    return matches;
  }

  #addScores({ thresholds, operand }: CompiledCondition, matches: Match[], room: number): void {
    const scores = scoresOver(thresholds, operand, this.#observation.scores, room + 1);
    if (scores.length > room) this.truncated = true;
    for (const score of scores.slice(0, room).sort(byLabel)) matches.push(score);
  }

  /**
   * Adds the occurrences that were kept for a condition, at most `limit` of each term or pattern.
   */
  #addKept(finds: Find[], condition: number, limit: number): void {
    const { words } = this.#hits;
    for (let index = firstOf(condition, this.#kept); isOf(condition, this.#kept[index]); index++) {
      const { kind, reference, head } = this.#kept[index]!;
      if (finds.length > MAX_ORDERED) return;
      for (let at = head, left = limit; at >= 0 && left > 0; at = words[at + NEXT]!, left--) {
        finds.push({
          kind,
          part: words[at + PART]!,
          start: words[at + START]!,
          end: words[at + END]!,
          reference,
          transforms: words[at + TRANSFORMS]!,
        });
      }
    }
  }

  /**
   * Adds the spans of the patterns of a condition, text by text, until there are `limit` matches.
   */
  #addPatterns(finds: Find[], condition: number, limit: number): void {
    let current = -1;
    for (let index = firstOf(condition, this.#patterns); isOf(condition, this.#patterns[index]); index++) {
      const { reference, pattern, part } = this.#patterns[index]!;
      if (part !== current && finds.length >= limit) return;
      current = part;
      if (finds.length > 0 && this.#hits.budget.isUsedUp) {
        this.truncated = true;
        return;
      }
      for (const { start, end } of this.#spansOf(pattern, part, limit))
        finds.push({ kind: 'pattern', part, start, end, reference, transforms: 0 });
    }
  }

  #spansOf(pattern: number, part: number, limit: number): readonly Span[] {
    const { set, references } = this.#compiled.patterns;
    const { budget } = this.#hits;
    const { operand, parts } = this.#observation.texts;
    const { from } = references[operand];
    const isShared = from[pattern + 1]! - from[pattern]! > 1;
    const known = isShared ? this.#spans.get(`${part} ${pattern}`) : undefined;
    // The limit never grows from one condition to the next.
    if (known !== undefined) return known.slice(0, limit);
    const spans: Span[] = [];
    try {
      set?.find(pattern, parts[part]!.text, budget, (start, end) => {
        spans.push({ start, end });
        return spans.length >= limit || budget.isUsedUp;
      });
    } catch {
      // The condition holds without matches, so that the verdict is not affected.
      spans.length = 0;
    }
    if (budget.isUsedUp) this.truncated = true;
    if (isShared) this.#spans.set(`${part} ${pattern}`, spans);
    return spans;
  }

  /** Returns the match of an occurrence. */
  report({ kind, part, start, end, reference, transforms }: Find): WordMatch | PatternMatch {
    const { text, at } = this.#observation.texts.parts[part]!;
    if (this.#pathOf !== part) {
      this.#path = printPath(at);
      this.#pathOf = part;
    }
    const span = { start, end };
    const { written, listId, listRevisionId } = reference;
    const location = { path: this.#path, span, text: text.slice(start, end) };
    const match: Writable<WordMatch | PatternMatch> =
      kind === 'word' ? { kind, ...location, term: written } : { kind, ...location, pattern: written };
    if (listId !== undefined) match.listId = listId;
    if (listRevisionId !== undefined) match.listRevisionId = listRevisionId;
    if (match.kind === 'word' && transforms !== 0) match.transforms = namesOf(transforms);
    return match;
  }
}

type Writable<T> = T extends unknown ? { -readonly [Field in keyof T]: T[Field] } : never;

/** Returns the occurrences that were kept, in the order of the conditions that refer to them. */
function keptFound({ words, patterns }: CompiledRuleSet, { texts }: Observation, hits: Hits): readonly KeptFound[] {
  const found: KeptFound[] = [];
  for (let at = 0; at < hits.headCount; at++) {
    const head = hits.heads[at]!;
    const key = hits.words[head + KEY]!;
    const kind = key < hits.patternBase ? 'word' : 'pattern';
    const { from, references } = (kind === 'word' ? words : patterns).references[texts.operand];
    if (hits.places !== undefined) {
      found.push({ kind, reference: references[kind === 'word' ? key : key - hits.patternBase]!, head });
      continue;
    }
    for (let index = from[key]!; index < from[key + 1]!; index++)
      found.push({ kind, reference: references[index]!, head });
  }
  return inOrder(found);
}

/**
 * Returns the patterns that were found, in the order of the conditions that refer to them, then
 * text by text.
 */
function patternsFound({ patterns }: CompiledRuleSet, { texts }: Observation, hits: Hits): readonly PatternFound[] {
  const { from, references } = patterns.references[texts.operand];
  const found: PatternFound[] = [];
  for (let at = 0; at < hits.patternCount; at += 2) {
    const pattern = hits.patterns[at]!;
    const part = hits.patterns[at + 1]!;
    for (let index = from[pattern]!; index < from[pattern + 1]!; index++)
      found.push({ reference: references[index]!, pattern, part });
  }
  return inOrder(found);
}

/** Sorts by condition; stable. */
function inOrder<T extends { readonly reference: Reference }>(found: T[]): readonly T[] {
  return found.length > 1 ? found.sort((a, b) => a.reference.condition - b.reference.condition) : found;
}

/** Returns the index of the first item of a condition, in items sorted by condition. */
function firstOf(condition: number, found: readonly { readonly reference: Reference }[]): number {
  return firstWhere(0, found.length, (index) => found[index]!.reference.condition >= condition);
}

function isOf(condition: number, found: { readonly reference: Reference } | undefined): boolean {
  return found?.reference.condition === condition;
}

/**
 * Orders by place in the message, then by term or pattern and list, so that the order of rules and
 * lists changes nothing.
 */
export function byOccurrence(a: Find, b: Find): number {
  return (
    a.part - b.part ||
    a.start - b.start ||
    a.end - b.end ||
    compare(a.reference.written, b.reference.written) ||
    compare(a.reference.listId ?? '', b.reference.listId ?? '')
  );
}

/** Sorting is stable: the order within a text is kept. */
const byPath = (a: Match, b: Match) => compare(a.path, b.path);
const byLabel = (a: ScoreMatch, b: ScoreMatch) =>
  byPath(a, b) || compare(a.label, b.label) || compare(a.threshold.label, b.threshold.label);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The thorough half of evaluation: where everything stands in the message and where it comes from in the rule set.
 * Runs only for `explain`, and only for conditions that hold.
 */
import type { CompiledCondition, CompiledRuleSet, Use } from '../compile/compiled-rule-set.js';
import { PatternFault, type PatternSet } from '../match/pattern-engine.js';
import type { Span } from '../match/span.js';
import type { WorkBudget } from '../match/work-budget.js';
import type { Match, PatternMatch, ScoreMatch, WordMatch } from './decision.js';
import { type Hits, WordHit } from './hits.js';
import { scoresOver } from './media.js';
import type { Observation } from './observation.js';
import { printPath } from './text-parts.js';

const { KEY, PART, START, END, NEXT } = WordHit;

/** Something found in a text, and the reference to it. Cheap: its path is written only when it is reported. */
interface Find {
  readonly kind: 'word' | 'pattern';
  /** In which of the message's texts, and where in that. */
  readonly part: number;
  readonly start: number;
  readonly end: number;
  readonly use: Use;
  /** The key of a term that stands in a text; a whole text and a pattern have none. */
  readonly key?: number;
  /** What made text and term equal, where that is known already: of whole texts. */
  readonly transforms?: readonly string[];
}

/** A key that a condition refers to, and the place of its first occurrence in `Hits.words`. */
interface WordsFound {
  readonly use: Use;
  readonly head: number;
}

/** A pattern that a condition refers to, and a text that holds it. */
interface PatternFound {
  readonly use: Use;
  readonly pattern: number;
  readonly part: number;
}

/** So many word matches of a condition are put in order; more are beyond what is reported anyway. */
const MAX_ORDERED = 5_000;

/**
 * Gives the matches of one condition after the other, `cap` in all, of which each condition gets one at least. These are the
 * first ones of the message, put in the order of their paths. A path may be as long as the message is deep, so only as many
 * are written.
 */
export class MatchFinder {
  /** Whether matches are missing: there were more than `cap`, or the work budget was used up. */
  truncated: boolean;
  readonly #compiled: CompiledRuleSet;
  readonly #seen: Observation;
  readonly #hits: Hits;
  /** What was found, in the order of conditions. */
  readonly #wholes: readonly Find[];
  readonly #words: readonly WordsFound[];
  readonly #patterns: readonly PatternFound[];
  /** Spans of patterns that several conditions refer to, by text and pattern. */
  readonly #spans = new Map<string, readonly Span[]>();
  #left: number;
  #conditions: number;
  /** The path of the text reported last. */
  #path = '';
  #pathOf = -1;

  /** `conditions` is the number of conditions whose matches are to be found. */
  constructor(compiled: CompiledRuleSet, seen: Observation, hits: Hits, cap: number, conditions: number) {
    this.#compiled = compiled;
    this.#seen = seen;
    this.#hits = hits;
    this.#wholes = inOrder(
      hits.wholes.map(({ part, whole }): Find => ({ kind: 'word', part, ...whole.span, ...whole })),
    );
    this.#words = wordsFound(compiled, seen, hits);
    this.#patterns = patternsFound(compiled, seen, hits);
    this.#left = cap;
    this.#conditions = conditions;
    this.truncated = hits.truncated;
  }

  of(index: number): readonly Match[] {
    const condition = this.#compiled.conditions[index]!;
    this.#conditions--;
    const room = Math.max(1, this.#left - this.#conditions);
    const finds: Find[] = [];
    if (this.#wholes.length > 0) this.#addWholes(finds, index);
    this.#addWords(finds, index, room + 1);
    if (condition.patterns.length > 0) this.#addPatterns(finds, index, room + 1);
    if (finds.length > 1) finds.sort(byOccurrence);
    if (finds.length > room) {
      this.truncated = true;
      finds.length = room;
    }
    const matches: Match[] = [];
    for (const find of finds) matches.push(this.#report(find));
    if (matches.length > 1) matches.sort(byPath);
    if (condition.thresholds.length > 0) this.#addScores(condition, matches, room);
    this.#left -= matches.length;
    return matches;
  }

  #addScores({ thresholds, operand }: CompiledCondition, matches: Match[], room: number): void {
    const scores = scoresOver(thresholds, operand, this.#seen.media, room + 1);
    if (scores.length > room) this.truncated = true;
    matches.push(...scores.slice(0, room).sort(byLabel));
  }

  #addWholes(finds: Find[], condition: number): void {
    for (let at = firstOf(condition, this.#wholes); isOf(condition, this.#wholes[at]); at++)
      finds.push(this.#wholes[at]!);
  }

  /** The terms of a condition that were found; of each at most `limit` occurrences. */
  #addWords(finds: Find[], condition: number, limit: number): void {
    const { words } = this.#hits;
    for (let index = firstOf(condition, this.#words); isOf(condition, this.#words[index]); index++) {
      const { use, head } = this.#words[index]!;
      if (finds.length > MAX_ORDERED) return;
      for (let at = head, left = limit; at >= 0 && left > 0; at = words[at + NEXT]!, left--) {
        finds.push({
          kind: 'word',
          part: words[at + PART]!,
          start: words[at + START]!,
          end: words[at + END]!,
          use,
          key: words[at + KEY]!,
        });
      }
    }
  }

  /** Where the patterns of a condition stand that occur, text by text, until there are `limit` matches. */
  #addPatterns(finds: Find[], condition: number, limit: number): void {
    let current = -1;
    for (let index = firstOf(condition, this.#patterns); isOf(condition, this.#patterns[index]); index++) {
      const { use, pattern, part } = this.#patterns[index]!;
      if (part !== current && finds.length >= limit) return;
      current = part;
      if (finds.length > 0 && this.#hits.budget.isUsedUp) {
        this.truncated = true;
        return;
      }
      for (const { start, end } of this.#spansOf(pattern, part, limit))
        finds.push({ kind: 'pattern', part, start, end, use });
    }
  }

  #spansOf(pattern: number, part: number, limit: number): readonly Span[] {
    const { set, uses } = this.#compiled.patterns;
    const { budget } = this.#hits;
    const { operand, parts } = this.#seen.texts;
    const { from } = uses[operand];
    const isShared = from[pattern + 1]! - from[pattern]! > 1;
    const known = isShared ? this.#spans.get(`${part} ${pattern}`) : undefined;
    // Fewer are wanted of each condition than of the one before.
    if (known !== undefined) return known.slice(0, limit);
    const spans = findAll(set, pattern, parts[part]!.text, limit, budget);
    if (budget.isUsedUp) this.truncated = true;
    if (isShared) this.#spans.set(`${part} ${pattern}`, spans);
    return spans;
  }

  #report({ kind, part, start, end, use, key, transforms: known }: Find): WordMatch | PatternMatch {
    const { text, at } = this.#seen.texts.parts[part]!;
    if (this.#pathOf !== part) {
      this.#path = printPath(at);
      this.#pathOf = part;
    }
    const span = { start, end };
    const { written, listId, listRevisionId } = use;
    const place = { path: this.#path, span, text: text.slice(start, end) };
    const match: Writable<WordMatch | PatternMatch> =
      kind === 'word' ? { kind, ...place, term: written } : { kind, ...place, pattern: written };
    if (listId !== undefined) match.listId = listId;
    if (listRevisionId !== undefined) match.listRevisionId = listRevisionId;
    if (match.kind === 'pattern') return match;
    const transforms = known ?? (key === undefined ? undefined : this.#compiled.words.transformsOf?.(key, text, span));
    if (transforms !== undefined && transforms.length > 0) match.transforms = transforms;
    return match;
  }
}

type Writable<T> = T extends unknown ? { -readonly [Field in keyof T]: T[Field] } : never;

/** The terms that were found, in the order of the conditions that refer to them. */
function wordsFound({ words }: CompiledRuleSet, { texts }: Observation, hits: Hits): readonly WordsFound[] {
  const { from, uses } = words.uses[texts.operand];
  const found: WordsFound[] = [];
  for (let at = 0; at < hits.headCount; at++) {
    const head = hits.heads[at]!;
    const key = hits.words[head + KEY]!;
    for (let index = from[key]!; index < from[key + 1]!; index++) found.push({ use: uses[index]!, head });
  }
  return inOrder(found);
}

/** The patterns that were found, in the order of the conditions that refer to them, then text by text. */
function patternsFound({ patterns }: CompiledRuleSet, { texts }: Observation, hits: Hits): readonly PatternFound[] {
  const { from, uses } = patterns.uses[texts.operand];
  const found: PatternFound[] = [];
  for (let at = 0; at < hits.patternCount; at += 2) {
    const pattern = hits.patterns[at]!;
    const part = hits.patterns[at + 1]!;
    for (let index = from[pattern]!; index < from[pattern + 1]!; index++)
      found.push({ use: uses[index]!, pattern, part });
  }
  return inOrder(found);
}

/** Sorts by condition; what belongs to one keeps its order. */
function inOrder<T extends { readonly use: Use }>(found: T[]): readonly T[] {
  return found.length > 1 ? found.sort((a, b) => a.use.condition - b.use.condition) : found;
}

/** Where a condition begins in what is in the order of conditions. */
function firstOf(condition: number, found: readonly { readonly use: Use }[]): number {
  let low = 0;
  let high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle]!.use.condition < condition) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isOf(condition: number, found: { readonly use: Use } | undefined): boolean {
  return found?.use.condition === condition;
}

/** A fault while spans are searched leaves a condition that holds without them: the verdict is not touched. */
function findAll(
  set: PatternSet | undefined,
  pattern: number,
  text: string,
  limit: number,
  budget: WorkBudget,
): readonly Span[] {
  try {
    return set?.find(pattern, text, limit, budget) ?? [];
  } catch (error) {
    if (error instanceof PatternFault) return [];
    throw error;
  }
}

/** As things stand in the message, then by what was found, so that the order of rules and lists changes nothing. */
function byOccurrence(a: Find, b: Find): number {
  return (
    a.part - b.part ||
    a.start - b.start ||
    a.end - b.end ||
    compare(a.use.written, b.use.written) ||
    compare(a.use.listId ?? '', b.use.listId ?? '')
  );
}

/** Sorting keeps the order within a text. */
const byPath = (a: Match, b: Match) => compare(a.path, b.path);
const byLabel = (a: ScoreMatch, b: ScoreMatch) =>
  byPath(a, b) || compare(a.label, b.label) || compare(a.threshold.label, b.threshold.label);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

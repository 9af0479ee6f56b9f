/**
 * The thorough half of evaluation: where everything stands in the message and where it comes from in the rule set.
 * Runs only for messages that somebody asks about, and only for conditions that hold.
 */
import type { CompiledCondition, CompiledRuleSet, Use } from '../compile/compiled-rule-set.js';
import { PatternFault } from '../match/pattern-engine.js';
import type { Span } from '../match/span.js';
import type { Match, PatternMatch, ScoreMatch, WordMatch } from './decision.js';
import { scoresOver } from './media.js';
import type { Observation } from './observation.js';
import { Sighting, type Sightings } from './sightings.js';
import { printPath } from './text-parts.js';

const { KEY, PART, START, END, NEXT } = Sighting;

/** Something found in a text, and what asked for it. Cheap: its path is written only when it is reported. */
interface Find {
  readonly kind: 'word' | 'pattern';
  /** In which of the message's texts, and where in that. */
  readonly part: number;
  readonly start: number;
  readonly end: number;
  readonly use: Use;
  /** The key of a term that stands in a text; a whole text and a pattern have none. */
  readonly key: number | undefined;
  /** What made text and term equal, where that is known already: of whole texts. */
  readonly transforms: readonly string[] | undefined;
}

/** Who asks for a term, and the place of its first occurrence in `Sightings.words`. */
interface Asked {
  readonly use: Use;
  readonly head: number;
}

/**
 * Gives the matches of one condition after the other; after `cap` matches in all it has no more. These are the first ones of
 * the message, put in the order of their paths. A path may be as long as the message is deep, so only as many are written.
 */
export class MatchFinder {
  /** Whether there were more matches than `cap`. */
  truncated = false;
  readonly #compiled: CompiledRuleSet;
  readonly #seen: Observation;
  readonly #sightings: Sightings;
  readonly #asked: readonly Asked[];
  #left: number;
  /** The path of the text reported last. */
  #path = '';
  #pathOf = -1;

  constructor(compiled: CompiledRuleSet, seen: Observation, sightings: Sightings, cap: number) {
    this.#compiled = compiled;
    this.#seen = seen;
    this.#sightings = sightings;
    this.#asked = askedFor(compiled, seen, sightings);
    this.#left = cap;
  }

  of(index: number): readonly Match[] {
    const condition = this.#compiled.conditions[index]!;
    const finds: Find[] = [];
    addWords(finds, index, this.#asked, this.#sightings, this.#left + 1);
    if (condition.patterns.length > 0)
      addPatterns(finds, index, this.#compiled, this.#seen, this.#sightings, this.#left + 1);
    if (finds.length > 1) finds.sort(byOccurrence);
    if (finds.length > this.#left) {
      this.truncated = true;
      finds.length = this.#left;
    }
    const matches: Match[] = [];
    for (const find of finds) matches.push(this.#report(find));
    if (matches.length > 1) matches.sort(byPath);
    this.#left -= matches.length;
    if (condition.thresholds.length > 0) this.#addScores(condition, matches);
    return matches;
  }

  #addScores({ thresholds, operand }: CompiledCondition, matches: Match[]): void {
    const scores = scoresOver(thresholds, operand, this.#seen.media, this.#left + 1);
    if (scores.length > this.#left) this.truncated = true;
    const kept = scores.slice(0, this.#left).sort(byLabel);
    this.#left -= kept.length;
    matches.push(...kept);
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

/** Who asks for the terms that were seen, in the order of their conditions. */
function askedFor({ words }: CompiledRuleSet, { texts }: Observation, sightings: Sightings): readonly Asked[] {
  const { from, uses } = words.uses[texts.operand];
  const asked: Asked[] = [];
  for (let at = 0; at < sightings.headCount; at++) {
    const head = sightings.heads[at]!;
    const key = sightings.words[head + KEY]!;
    for (let index = from[key]!; index < from[key + 1]!; index++) asked.push({ use: uses[index]!, head });
  }
  if (asked.length > 1) asked.sort((a, b) => a.use.condition - b.use.condition);
  return asked;
}

/** At most so many word matches of a condition are put in order; more are beyond what is reported anyway. */
const MAX_ORDERED = 20_000;

/** The terms of a condition that were seen, and the texts equal to one; of each at most `limit`. */
function addWords(
  finds: Find[],
  condition: number,
  asked: readonly Asked[],
  { words, wholes }: Sightings,
  limit: number,
): void {
  for (const { part, whole } of wholes) {
    const { use, span, transforms } = whole;
    if (use.condition !== condition) continue;
    finds.push({ kind: 'word', part, start: span.start, end: span.end, use, key: undefined, transforms });
  }
  for (let index = firstOf(condition, asked); index < asked.length; index++) {
    const { use, head } = asked[index]!;
    if (use.condition !== condition || finds.length > MAX_ORDERED) return;
    for (let at = head, left = limit; at >= 0 && left > 0; at = words[at + NEXT]!, left--) {
      finds.push({
        kind: 'word',
        part: words[at + PART]!,
        start: words[at + START]!,
        end: words[at + END]!,
        use,
        key: words[at + KEY]!,
        transforms: undefined,
      });
    }
  }
}

function firstOf(condition: number, asked: readonly Asked[]): number {
  let low = 0;
  let high = asked.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (asked[middle]!.use.condition < condition) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the patterns of a condition stand that occur; for each at most `limit` matches. */
function addPatterns(
  finds: Find[],
  condition: number,
  { patterns }: CompiledRuleSet,
  { texts }: Observation,
  { patterns: occurring, patternCount }: Sightings,
  limit: number,
): void {
  const { from, uses } = patterns.uses[texts.operand];
  // In one text a pattern is met once.
  const found = texts.parts.length > 1 ? new Map<number, number>() : undefined;
  for (let at = 0; at < patternCount; at += 2) {
    const pattern = occurring[at]!;
    const part = occurring[at + 1]!;
    const before = found?.get(pattern) ?? 0;
    let spans: readonly Span[] | undefined;
    for (let index = from[pattern]!; index < from[pattern + 1]!; index++) {
      const use = uses[index]!;
      if (use.condition !== condition) continue;
      spans ??= findAll(patterns, pattern, texts.parts[part]!.text, limit - before);
      for (const { start, end } of spans) {
        finds.push({ kind: 'pattern', part, start, end, use, key: undefined, transforms: undefined });
      }
    }
    if (spans !== undefined) found?.set(pattern, before + spans.length);
  }
}

/** A fault while looking for spans leaves a condition that holds without them: the verdict is not touched. */
function findAll({ set }: CompiledRuleSet['patterns'], pattern: number, text: string, limit: number): readonly Span[] {
  try {
    return set?.find(pattern, text, limit) ?? [];
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

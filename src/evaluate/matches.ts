/**
 * The thorough half of evaluation: where everything stands in the message and where it comes from in the rule set.
 * Runs only for messages that somebody asks about, and only for conditions that hold.
 */
import type { CompiledRuleSet, Use } from '../compile/compiled-rule-set.js';
import { PatternFault } from '../match/pattern-engine.js';
import type { Span } from '../match/span.js';
import type { Match, PatternMatch, ScoreMatch, WordMatch } from './decision.js';
import { allowedSpans, trimmedSpan } from './marks.js';
import { scoresOver } from './media.js';
import type { Observation } from './observation.js';
import { printPath, type TextPart } from './text-parts.js';

/** Where something stands: in which of the message's texts, and where in that. */
interface Place {
  readonly part: number;
  readonly span: Span;
}

/** Something found in a text, and what asked for it. Cheap: its path is written only when it is reported. */
interface Find extends Place {
  readonly kind: 'word' | 'pattern';
  readonly use: Use;
}

/** Gives the matches of one condition after the other; after `cap` matches in all it has no more. */
export interface MatchFinder {
  of(condition: number): readonly Match[];
  readonly truncated: boolean;
}

/**
 * Prepares the search for the matches of a message. `cap` bounds how many are reported over all conditions: the first
 * ones of the message, put in the order of their paths. A path may be as long as the message is deep, so only as many
 * are written.
 */
export function createMatchFinder(compiled: CompiledRuleSet, seen: Observation, cap: number): MatchFinder {
  const words = wordsByCondition(compiled, seen, cap + 1);
  const report = reporter(seen.texts.parts);
  let left = cap;
  let truncated = false;
  return {
    get truncated() {
      return truncated;
    },
    of: (index) => {
      const condition = compiled.conditions[index]!;
      const finds = [
        ...wordFinds(words.get(index) ?? [], left + 1),
        ...condition.patterns.flatMap((pattern) => patternFinds(compiled, seen, index, pattern, left + 1)),
      ].sort(byOccurrence);
      const scores = scoresOver(condition.thresholds, condition.operand, seen.media, left + 1);
      if (finds.length + scores.length > left) truncated = true;
      const kept = [...finds.slice(0, left).map(report).sort(byPath), ...scores.slice(0, left).sort(byLabel)];
      left -= kept.length;
      return kept;
    },
  };
}

/** Makes matches of what was found. */
function reporter(parts: readonly TextPart[]): (find: Find) => WordMatch | PatternMatch {
  const paths = new Map<number, string>();
  return ({ kind, part, span, use }) => {
    const { text, at } = parts[part]!;
    const path = paths.get(part) ?? printPath(at);
    paths.set(part, path);
    const place = { path, span, text: text.slice(span.start, span.end) };
    const { written, listId, listRevisionId } = use;
    const origin = { ...(listId !== undefined && { listId }), ...(listRevisionId !== undefined && { listRevisionId }) };
    return kind === 'word'
      ? { kind, ...place, term: written, ...origin }
      : { kind, ...place, pattern: written, ...origin };
  };
}

/**
 * Word occurrences of the message, under the conditions that ask for them; occurrences of one key are shared. At most
 * `limit` of each key are kept, so that a long text cannot fill the memory with what nobody will see.
 */
function wordsByCondition({ words }: CompiledRuleSet, { texts }: Observation, limit: number) {
  const byCondition = new Map<number, { readonly use: Use; readonly found: readonly Place[] }[]>();
  const add = (uses: readonly Use[], found: readonly Place[]) => {
    for (const use of uses) {
      const list = byCondition.get(use.condition);
      if (list === undefined) byCondition.set(use.condition, [{ use, found }]);
      else list.push({ use, found });
    }
  };
  const byKey = new Map<number, Place[]>();
  const { from, uses } = words.uses[texts.operand];
  texts.parts.forEach(({ text }, part) => {
    const allowed = words.hasAllowed ? allowedSpans(words, text) : undefined;
    if (words.count > 0) {
      words.matcher.scan(text, (key, start, end) => {
        if (from[key] === from[key + 1] || allowed?.covers(start, end) === true) return;
        const found = byKey.get(key);
        if (found === undefined) byKey.set(key, [{ part, span: { start, end } }]);
        else if (found.length < limit) found.push({ part, span: { start, end } });
      });
    }
    const wholeTexts = words.wholeTexts[texts.operand];
    if (wholeTexts.size === 0 || !wholeTexts.mayEqual(text)) return;
    const span = trimmedSpan(text);
    if (allowed?.covers(span.start, span.end) === true) return;
    add(wholeTexts.usesOf(text.slice(span.start, span.end)), [{ part, span }]);
  });
  for (const [key, found] of byKey) add(uses.slice(from[key], from[key + 1]), found);
  return byCondition;
}

/** At most so many word matches of a condition are put in order; more are beyond what is reported anyway. */
const MAX_ORDERED = 20_000;

function wordFinds(groups: readonly { readonly use: Use; readonly found: readonly Place[] }[], limit: number): Find[] {
  const finds: Find[] = [];
  for (const { use, found } of groups) {
    if (finds.length > MAX_ORDERED) break;
    for (const { part, span } of found.slice(0, limit)) finds.push({ kind: 'word', part, span, use });
  }
  return finds;
}

function patternFinds(
  { patterns }: CompiledRuleSet,
  { texts }: Observation,
  condition: number,
  pattern: number,
  limit: number,
): Find[] {
  const { from, uses: all } = patterns.uses[texts.operand];
  const uses = all.slice(from[pattern], from[pattern + 1]).filter((use) => use.condition === condition);
  const finds: Find[] = [];
  for (const [part, { text }] of texts.parts.entries()) {
    if (finds.length >= limit) break;
    for (const span of findAll(patterns, pattern, text, limit - finds.length)) {
      for (const use of uses) finds.push({ kind: 'pattern', part, span, use });
    }
  }
  return finds;
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
    a.span.start - b.span.start ||
    a.span.end - b.span.end ||
    compare(a.use.written, b.use.written) ||
    compare(a.use.listId ?? '', b.use.listId ?? '')
  );
}

/** Sorting keeps the order within a text. */
const byPath = (a: Match, b: Match) => compare(a.path, b.path);
const byLabel = (a: ScoreMatch, b: ScoreMatch) =>
  byPath(a, b) || compare(a.label, b.label) || compare(a.threshold.label, b.threshold.label);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

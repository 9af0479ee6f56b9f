/**
 * The thorough half of evaluation: where everything stands in the message and where it comes from in the rule set.
 * Runs only for messages that somebody asks about, and only for conditions that hold.
 */
import type { CompiledRuleSet, Use } from '../compile/compiled-rule-set.js';
import { foldKey } from '../match/folding.js';
import { PatternFault } from '../match/pattern-engine.js';
import type { Span } from '../match/span.js';
import type { Semantics } from '../semantics.js';
import type { Match, PatternMatch, WordMatch } from './decision.js';
import { allowedSpans, trimmedSpan } from './marks.js';
import { scoresOver } from './media.js';
import type { Observation } from './observation.js';
import { printPath, type TextPart } from './text-parts.js';

/** Something found in a text, and what asked for it. */
interface Found {
  readonly part: TextPart;
  readonly span: Span;
}

/** Gives the matches of one condition after the other; after `cap` matches in all it has no more. */
export interface MatchFinder {
  of(condition: number): readonly Match[];
  readonly truncated: boolean;
}

/** Prepares the search for the matches of a message. `cap` bounds how many are reported over all conditions. */
export function createMatchFinder(
  compiled: CompiledRuleSet,
  semantics: Semantics,
  seen: Observation,
  cap: number,
): MatchFinder {
  const words = wordsByCondition(compiled, semantics, seen, cap + 1);
  let left = cap;
  let truncated = false;
  return {
    get truncated() {
      return truncated;
    },
    of: (index) => {
      const condition = compiled.conditions[index]!;
      const matches: Match[] = [
        ...wordMatches(words.get(index) ?? [], left + 1),
        ...condition.patterns.flatMap((pattern) => patternMatches(compiled, seen, index, pattern, left + 1)),
        ...scoresOver(condition.thresholds, condition.operand, seen.media, left + 1),
      ].sort(byPlace);
      if (matches.length > left) truncated = true;
      const kept = matches.slice(0, left);
      left -= kept.length;
      return kept;
    },
  };
}

/**
 * Word occurrences of the message, under the conditions that ask for them; occurrences of one key are shared. At most
 * `limit` of each key are kept, so that a long text cannot fill the memory with what nobody will see.
 */
function wordsByCondition({ words }: CompiledRuleSet, semantics: Semantics, { texts }: Observation, limit: number) {
  const byCondition = new Map<number, { readonly use: Use; readonly found: readonly Found[] }[]>();
  const add = (uses: readonly Use[] | undefined, found: readonly Found[]) => {
    for (const use of uses ?? []) {
      const list = byCondition.get(use.condition);
      if (list === undefined) byCondition.set(use.condition, [{ use, found }]);
      else list.push({ use, found });
    }
  };
  const byKey = new Map<number, Found[]>();
  for (const part of texts.parts) {
    const allowed = words.hasAllowed ? allowedSpans(words, part.text) : undefined;
    if (words.hasKeys) {
      words.matcher.scan(part.text, (key, start, end) => {
        if (words.uses[texts.operand][key]!.length === 0 || allowed?.covers(start, end) === true) return;
        const found = byKey.get(key);
        if (found === undefined) byKey.set(key, [{ part, span: { start, end } }]);
        else if (found.length < limit) found.push({ part, span: { start, end } });
      });
    }
    const span = trimmedSpan(part.text);
    if (words.wholeTexts[texts.operand].size === 0 || allowed?.covers(span.start, span.end) === true) continue;
    const whole = foldKey(part.text.slice(span.start, span.end), semantics.folding);
    add(words.wholeTexts[texts.operand].get(whole), [{ part, span }]);
  }
  for (const [key, found] of byKey) add(words.uses[texts.operand][key], found);
  return byCondition;
}

/** At most so many word matches of a condition are put in order; more are beyond what is reported anyway. */
const MAX_ORDERED = 20_000;

function wordMatches(
  groups: readonly { readonly use: Use; readonly found: readonly Found[] }[],
  limit: number,
): WordMatch[] {
  const matches: WordMatch[] = [];
  for (const { use, found } of groups) {
    if (matches.length > MAX_ORDERED) break;
    for (const { part, span } of found.slice(0, limit)) {
      const text = part.text.slice(span.start, span.end);
      matches.push({ kind: 'word', path: printPath(part.at), span, text, term: use.written, ...origin(use) });
    }
  }
  return matches;
}

function patternMatches(
  { patterns }: CompiledRuleSet,
  { texts }: Observation,
  condition: number,
  pattern: number,
  limit: number,
): PatternMatch[] {
  const uses = patterns.uses[texts.operand][pattern]!.filter((use) => use.condition === condition);
  return texts.parts.flatMap((part) =>
    findAll(patterns, pattern, part.text, limit).flatMap((span) =>
      uses.map((use) => ({
        kind: 'pattern' as const,
        path: printPath(part.at),
        span,
        text: part.text.slice(span.start, span.end),
        pattern: use.written,
        ...origin(use),
      })),
    ),
  );
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

function origin({ listId, listRevisionId }: Use) {
  return { ...(listId !== undefined && { listId }), ...(listRevisionId !== undefined && { listRevisionId }) };
}

/** By path, start, end, then by what was found, so that the order of rules and lists changes nothing. */
function byPlace(a: Match, b: Match): number {
  return compare(a.path, b.path) || bySpan(a, b) || compare(what(a), what(b)) || compare(listOf(a), listOf(b));
}

function bySpan(a: Match, b: Match): number {
  if (a.kind === 'score' || b.kind === 'score') return 0;
  return a.span.start - b.span.start || a.span.end - b.span.end;
}

function what(match: Match): string {
  if (match.kind === 'score') return `${match.label}\u0000${match.threshold.label}`;
  return match.kind === 'word' ? match.term : match.pattern;
}

const listOf = (match: Match) => (match.kind === 'score' ? '' : (match.listId ?? ''));
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The cause of a match: a term, a pattern or a score over a threshold, of one rule. */
import type { ExceptionSource, Match, RuleHit } from '../../engine/evaluate/decision.js';

/**
 * A term, a pattern, or a label over a threshold that matched for one rule. Exactly one of `term`,
 * `pattern` and `label` is present. Plain JSON; `keyOf` returns its identity.
 */
export interface Cause {
  readonly ruleId: string;
  /** The keyword list that holds the term or pattern; absent if the rule itself holds it. */
  readonly listId?: string | undefined;
  /** The term as its author wrote it. */
  readonly term?: string | undefined;
  readonly pattern?: string | undefined;
  /** The label as the scores have it. */
  readonly label?: string | undefined;
  /** The threshold that a score exceeds. */
  readonly threshold?: { readonly label: string; readonly greaterThan: number } | undefined;
}

/** Returns the identity of a cause as one text; other fields of the value make no difference. */
export function keyOf({ ruleId, listId, term, pattern, label, threshold }: Cause): string {
  const scored = threshold && [threshold.label, threshold.greaterThan];
  return JSON.stringify([ruleId, listId, term, pattern, label, scored]);
}

/** Returns the identity of an exception as one text. */
export function exceptionKeyOf({ term, pattern, listId }: ExceptionSource): string {
  return JSON.stringify([term, pattern, listId]);
}

export function causeOf(ruleId: string, match: Match): Cause {
  if (match.kind === 'score') return { ruleId, label: match.label, threshold: match.threshold };
  const list = match.listId === undefined ? {} : { listId: match.listId };
  return match.kind === 'word' ? { ruleId, ...list, term: match.term } : { ruleId, ...list, pattern: match.pattern };
}

/** A cause with its matches in one message, in their order. */
interface FoundCause {
  readonly cause: Cause;
  readonly key: string;
  readonly matches: readonly [Match, ...Match[]];
}

/** Returns the causes of a rule that matched, in the order of their first matches. */
export function causesOf({ ruleId, conditions }: RuleHit): readonly FoundCause[] {
  const found = new Map<
    string,
    { readonly cause: Cause; readonly key: string; readonly matches: [Match, ...Match[]] }
  >();
  for (const { matches } of conditions) {
    for (const match of matches) {
      const cause = causeOf(ruleId, match);
      const key = keyOf(cause);
      const before = found.get(key);
      if (before === undefined) found.set(key, { cause, key, matches: [match] });
      else before.matches.push(match);
    }
  }
  return [...found.values()];
}

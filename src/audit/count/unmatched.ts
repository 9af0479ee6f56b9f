import type { EngineReference } from '../../engine.js';
import type { AuditSummary } from './audit-summary.js';

/** A rule that ran and matched no message. */
export interface UnmatchedRule {
  readonly ruleId: string;
  readonly ruleName: string;
  /** At least so many messages for which a condition of it could not be evaluated: it might have matched those. */
  readonly unevaluated: number;
}

/** The terms or patterns of one keyword list, or of one rule that holds them itself, that matched nothing. */
export interface UnmatchedTerms {
  readonly listId?: string | undefined;
  /** Of the rule that holds them; absent for those of a list. */
  readonly ruleId?: string | undefined;
  readonly kind: EngineReference['kind'];
  /** Terms or patterns in all. */
  readonly of: number;
  /** In the order of the rule set. */
  readonly never: readonly string[];
}

/** What ran and never matched. */
export interface Unmatched {
  readonly rules: readonly UnmatchedRule[];
  /** Those with the most first; lists and rules of which everything matched are left out. */
  readonly terms: readonly UnmatchedTerms[];
}

/** The rules that run, and what they look for. */
export interface RunningRules {
  readonly rules: readonly { readonly id: string; readonly name?: string | undefined }[];
  readonly references: Iterable<EngineReference>;
}

/**
 * What never matched, from the rules that ran and the summary of the whole: parts of an audit have no such rows, for they would
 * not add up. A term of a list matched when it did for any rule; it counts as matched where its rule matched, and a decision that
 * is truncated may lack it.
 */
export function unmatchedOf(
  { rules, references }: RunningRules,
  { rules: counted, terms, patterns, unevaluated }: AuditSummary,
): Unmatched {
  const found = new Set<string>();
  for (const { ruleId, listId, term } of terms) found.add(keyOf('word', listId, ruleId, term));
  for (const { ruleId, listId, pattern } of patterns) found.add(keyOf('pattern', listId, ruleId, pattern));
  const groups = new Map<string, UnmatchedTerms & { readonly written: Set<string>; readonly never: string[] }>();
  for (const { kind, listId, ruleId, written } of references) {
    const key = keyOf(kind, listId, ruleId, '');
    const place = listId === undefined ? { ruleId } : { listId };
    const group = groups.get(key) ?? { ...place, kind, of: 0, never: [], written: new Set() };
    groups.set(key, group);
    if (group.written.has(written)) continue;
    group.written.add(written);
    if (!found.has(keyOf(kind, listId, ruleId, written))) group.never.push(written);
  }
  const unmatched = [...groups.values()]
    .filter(({ never }) => never.length > 0)
    .map(({ written, ...group }) => ({ ...group, of: written.size }));
  const matched = new Set(counted.map(({ ruleId }) => ruleId));
  const most = new Map<string, number>();
  for (const { ruleId, messages } of unevaluated.conditions)
    most.set(ruleId, Math.max(messages, most.get(ruleId) ?? 0));
  return {
    rules: rules
      .filter(({ id }) => !matched.has(id))
      .map(({ id, name }) => ({ ruleId: id, ruleName: name ?? id, unevaluated: most.get(id) ?? 0 })),
    terms: unmatched.sort((left, right) => right.never.length - left.never.length),
  };
}

function keyOf(kind: string, listId: string | undefined, ruleId: string, written: string): string {
  return JSON.stringify([kind, listId === undefined ? [ruleId] : listId, written]);
}

/** The fixes of `sluice lint --fix`: those that are mechanical and change no verdict. */
import { namesLists } from '../../engine/compile/list-flags.js';
import { isTextOperand } from '../../engine/compile/operands.js';
import { unquoteCsv } from '../../engine/compile/terms.js';
import { isScored } from '../../engine/compile/threshold.js';
import type { Semantics } from '../../engine/semantics.js';
import { digest } from '../../foundation/digest.js';
import type { Condition, Rule } from '../../platform/contract/rule.js';
import type { ListComments, RuleSet } from '../../platform/contract/rule-set.js';
import type { IgnoredFinding } from './finding.js';
import { isIgnored } from './ignore.js';

/** One change. Without `after` the value, or the whole list where there is no `before`, is taken out. */
export interface Mend {
  readonly ruleId?: string;
  readonly conditionId?: number;
  readonly listId?: string;
  /** Position before the change. */
  readonly index?: number;
  readonly why: 'repetition' | 'blanks at an end' | 'CSV quotes' | 'unused list';
  readonly before?: string;
  readonly after?: string;
}

/** A fixed rule set and its changes; the same object where there is nothing to fix. */
interface Mended {
  readonly ruleSet: RuleSet;
  readonly mends: readonly Mend[];
}

/**
 * Takes out repeated terms, blanks at the ends of terms, the quotes of CSV cells, and lists that no rule and no reading names. An engine of the
 * result gives every message the same verdict, by the same rules. Parts that are malformed stay as they are, and so do unused lists whose
 * finding is ignored. `semantics` are the readings in use.
 */
export function mendRuleSet(ruleSet: RuleSet, semantics: Semantics, ignore: readonly IgnoredFinding[] = []): Mended {
  const mends: Mend[] = [];
  const comments = new Map(Object.entries(ruleSet.comments ?? {}));
  const uses = usesOf(ruleSet.rules, semantics);
  const rules = ruleSet.rules.map((rule) => mendRule(rule, mends));
  const lists = ruleSet.lists.flatMap((list) => {
    const { id, searchTerms, isCSV } = list ?? {};
    if (typeof id !== 'string' || !Array.isArray(searchTerms)) return [list];
    if (!uses.named.has(id) && !isIgnored({ id: 'unused-list', listId: id }, ignore)) {
      mends.push({ listId: id, why: 'unused list' });
      comments.delete(id);
      return [];
    }
    const read = isCSV === true ? unquoteCsv : uses.patterns.has(id) ? undefined : trimmed;
    const own: Mend[] = [];
    const kept = mendTerms(searchTerms, read, { listId: id }, own);
    if (own.length === 0) return [list];
    mends.push(...own);
    const noted = comments.get(id);
    if (noted !== undefined)
      comments.set(
        id,
        movedComments(noted, (term) => settled(term, read)),
      );
    return [{ ...list, searchTerms: kept }];
  });
  if (mends.length === 0) return { ruleSet, mends };
  const moved = ruleSet.comments && { comments: Object.fromEntries(comments) };
  return { ruleSet: { ...ruleSet, rules, lists, ...moved, revision: digest({ rules, lists }) }, mends };
}

/** The reading of a term at its place. */
type Read = (term: string) => string;

const trimmed: Read = (term) => term.trim();

/** Returns all ids that are named, also by a value that counts as a word, and the lists whose terms are patterns. */
function usesOf(rules: readonly Rule[], { words, exceptions }: Semantics) {
  const named = new Set<unknown>(typeof words === 'string' ? [] : Object.keys(words.lists));
  const patterns = new Set<unknown>();
  for (const exception of exceptions) {
    if (typeof exception === 'string') continue;
    for (const id of [...(exception.lists ?? []), ...(exception.for?.lists ?? [])]) named.add(id);
    // Its own category says what such a list holds.
    for (const id of exception.lists ?? []) patterns.add(id);
  }
  for (const { category, value } of rules.flatMap((rule) => asArray(rule?.conditions) as Condition[])) {
    for (const id of asArray(value)) {
      named.add(id);
      if (category === 'pattern') patterns.add(id);
    }
  }
  return { named, patterns };
}

function asArray(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.filter((item) => item !== null && item !== undefined);
  return value === undefined || value === null ? [] : [value];
}

/** Fixes the terms and patterns in a rule. */
function mendRule(rule: Rule, mends: Mend[]): Rule {
  if (!Array.isArray(rule?.conditions)) return rule;
  const before = mends.length;
  const conditions = rule.conditions.map((condition) => {
    if (!Array.isArray(condition?.value) || namesLists(condition) || isScored(condition)) return condition;
    if (!isTextOperand(condition.operand)) return condition;
    const kind = condition.category ?? 'word';
    if (kind !== 'word' && kind !== 'pattern') return condition;
    const read = kind === 'word' ? trimmed : undefined;
    const value = mendTerms(condition.value, read, { ruleId: rule.id, conditionId: condition.id }, mends);
    return value.length === condition.value.length && value.every((term, at) => term === condition.value?.[at])
      ? condition
      : { ...condition, value };
  });
  return mends.length === before ? rule : { ...rule, conditions };
}

/** Returns terms as they are read, without repetitions; `read` is absent where blanks belong to them. */
function mendTerms(
  terms: readonly string[],
  read: Read | undefined,
  place: Pick<Mend, 'ruleId' | 'conditionId' | 'listId'>,
  mends: Mend[],
): string[] {
  const seen = new Set<unknown>();
  return terms.flatMap((before, index) => {
    const isTerm = typeof before === 'string' && before.trim() !== '';
    const after = isTerm ? settled(before, read) : before;
    if (isTerm && seen.has(after)) {
      mends.push({ ...place, index, why: 'repetition', before });
      return [];
    }
    seen.add(after);
    if (after === before) return [before];
    const why = after === before.trim() ? 'blanks at an end' : 'CSV quotes';
    mends.push({ ...place, index, why, before, after });
    return [after];
  });
}

/** Returns a term as it is read; unchanged where that would be nothing, or would be read as yet another one. */
function settled(term: string, read: Read | undefined): string {
  const once = read?.(term) ?? term;
  return once.trim() !== '' && read?.(once) === once ? once : term;
}

/** Moves the comments of changed terms to their new spelling; terms that became one share theirs. */
function movedComments({ terms, ...noted }: ListComments, read: Read): ListComments {
  if (terms === undefined) return noted;
  const moved = new Map<string, string>();
  for (const [term, words] of Object.entries(terms)) {
    const known = moved.get(read(term));
    moved.set(read(term), known === undefined ? words : `${known}\n${words}`);
  }
  return { ...noted, terms: Object.fromEntries(moved) };
}

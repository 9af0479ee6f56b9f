/** The guard of a moderator: whether a fetched rule set may replace the one in use, or loses too much of it. */
import type { RuleSet } from '../contract/rule-set.js';
import { RuleSetError, UsageError } from '../errors.js';
import { hasReference } from '../loader/referenced-lists.js';
import { refuseUnknownOptions } from '../unknown-options.js';

/** Options of the guard; `'off'` in their place takes every rule set that could be fetched. */
export interface GuardOptions {
  /**
   * The largest share of rules, of keyword lists or of terms that a refresh may lose, 0 to 1. Default 0.5. Whatever it is, a
   * rule set that has none left of one of them, a list without its terms, and a list that no longer exists are held back.
   */
  readonly maxLoss?: number | undefined;
  /** Refreshes in a row, after the one that was held back, that must bring the same loss until it is accepted. Default 3. */
  readonly acceptAfter?: number | undefined;
}

/** What a rule set has less than the one in use. */
export interface RuleSetLoss {
  /** Ids of rules that would be gone. */
  readonly rules: readonly string[];
  /** Ids of keyword lists that would be gone. */
  readonly lists: readonly string[];
  /** Ids of keyword lists that would have no terms left. */
  readonly emptied: readonly string[];
  /** How many terms of lists and of conditions would be gone; blank ones are not counted. */
  readonly terms: number;
  /** How many there are of each in the rule set in use. */
  readonly of: { readonly rules: number; readonly lists: number; readonly terms: number };
}

/** A fetched rule set that is held back because of what it would lose. */
export interface HeldRuleSet {
  /** `revision` of the rule set. */
  readonly revision: string;
  readonly loss: RuleSetLoss;
  /** The loss in words: `3 of 4 rules, 1 of 2 keyword lists and 40 of 52 terms would be lost`. */
  readonly reason: string;
  /** When it was first fetched, in milliseconds since the epoch. */
  readonly since: number;
  /** How many further refreshes in a row have to bring it until it is accepted. */
  readonly remaining: number;
}

/** A guard with its defaults. */
export interface Guard {
  readonly maxLoss: number;
  readonly acceptAfter: number;
}

/** The options of a guard with their defaults; throws `UsageError` for bad ones. */
export function resolveGuard(guard: GuardOptions | 'off' = {}): Guard | 'off' {
  if (guard === 'off') return guard;
  if (typeof guard !== 'object' || guard === null || Array.isArray(guard))
    throw new UsageError("`guard` must be an object of options, or 'off'");
  refuseUnknownOptions('`guard`', guard, ['maxLoss', 'acceptAfter']);
  const { maxLoss = 0.5, acceptAfter = 3 } = guard;
  if (!(typeof maxLoss === 'number' && maxLoss >= 0 && maxLoss <= 1))
    throw new UsageError('`guard.maxLoss` must be a share from 0 to 1');
  if (!(typeof acceptAfter === 'number' && acceptAfter >= 1)) {
    throw new UsageError('`guard.acceptAfter` must be a number of refreshes from 1');
  }
  return { maxLoss, acceptAfter };
}

/** What `after` has less than `before`, when it is more than the guard lets pass. */
export function lossOf(before: RuleSet, after: RuleSet, maxLoss: number): RuleSetLoss | undefined {
  if (before.revision === after.revision) return undefined;
  const left = new Map(after.lists.map((list) => [list.id, termCount(list)]));
  // Counted, since rules may share an id, or have none.
  const rulesLeft = countsOf(after.rules, () => 1);
  const rules = before.rules.flatMap(({ id }) => {
    const count = rulesLeft.get(id) ?? 0;
    rulesLeft.set(id, count - 1);
    return count > 0 ? [] : [id];
  });
  const lists = before.lists.flatMap(({ id }) => (left.has(id) ? [] : [id]));
  const emptied = before.lists.flatMap((list) => (termCount(list) > 0 && left.get(list.id) === 0 ? [list.id] : []));
  const inline = countsOf(before.rules, inlineCount);
  const inlineLeft = countsOf(after.rules, inlineCount);
  let terms = before.lists.reduce((sum, list) => sum + Math.max(0, termCount(list) - (left.get(list.id) ?? 0)), 0);
  let allTerms = before.lists.reduce((sum, list) => sum + termCount(list), 0);
  for (const [id, count] of inline) {
    terms += Math.max(0, count - (inlineLeft.get(id) ?? 0));
    allTerms += count;
  }
  const of = { rules: before.rules.length, lists: before.lists.length, terms: allTerms };
  const isNotThere = after.missing.some(({ listId }) => lists.includes(listId));
  const exceeds = (lost: number, all: number) => all > 0 && (lost === all || lost / all > maxLoss);
  const isHeld =
    emptied.length > 0 ||
    isNotThere ||
    exceeds(rules.length, of.rules) ||
    exceeds(lists.length, of.lists) ||
    exceeds(terms, of.terms);
  return isHeld ? { rules, lists, emptied, terms, of } : undefined;
}

/** A loss in words. */
export function describeLoss({ rules, lists, emptied, terms, of }: RuleSetLoss): string {
  const parts = [
    rules.length > 0 ? `${rules.length} of ${of.rules} rules` : '',
    lists.length > 0 ? `${lists.length} of ${of.lists} keyword lists (${named(lists)})` : '',
    emptied.length > 0 ? `all terms of ${emptied.length} keyword lists (${named(emptied)})` : '',
    terms > 0 ? `${terms} of ${of.terms} terms` : '',
  ].filter((part) => part !== '');
  const last = parts.pop();
  return `${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`} would be lost`;
}

/**
 * Throws `RuleSetError` when a fetched rule set is not the whole one: a truncated list of rules (`check` may switch that off),
 * or a list of the rule set in use that could not be fetched for another reason than not existing.
 */
export function refuseIncomplete(after: RuleSet, before: RuleSet | undefined, guard: Guard | 'off'): void {
  if (after.truncated && guard !== 'off') {
    throw new RuleSetError(
      "the list of rules is cut off at the platform's largest page, so rules are missing; `guard: 'off'` accepts it",
      { code: 'truncated' },
    );
  }
  const had = new Set(before?.lists.map((list) => list.id));
  const lost = unreachable(after).find(({ listId }) => had.has(listId));
  if (lost !== undefined) {
    throw new RuleSetError(
      `keyword list \`${lost.listId}\` could not be fetched again (${lost.reason}); the last good rules stay`,
      { code: 'list-unreachable' },
    );
  }
}

/** The lists of a rule set that could not be fetched, those left out that do not exist. */
export function unreachable({ missing }: RuleSet): RuleSet['missing'] {
  return missing.filter(({ kind }) => kind !== 'gone');
}

/** Blank entries are none: a list of them matches nothing. */
function termCount({ searchTerms }: RuleSet['lists'][number]): number {
  return Array.isArray(searchTerms) ? searchTerms.filter(isTerm).length : 0;
}

/** Terms, patterns and thresholds that stand in the conditions of a rule. */
function inlineCount({ conditions }: RuleSet['rules'][number]): number {
  const values = conditions.filter((condition) => !hasReference(condition)).flatMap(({ value }) => value ?? []);
  return values.filter(isTerm).length;
}

function isTerm(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** Sums by id of rule. */
function countsOf(rules: RuleSet['rules'], count: (rule: RuleSet['rules'][number]) => number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const rule of rules) counts.set(rule.id, (counts.get(rule.id) ?? 0) + count(rule));
  return counts;
}

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).map((id) => `\`${id}\``);
  return `${shown.join(', ')}${ids.length > shown.length ? `, and ${ids.length - shown.length} more` : ''}`;
}

/**
 * The guard of a moderator: it decides whether a fetched rule set may replace the one in use, or
 * waits until a person accepts it.
 */

import { asList } from '../../engine/compile/untrusted.js';
import { RuleSetError } from '../../foundation/errors.js';
import { checkOptions, isShare } from '../../foundation/options.js';
import type { Portions } from '../../foundation/portions.js';
import { lostLists, type RuleSet } from '../../platform/contract/rule-set.js';
import { type ReadingChange, readingChanges } from '../../review/compare/reading-changes.js';
import {
  askRules,
  type CompiledRules,
  lostGroups,
  mergeGroups,
  type StoppingGroup,
} from '../../review/compare/stopped-texts.js';
import type { CanaryCounts } from './canary.js';

/** Options of the guard. `'off'` in their place accepts every rule set that was fetched whole. */
export interface GuardOptions {
  /**
   * The largest share of rules, of keyword lists or of terms that may be lost, 0 to 1. Default 0.5.
   * A rule set that loses all rules, all lists, all terms, or all earlier terms of one list is
   * always held.
   */
  readonly maxLoss?: number | undefined;
}

/**
 * Parts of a rule set that could stop a message and no longer can, whatever the reason: removed,
 * switched off, narrowed by a filter, read in another way, excepted.
 */
export interface RuleSetLoss {
  /** Ids of rules that can stop no message any more, or fewer by their filters. */
  readonly rules: readonly string[];
  /** Ids of keyword lists of which nothing stops a message any more. */
  readonly lists: readonly string[];
  /** Ids of keyword lists that have none of their earlier terms. */
  readonly emptied: readonly string[];
  /** Number of terms, patterns and thresholds, of lists and of conditions. */
  readonly terms: number;
  /** The number of each that there was before. */
  readonly of: { readonly rules: number; readonly lists: number; readonly terms: number };
}

/** A condition that is evaluated now, and in the held rules would not be, or not in full. */
export interface UnevaluatedCondition {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly detail: string;
}

/** A fetched rule set that waits until a person accepts it. */
export interface HeldRuleSet {
  /**
   * The argument of `accept`: a digest of rules, lists and readings, without what the platform
   * adds, such as `revisionId` and times.
   */
  readonly revision: string;
  /**
   * All reasons in words: `3 of 4 rules (…) and 40 of 52 terms would be lost`; the canary adds the
   * rule and term with the most messages.
   */
  readonly reason: string;
  /** When it was first fetched, in milliseconds since the epoch. */
  readonly since: number;
  /** The parts that would be lost; empty if these are within the limits. */
  readonly loss: RuleSetLoss;
  /** The readings that would change, in the order of `Semantics`. */
  readonly readings: readonly ReadingChange[];
  /** The conditions that would no longer be evaluated. */
  readonly unevaluated: readonly UnevaluatedCondition[];
  /** Effects of the rule set on the last messages, if the canary holds it. */
  readonly canary?: CanaryCounts;
}

/** The reasons of the guard and the canary to hold a rule set. */
export type Refused = Omit<HeldRuleSet, 'revision' | 'since'>;

/** Fills in the defaults of the options of a guard. Throws `UsageError` for invalid ones. */
export function resolveGuard(guard: GuardOptions | 'off' = {}): { readonly maxLoss: number } | 'off' {
  if (guard === 'off') return guard;
  checkOptions('`guard`', guard, { maxLoss: [isShare, 'a share from 0 to 1'] }, 'guard.');
  const { maxLoss = 0.5 } = guard;
  return { maxLoss };
}

/** No reason to hold a rule set. */
export const nothingRefused: Refused = {
  reason: '',
  loss: { rules: [], lists: [], emptied: [], terms: 0, of: { rules: 0, lists: 0, terms: 0 } },
  readings: [],
  unevaluated: [],
};

/** The result of the guard for a rule set. */
interface Judgement {
  /** The reasons, if `isRefused`. */
  readonly refused: Refused;
  readonly isRefused: boolean;
  /**
   * Everything that could stop a message since a person last accepted a rule set, and cannot once
   * this one is in use.
   */
  readonly lost: readonly StoppingGroup[];
}

/**
 * Compares a rule set with the one in use, and with the most that was ever accepted: `lostBefore`
 * are the groups that the one in use lacks. If `maxLoss` allows every loss but a total one, losses
 * are not remembered, since they would add up without end.
 */
export function* judgeRules(
  { maxLoss }: { readonly maxLoss: number },
  before: CompiledRules & { readonly lostBefore: readonly StoppingGroup[] },
  after: CompiledRules,
): Portions<Judgement> {
  const readings = readingChanges(before.semantics, after.semantics);
  const unevaluated = newlyUnevaluated(before, after);
  const [inUse, left] = [yield* askRules(before), yield* askRules(after)];
  const lostOfUse = yield* lostGroups(inUse.groups, before.semantics, { before: inUse, after: left });
  const lostEarlier = yield* lostGroups(before.lostBefore, before.semantics, { after: left });
  const ever = mergeGroups([...inUse.groups, ...before.lostBefore]);
  const lostOfEver = mergeGroups([...lostOfUse, ...lostEarlier]);
  // Earlier losses do not hold a rule set that loses nothing more.
  const isLess = lostOfUse.length > 0 && before.lostBefore.length > 0;
  const ofEver = isLess ? lossOf(ever, lostOfEver, after.ruleSet, maxLoss) : undefined;
  const loss = ofEver ?? lossOf(inUse.groups, lostOfUse, after.ruleSet, maxLoss);
  const lost = maxLoss === 1 ? [] : lostOfEver;
  const reasons = [
    loss === undefined ? [] : describeLoss(loss),
    ofEver === undefined ? [] : 'counted from the most that was ever accepted',
    unevaluated.length === 0 ? [] : describeUnevaluated(unevaluated),
    readings.map(describeReading),
  ].flat();
  const of = sizesOf(inUse.groups);
  const refused = { ...nothingRefused, reason: reasons.join(', '), loss: loss ?? { ...nothingRefused.loss, of } };
  return { lost, refused: { ...refused, readings, unevaluated }, isRefused: reasons.length > 0 };
}

/** Counts the lost groups; returns the loss if it exceeds what the guard allows. */
function lossOf(
  groups: readonly StoppingGroup[],
  lost: readonly StoppingGroup[],
  after: RuleSet,
  maxLoss: number,
): RuleSetLoss | undefined {
  const whole = listsWithout(groups, lost);
  const texts = new Map(after.lists.map(({ id, searchTerms }) => [id, asList(searchTerms)]));
  // A list that still has its terms was not emptied: the rules that used it are gone.
  const emptied = whole.filter((id) => {
    const terms = texts.get(id)?.map((term) => String(term).trim().replace(/^"|"$/g, ''));
    return terms?.some((term) => lost.some(({ listId, entries }) => listId === id && entries.has(term))) === false;
  });
  const [{ terms }, of] = [sizesOf(lost), sizesOf(groups)];
  const rules = [...countBy(lost, 'ruleId').keys()];
  const exceeds = (count: number, all: number) => all > 0 && (count === all || count / all > maxLoss);
  const isTooMuch = exceeds(rules.length, of.rules) || exceeds(whole.length, of.lists) || exceeds(terms, of.terms);
  if (emptied.length === 0 && !isTooMuch) return undefined;
  return { rules, lists: whole.filter((id) => !emptied.includes(id)), emptied, terms, of };
}

/** Counts the entries of groups by a property of the groups. */
function countBy(groups: readonly StoppingGroup[], property: 'listId' | 'ruleId'): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { [property]: id, kind, entries } of groups)
    if (id !== undefined && (property === 'listId' || kind === 'rule'))
      counts.set(id, (counts.get(id) ?? 0) + entries.size);
  return counts;
}

/** Returns the lists of which every entry is lost. */
function listsWithout(groups: readonly StoppingGroup[], lost: readonly StoppingGroup[]): readonly string[] {
  const all = countBy(groups, 'listId');
  return [...countBy(lost, 'listId')].flatMap(([id, count]) => (count === all.get(id) ? id : []));
}

function sizesOf(groups: readonly StoppingGroup[]): RuleSetLoss['of'] {
  const terms = groups.reduce((sum, { kind, entries }) => sum + (kind === 'rule' ? 0 : entries.size), 0);
  return { rules: countBy(groups, 'ruleId').size, lists: countBy(groups, 'listId').size, terms };
}

/**
 * Lists the conditions of running rules that were evaluated in full before, and are not afterwards.
 */
function newlyUnevaluated(before: CompiledRules, after: CompiledRules): UnevaluatedCondition[] {
  const conditionsOf = ({ compiled: { rules, conditions, patterns } }: CompiledRules) =>
    conditions.map(({ rule, id: conditionId, compileError, patterns: own }) => {
      const { id: ruleId, filterError } = rules[rule]!;
      const detail = compileError ?? filterError ?? (own.length > 0 ? patterns.fault : undefined);
      return { ruleId, conditionId, detail, key: JSON.stringify([ruleId, conditionId]) };
    });
  const evaluated = new Set(conditionsOf(before).flatMap(({ key, detail }) => (detail === undefined ? key : [])));
  return conditionsOf(after).flatMap(({ key, ruleId, conditionId, detail }) =>
    detail !== undefined && evaluated.has(key) ? { ruleId, conditionId, detail } : [],
  );
}

function describeLoss({ rules, lists, emptied, terms, of }: RuleSetLoss): string {
  const parts = [
    rules.length > 0 ? `${rules.length} of ${of.rules} rules` : '',
    lists.length > 0 ? `${lists.length} of ${of.lists} keyword lists (${named(lists)})` : '',
    emptied.length > 0 ? `all terms of ${emptied.length} keyword lists (${named(emptied)})` : '',
    terms > 0 ? `${terms} of ${of.terms} terms` : '',
  ].filter((part) => part !== '');
  const last = parts.pop();
  return `${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`} would be lost`;
}

function describeUnevaluated([first, ...others]: readonly UnevaluatedCondition[]): string {
  const more = others.length === 0 ? '' : `, and ${others.length} more conditions`;
  return `condition ${first!.conditionId} of rule \`${first!.ruleId}\` would no longer be evaluated (${first!.detail})${more}`;
}

function describeReading({ reading, before, after }: ReadingChange): string {
  const words = (value: unknown) => {
    const json = JSON.stringify(value);
    return json.length > longestReading ? `${json.slice(0, longestReading)}…` : json;
  };
  return `reading "${reading}" would be ${words(after)}, and is ${words(before)}`;
}

/** Characters that are shown of a reading, which may have a list of terms or of ids. */
const longestReading = 80;

/**
 * Throws `RuleSetError` if a fetched rule set is incomplete: its list of rules is cut off (unless
 * the guard is `'off'`), or a keyword list could not be fetched that is not missing in `before`,
 * the rule set in use, as well. Without `before` no list is required.
 */
export function refuseIncomplete(after: RuleSet, before: RuleSet | undefined, guard: GuardOptions | 'off'): void {
  if (after.truncated && guard !== 'off') {
    throw new RuleSetError(
      "the list of rules is cut off at the platform's largest page, so rules are missing; `guard: 'off'` accepts it",
      { code: 'truncated' },
    );
  }
  const known = new Set(before?.missing.map(({ listId }) => listId));
  const lost = before && lostLists(after).find(({ listId }) => !known.has(listId));
  if (lost !== undefined) {
    const again = before?.lists.some(({ id }) => id === lost.listId) === true ? ' again' : '';
    throw new RuleSetError(
      `keyword list \`${lost.listId}\` could not be fetched${again} (${lost.reason}); the last good rules stay`,
      { code: 'list-unreachable' },
    );
  }
}

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).map((id) => `\`${id}\``);
  return `${shown.join(', ')}${ids.length > shown.length ? `, and ${ids.length - shown.length} more` : ''}`;
}

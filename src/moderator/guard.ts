/** The guard of a moderator: whether a fetched rule set may replace the one in use, or loses too much of it, or is read otherwise. */
import { type ReadingChange, readingChanges } from '../compare/reading-changes.js';
import type { RuleSet } from '../contract/rule-set.js';
import { RuleSetError, UsageError } from '../errors.js';
import { lostLists } from '../loader/missing-lists.js';
import { type Semantics, semanticsOf } from '../semantics.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import type { CanaryCounts } from './canary.js';
import { countsOf, type LargestCounts, type RuleSetCounts } from './rule-set-counts.js';

/** Options of the guard; `'off'` in their place takes every rule set that could be fetched. */
export interface GuardOptions {
  /**
   * The largest share of rules, of keyword lists or of terms that refreshes may lose within a day, 0 to 1. Default 0.5. Whatever it
   * is, a rule set that has none left of one of them, a list without its terms, and a list that no longer exists are held back.
   */
  readonly maxLoss?: number | undefined;
  /** Refreshes in a row, after the one that was held back, that must bring the same loss and the same readings until it is accepted. Default 3. */
  readonly acceptAfter?: number | undefined;
}

/** What a rule set has less than the largest of the last day, or since a held one was accepted; the one in use is among them. */
export interface RuleSetLoss {
  /** Ids of rules that would be gone. */
  readonly rules: readonly string[];
  /** Ids of keyword lists that would be gone. */
  readonly lists: readonly string[];
  /** Ids of keyword lists that would have no terms left. */
  readonly emptied: readonly string[];
  /** How many terms of lists and of conditions would be gone; blank ones are not counted. */
  readonly terms: number;
  /** The most of each that there was. */
  readonly of: { readonly rules: number; readonly lists: number; readonly terms: number };
}

/** A fetched rule set that is held back because of what it would lose, because its readings are others, or by the canary. */
export interface HeldRuleSet {
  /** `revision` of the rule set; readings are no part of it. */
  readonly revision: string;
  /** Of a rule set that is held because of its readings or by the canary alone, nothing. */
  readonly loss: RuleSetLoss;
  /** The readings that would be others than those in use, in the order of `Semantics`. */
  readonly readings: readonly ReadingChange[];
  /** What it does with the last messages, where the canary holds it. */
  readonly canary?: CanaryCounts;
  /**
   * The same in words: `3 of 4 rules, 1 of 2 keyword lists and 40 of 52 terms would be lost`, and whether it is counted from more
   * than the rule set in use has; `reading "words" would be "word", and is "substring"`; of the canary, which rule and term have the most.
   */
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

/** `acceptAfter` where none is given. */
export const usualAcceptAfter = 3;

/** The options of a guard with their defaults; throws `UsageError` for bad ones. */
export function resolveGuard(guard: GuardOptions | 'off' = {}): Guard | 'off' {
  if (guard === 'off') return guard;
  if (typeof guard !== 'object' || guard === null || Array.isArray(guard))
    throw new UsageError("`guard` must be an object of options, or 'off'");
  refuseUnknownOptions('`guard`', guard, ['maxLoss', 'acceptAfter']);
  const { maxLoss = 0.5, acceptAfter = usualAcceptAfter } = guard;
  if (!(typeof maxLoss === 'number' && maxLoss >= 0 && maxLoss <= 1))
    throw new UsageError('`guard.maxLoss` must be a share from 0 to 1');
  if (!(typeof acceptAfter === 'number' && acceptAfter >= 1)) {
    throw new UsageError('`guard.acceptAfter` must be a number of refreshes from 1');
  }
  return { maxLoss, acceptAfter };
}

/** A rule set that the guard does not let pass, and why. */
export interface Refused extends Pick<HeldRuleSet, 'loss' | 'readings' | 'canary' | 'reason'> {
  /** Whether it loses too much. */
  readonly losesTooMuch: boolean;
}

/**
 * What keeps a fetched rule set from taking the place of the one in use: what it loses of the most that there was within a day, or else of
 * the one in use alone, of which it may be more where other rules have grown again; and readings that are others. `given` are those that
 * the moderator was given, which go before those of both.
 */
export function refusedBy(
  { maxLoss }: Guard,
  inUse: RuleSet,
  after: RuleSet,
  largest: LargestCounts,
  given: Partial<Semantics> | undefined,
): Refused | undefined {
  const readings = readingChanges(semanticsOf(inUse, given), semanticsOf(after, given));
  const isChanged = inUse.revision !== after.revision;
  // Most refreshes bring nothing else, and need not be counted.
  if (!isChanged && readings.length === 0) return undefined;
  const counts = countsOf(inUse);
  const most = largest.most(counts, Date.now());
  const ofDay = isChanged && !largest.isEmpty ? lossOf(most, after, maxLoss) : undefined;
  const loss = ofDay ?? (isChanged ? lossOf(counts, after, maxLoss) : undefined);
  if (loss === undefined && readings.length === 0) return undefined;
  const reasons = [
    loss === undefined ? [] : describeLoss(loss),
    ofDay === undefined ? [] : 'counted from the most of the last day',
    readings.map(describeReading),
  ];
  return {
    loss: loss ?? nothingLost(inUse).loss,
    readings,
    reason: reasons.flat().join(', '),
    losesTooMuch: loss !== undefined,
  };
}

/** Of a rule set against which the guard has nothing. */
export function nothingLost(inUse: RuleSet): Refused {
  const loss = { rules: [], lists: [], emptied: [], terms: 0, of: sizesOf(countsOf(inUse)) };
  return { loss, readings: [], reason: '', losesTooMuch: false };
}

/** What a rule set has less than `most`, when it is more than the guard lets pass. */
export function lossOf(most: RuleSetCounts, after: RuleSet, maxLoss: number): RuleSetLoss | undefined {
  const left = countsOf(after);
  // As often as rules of the id are gone: rules may share one, or have none.
  const rules = [...most.rules].flatMap(([id, count]) =>
    Array<string>(Math.max(0, count - (left.rules.get(id) ?? 0))).fill(id),
  );
  const lists = [...most.lists.keys()].filter((id) => !left.lists.has(id));
  const emptied = [...most.lists].flatMap(([id, count]) => (count > 0 && left.lists.get(id) === 0 ? [id] : []));
  const terms = lostOf(most.lists, left.lists) + lostOf(most.inline, left.inline);
  const of = sizesOf(most);
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

function sizesOf({ rules, lists, inline }: RuleSetCounts): RuleSetLoss['of'] {
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, count) => all + count, 0);
  return { rules: sum(rules), lists: lists.size, terms: sum(lists) + sum(inline) };
}

/** What is lost of counts by id, a gain of another id not set against it. */
function lostOf(most: ReadonlyMap<string, number>, left: ReadonlyMap<string, number>): number {
  let lost = 0;
  for (const [id, count] of most) lost += Math.max(0, count - (left.get(id) ?? 0));
  return lost;
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

function describeReading({ reading, before, after }: ReadingChange): string {
  const words = (value: unknown) => {
    const json = JSON.stringify(value);
    return json.length > longestReading ? `${json.slice(0, longestReading)}…` : json;
  };
  return `reading "${reading}" would be ${words(after)}, and is ${words(before)}`;
}

/** A reading may hold a list of terms or of ids. */
const longestReading = 80;

/**
 * Throws `RuleSetError` when a fetched rule set is not the whole one: a truncated list of rules (`check` may switch that off),
 * or a list of the rule set in use that is lost.
 */
export function refuseIncomplete(after: RuleSet, before: RuleSet | undefined, guard: Guard | 'off'): void {
  if (after.truncated && guard !== 'off') {
    throw new RuleSetError(
      "the list of rules is cut off at the platform's largest page, so rules are missing; `guard: 'off'` accepts it",
      { code: 'truncated' },
    );
  }
  const had = new Set(before?.lists.map((list) => list.id));
  const lost = lostLists(after).find(({ listId }) => had.has(listId));
  if (lost !== undefined) {
    throw new RuleSetError(
      `keyword list \`${lost.listId}\` could not be fetched again (${lost.reason}); the last good rules stay`,
      { code: 'list-unreachable' },
    );
  }
}

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).map((id) => `\`${id}\``);
  return `${shown.join(', ')}${ids.length > shown.length ? `, and ${ids.length - shown.length} more` : ''}`;
}

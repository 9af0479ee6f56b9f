/** Finds the rules, conditions and terms that matched no message. */
import type { EngineReference } from '../../engine/compile/contents.js';
import type { Engine } from '../../engine/engine.js';
import type { ExceptionSource } from '../../engine/evaluate/decision.js';
import type { AuditEntry } from '../audit-entry.js';
import type { AuditSummary, UnevaluatedCount } from './audit-summary.js';
import { exceptionKeyOf, keyOf } from './cause.js';
import { createTally } from './tally.js';

/** A rule that ran and matched no message. */
interface UnmatchedRule {
  readonly ruleId: string;
  readonly ruleName: string;
  /**
   * The least number of messages that the rule might have matched, since a condition of it could
   * not be evaluated.
   */
  readonly unevaluated: number;
}

/**
 * The terms or patterns of one keyword list, or of one rule or condition that holds them itself,
 * that matched nothing.
 */
export interface UnmatchedTerms {
  readonly listId?: string | undefined;
  /** The rule that holds the terms; absent for those of a list. */
  readonly ruleId?: string | undefined;
  /** The condition that holds the terms; present only if they are counted by condition. */
  readonly conditionId?: number | undefined;
  readonly kind: EngineReference['kind'];
  /** The number of all terms or patterns. */
  readonly of: number;
  /** The terms or patterns that matched nothing, in the order of the rule set. */
  readonly unmatched: readonly string[];
}

/** Rules, terms and exceptions that ran and never matched. */
export interface Unmatched {
  readonly rules: readonly UnmatchedRule[];
  /** In descending order; lists and rules of which everything matched are left out. */
  readonly terms: readonly UnmatchedTerms[];
  /**
   * Exceptions that excepted nothing, in the order of the reading; empty for counts of one rule.
   */
  readonly exceptions: readonly ExceptionSource[];
}

/** A condition of a rule. */
interface ConditionPlace {
  readonly ruleId: string;
  readonly conditionId: number;
}

/**
 * The numbers of rules, conditions and terms that ran, and those that never matched, in the order
 * of the rule set.
 */
export interface UnmatchedCounts {
  readonly rules: { readonly of: number; readonly unmatched: readonly UnmatchedRule[] };
  readonly conditions: { readonly of: number; readonly unmatched: readonly ConditionPlace[] };
  /**
   * Every list, and every rule or condition that holds terms itself, also those of which everything
   * matched.
   */
  readonly terms: readonly UnmatchedTerms[];
}

/**
 * A term or pattern that matched: one of a list, whichever rule refers to it, or one of a rule,
 * with its condition if that is known.
 */
interface MatchedTerm {
  readonly ruleId?: string | undefined;
  readonly conditionId?: number | undefined;
  readonly listId?: string | undefined;
  readonly term?: string | undefined;
  readonly pattern?: string | undefined;
}

/**
 * Rules, conditions and terms that matched in a part of the messages. Plain JSON, sorted. Its size
 * depends on what matched, not on the size of the rule set.
 */
interface Matched {
  readonly rules: readonly string[];
  readonly conditions: readonly ConditionPlace[];
  readonly terms: readonly MatchedTerm[];
  readonly unevaluated: readonly UnevaluatedCount[];
}

/** The engine that ran. */
export type Running = Pick<Engine, 'runningRules' | 'references'>;

/** Options of `createUnmatched`. */
export interface UnmatchedOptions {
  /**
   * Whether terms that a rule holds are counted for the rule, as in a summary, or for each of its
   * conditions. Default `rule`.
   */
  readonly by?: 'rule' | 'condition' | undefined;
}

/** Starts a record of what matched. Memory grows with the rule set, not with the messages. */
export function createUnmatched(running: Running, { by = 'rule' }: UnmatchedOptions = {}) {
  const rules = new Set<string>();
  const conditions = new Map<string, ConditionPlace>();
  const terms = new Map<string, MatchedTerm>();
  const unevaluated = createTally<UnevaluatedCount>({ ids: ['ruleId', 'conditionId', 'why'], size: 'messages' });
  const noteTerm = (found: MatchedTerm) => {
    const { term, pattern } = found;
    const matchedTerm = { ...placeOf(found, by), ...(term === undefined ? { pattern } : { term }) };
    terms.set(termKeyOf(matchedTerm), matchedTerm);
  };
  const noteCondition = ({ ruleId, conditionId }: ConditionPlace) =>
    conditions.set(conditionKeyOf({ ruleId, conditionId }), { ruleId, conditionId });
  return {
    add({ decision }: Pick<AuditEntry, 'decision'>): void {
      for (const { ruleId, conditions: held } of decision.matched) {
        rules.add(ruleId);
        for (const { conditionId, matches } of held) {
          noteCondition({ ruleId, conditionId });
          for (const match of matches) if (match.kind !== 'score') noteTerm({ ...match, ruleId, conditionId });
        }
      }
      unevaluated.merge(
        decision.unevaluated.map(({ ruleId, conditionId, why }) => ({ ruleId, conditionId, why, messages: 1 })),
      );
    },
    /** Adds what matched in other messages, by the same rules. */
    merge(added: Matched): void {
      for (const id of added.rules) rules.add(id);
      for (const place of added.conditions) noteCondition(place);
      for (const term of added.terms) noteTerm(term);
      unevaluated.merge(added.unevaluated);
    },
    toJSON: (): Matched => ({
      rules: [...rules].sort(),
      conditions: valuesByKey(conditions),
      terms: valuesByKey(terms),
      unevaluated: unevaluated.rows(),
    }),
    /**
     * Returns the terms and patterns of the rules that never matched. Truncated decisions may lack
     * terms that occur.
     */
    unmatched: (): UnmatchedCounts => ({
      ...unmatchedRules(running, { rules, conditions, unevaluated: unevaluated.rows() }),
      terms: unmatchedTerms(running, by, terms),
    }),
  };
}

/** Returns only the fields that locate a term; a list is the same for every rule. */
function placeOf({ ruleId, conditionId, listId }: MatchedTerm, by: UnmatchedOptions['by']): MatchedTerm {
  if (listId !== undefined) return { listId };
  return by === 'rule' ? { ruleId } : { ruleId, conditionId };
}

function termKeyOf({ ruleId = '', conditionId, listId, term, pattern }: MatchedTerm): string {
  return `${keyOf({ ruleId, listId, term, pattern })}${conditionId ?? ''}`;
}

function unmatchedRules(
  running: Running,
  matched: {
    readonly rules: ReadonlySet<string>;
    readonly conditions: ReadonlyMap<string, unknown>;
    readonly unevaluated: readonly UnevaluatedCount[];
  },
): Omit<UnmatchedCounts, 'terms'> {
  const unsure = mostUnevaluated(matched.unevaluated);
  const names = new Map<string, string>();
  const places = new Map<string, ConditionPlace>();
  for (const { ruleId, ruleName, conditionIds } of running.runningRules()) {
    if (!names.has(ruleId)) names.set(ruleId, ruleName);
    for (const conditionId of conditionIds) {
      const place = { ruleId, conditionId };
      places.set(conditionKeyOf(place), place);
    }
  }
  const rules = [...names].filter(([ruleId]) => !matched.rules.has(ruleId));
  const conditions = [...places].filter(([key]) => !matched.conditions.has(key));
  return {
    rules: {
      of: names.size,
      unmatched: rules.map(([ruleId, ruleName]) => ({ ruleId, ruleName, unevaluated: unsure.get(ruleId) ?? 0 })),
    },
    conditions: { of: places.size, unmatched: conditions.map(([, place]) => place) },
  };
}

function unmatchedTerms(
  running: Running,
  by: UnmatchedOptions['by'],
  terms: ReadonlyMap<string, unknown>,
): UnmatchedTerms[] {
  const groups = new Map<string, { place: MatchedTerm; kind: EngineReference['kind']; all: Map<string, string[]> }>();
  for (const { kind, written, ...reference } of running.references()) {
    const place = placeOf(reference, by);
    const key = `${kind} ${termKeyOf(place)}`;
    const group = groups.get(key) ?? { place, kind, all: new Map<string, string[]>() };
    groups.set(key, group);
    // A blank in a term matches any run of white space, so terms that differ only in white space
    // are the same.
    const form = kind === 'word' ? written.trim().replace(/\s+/gu, ' ') : written;
    const alike = group.all.get(form);
    if (alike === undefined) group.all.set(form, [written]);
    else alike.push(written);
  }
  return [...groups.values()].map(({ place, kind, all }) => {
    const isMatched = (written: string) =>
      terms.has(termKeyOf({ ...place, [kind === 'word' ? 'term' : 'pattern']: written }));
    const unmatched = [...all.values()].filter((alike) => !alike.some(isMatched)).map(([first]) => first!);
    return { ...place, kind, of: all.size, unmatched };
  });
}

/** Returns what never matched in an audit, from its summary. */
export function unmatchedOf(running: Running & Pick<Engine, 'exceptions'>, summary: AuditSummary): Unmatched {
  const counter = createUnmatched(running);
  counter.merge({
    rules: summary.rules.map((rule) => rule.ruleId),
    conditions: summary.conditions,
    terms: [...summary.terms, ...summary.patterns],
    unevaluated: summary.unevaluated.conditions,
  });
  const { rules, terms } = counter.unmatched();
  const applied = new Set(summary.exceptions.map(exceptionKeyOf));
  return {
    rules: rules.unmatched,
    terms: terms
      .filter(({ unmatched }) => unmatched.length > 0)
      .sort((left, right) => right.unmatched.length - left.unmatched.length),
    exceptions: [...running.exceptions()].filter((exception) => !applied.has(exceptionKeyOf(exception))),
  };
}

/**
 * Returns by rule the largest number of messages for which one of its conditions could not be
 * evaluated for one reason.
 */
function mostUnevaluated(rows: readonly UnevaluatedCount[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const { ruleId, messages } of rows) most.set(ruleId, Math.max(messages, most.get(ruleId) ?? 0));
  return most;
}

function conditionKeyOf({ ruleId, conditionId }: ConditionPlace): string {
  return JSON.stringify([ruleId, conditionId]);
}

/** Returns values in the order of their keys, which does not depend on the order of addition. */
function valuesByKey<Value>(values: ReadonlyMap<string, Value>): Value[] {
  return [...values].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value);
}

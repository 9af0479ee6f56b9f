import { unquoteCsv } from '../compile/terms.js';
import { asList } from '../compile/untrusted.js';
import type { Condition } from '../contract/rule.js';
import type { EngineReference, RuleSetInput } from '../engine.js';
import type { RuleHit } from '../evaluate/decision.js';
import type { Found } from './finding.js';

/** Where a term or pattern stands, as findings have it: in its list, for whichever rule, or in a condition. */
export type Place = Pick<Found, 'ruleId' | 'conditionId' | 'listId' | 'index' | 'term' | 'pattern'>;

/** A term or pattern of a decision or of an engine. */
export type Written = Pick<EngineReference, 'ruleId' | 'conditionId' | 'kind' | 'written'> & {
  readonly listId?: string | undefined;
};

/** One key for a term or pattern, of a list for all rules together. */
export function placeKeyOf({ ruleId, conditionId, listId, kind, written }: Written): string {
  return JSON.stringify(listId === undefined ? [kind, written, ruleId, conditionId] : [kind, written, listId]);
}

/** The terms and patterns that matched a message, each with one of its matches. */
export function* writtenOf(hits: readonly RuleHit[]) {
  for (const { ruleId, conditions } of hits) {
    for (const { conditionId, matches } of conditions) {
      for (const match of matches) {
        if (match.kind === 'score') continue;
        const written = match.kind === 'word' ? match.term : match.pattern;
        yield { written: { ruleId, conditionId, listId: match.listId, kind: match.kind, written }, match };
      }
    }
  }
}

/** Finds places; the values of a condition or list are read once. */
export function createPlaces({ rules, lists }: RuleSetInput): (of: Written) => Place {
  const read = new Map<string, ReadonlyMap<unknown, number>>();
  const valuesOf = ({ ruleId, conditionId, listId }: Written): readonly unknown[] => {
    if (listId === undefined) {
      const conditions = asList(rules.find((rule) => rule?.id === ruleId)?.conditions) as readonly Partial<Condition>[];
      // A condition without an id is known by its position, from 1.
      const isIt = (one: Partial<Condition> | null, at: number) =>
        (typeof one?.id === 'number' ? one.id : at + 1) === conditionId;
      return asList(conditions.find(isIt)?.value);
    }
    const list = lists.find((known) => known?.id === listId);
    const terms = asList(list?.searchTerms);
    return list?.isCSV === true ? terms.map((term) => (typeof term === 'string' ? unquoteCsv(term) : term)) : terms;
  };
  return (of) => {
    const { ruleId, conditionId, listId, kind, written } = of;
    const key = listId === undefined ? JSON.stringify([ruleId, conditionId]) : `list ${listId}`;
    if (!read.has(key)) read.set(key, new Map([...valuesOf(of).entries()].reverse().map(([at, value]) => [value, at])));
    const index = read.get(key)!.get(written);
    return {
      ...(listId === undefined ? { ruleId, conditionId } : { listId }),
      ...(index !== undefined && { index }),
      ...(kind === 'word' ? { term: written } : { pattern: written }),
    };
  };
}

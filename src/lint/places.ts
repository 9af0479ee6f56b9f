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

/** Finds places; lists are read once. */
export function createPlaces({ rules, lists }: RuleSetInput): (of: Written) => Place {
  const positions = new Map<string, ReadonlyMap<string, number>>();
  const positionsIn = (key: string, values: unknown) => {
    const known = positions.get(key);
    if (known !== undefined) return known;
    const entries = (Array.isArray(values) ? values : [values]).map((value, index) => [value, index] as const);
    const made = new Map(entries.reverse());
    positions.set(key, made);
    return made;
  };
  return ({ ruleId, conditionId, listId, kind, written }) => {
    const own = kind === 'word' ? { term: written } : { pattern: written };
    const values =
      listId === undefined
        ? rules.find(({ id }) => id === ruleId)?.conditions?.find(({ id }) => id === conditionId)?.value
        : lists.find(({ id }) => id === listId)?.searchTerms;
    const index = positionsIn(listId === undefined ? `${conditionId} ${ruleId}` : `list ${listId}`, values).get(written);
    return {
      ...(listId === undefined ? { ruleId, conditionId } : { listId }),
      ...(index !== undefined && { index }),
      ...own,
    };
  };
}

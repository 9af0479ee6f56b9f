/** The places of terms and patterns, with a key that a finding and a match share. */
import type { RuleHit } from '../../engine/evaluate/decision.js';
import type { LintContext } from './context.js';
import type { Place } from './entries.js';

/**
 * Returns the key of a term or pattern: for a list, the same key for all rules, otherwise one with
 * its condition. A finding and a match have the same key.
 */
export function placeKeyOf({ ruleId, conditionId, listId, term, pattern }: Place): string {
  return JSON.stringify(listId === undefined ? [term, pattern, ruleId, conditionId] : [term, pattern, listId]);
}

/** Yields the terms and patterns that matched a message, each with one of its matches. */
export function* placesIn(hits: readonly RuleHit[]) {
  for (const { ruleId, conditions } of hits) {
    for (const { conditionId, matches } of conditions) {
      for (const match of matches) {
        if (match.kind === 'score') continue;
        const place = { ruleId, conditionId, ...(match.listId !== undefined && { listId: match.listId }) };
        const written = match.kind === 'word' ? { term: match.term } : { pattern: match.pattern };
        yield { key: placeKeyOf({ ...place, ...written }), match };
      }
    }
  }
}

/** Returns the places of the given keys, in the order of the rule set. */
export function placesOf(
  keys: { has(key: string): boolean },
  { firing, sources, engine }: Pick<LintContext, 'firing' | 'sources' | 'engine'>,
): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>();
  for (const { place } of sources.placed(firing.all())) {
    const key = placeKeyOf(place);
    if (keys.has(key) && !found.has(key)) found.set(key, place);
  }
  const ordered = new Map<string, Place>();
  for (const { kind, written, ...place } of engine.references()) {
    const key = placeKeyOf({ ...place, ...(kind === 'word' ? { term: written } : { pattern: written }) });
    const known = found.get(key);
    if (known !== undefined) ordered.set(key, ordered.get(key) ?? known);
  }
  return ordered;
}

/** The rules of a platform before and after the writes of a plan, as rule sets. */
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { BeforeApply, PulledDigests, RuleSet } from '../../platform/contract/rule-set.js';
import { digestParts, type PartKind } from '../../platform/loader/part-form.js';
import type { Write } from './order.js';
import { type LiveParts, partsById, stateOf } from './parts.js';

/** Returns the rules and lists of a platform as they are after the given writes. */
export function afterWrites(writes: readonly Write[], live: LiveParts): LiveParts {
  const partsOf = (kind: PartKind) => {
    const byId = partsById(live, kind);
    for (const { id, after } of writes.filter((write) => write.kind === kind)) {
      if (after === undefined) byId.delete(id);
      else byId.set(id, after);
    }
    return [...byId.values()];
  };
  return { rules: partsOf('rule') as Rule[], lists: partsOf('list') as KeywordList[] };
}

/**
 * Returns the rules of a platform as they are, in a form that takes the writes back when it is
 * applied. The digests of the parts after the writes are noted as if these had been pulled. A list
 * is also recognized between its two writes.
 */
export function rulesBefore<Live extends LiveParts>(
  writes: readonly Write[],
  live: Live,
  target: string,
): Live & { readonly pulled: PulledDigests; readonly before: BeforeApply } {
  const lists = writes.filter(({ kind }) => kind === 'list');
  const first = lists.filter(({ id }, at) => lists.findLastIndex((later) => later.id === id) > at);
  const between = Object.fromEntries(first.map(({ kind, id, after }) => [id, stateOf(kind, after)]));
  return { ...live, pulled: digestParts(afterWrites(writes, live)), before: { target, between } };
}

/**
 * Returns the digests of those parts of a platform that a rule set contains, or contained when it
 * was pulled.
 */
export function pulledFrom(live: LiveParts, ruleSet: Pick<RuleSet, 'rules' | 'lists' | 'pulled'>): PulledDigests {
  const now = digestParts(live);
  const known = (kind: 'rules' | 'lists') => {
    const ids = new Set([...ruleSet[kind].map(({ id }) => id), ...Object.keys(ruleSet.pulled?.[kind] ?? {})]);
    return Object.fromEntries(Object.entries(now[kind]).filter(([id]) => ids.has(id)));
  };
  return { rules: known('rules'), lists: known('lists') };
}

/** Reads and writes the rules and lists of a platform for `sluice apply`. */
import { HttpError, RuleSetError } from '../../foundation/errors.js';
import type { Client } from '../../platform/client/client.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { loadRuleSet } from '../../platform/loader/load-rule-set.js';
import type { PartStore } from '../../review/apply/perform.js';
import { refuseLostLists } from '../lost-lists.js';

/**
 * Reads all rules and lists, including the lists with the given ids. Rejects if they cannot be read
 * completely.
 */
export async function readLiveParts(client: Client, listIds: readonly string[], signal: AbortSignal): Promise<RuleSet> {
  const { data } = await client.lists.list({ signal });
  const ruleSet = await loadRuleSet(client, { signal, lists: [...listIds, ...data.map(({ id }) => id)] });
  if (ruleSet.truncated)
    throw new RuleSetError('the list of rules of the platform is cut off, so changes of others could not be noticed');
  refuseLostLists(ruleSet);
  return ruleSet;
}

/**
 * Returns the store of single rules and lists of a platform. They are sent as they are; the client
 * never repeats a write.
 */
export function partStoreOf({ rules, lists }: Client): PartStore {
  const unlessAbsent = (error: unknown): undefined => {
    const isAbsent = error instanceof HttpError && (error.status === 404 || error.platformCode?.endsWith('_NOT_FOUND'));
    if (!isAbsent) throw error;
  };
  return {
    read: async (kind, id) => {
      if (kind === 'list') return lists.get(id).catch(unlessAbsent);
      const found = await rules.get(id).catch(unlessAbsent);
      // A platform may answer with a list if no rule has the id.
      return found !== undefined && 'conditions' in found ? found : undefined;
    },
    create: (kind, part) => (kind === 'rule' ? rules.create(part as Rule) : lists.create(part as KeywordList)),
    replace: (kind, id, part) =>
      kind === 'rule' ? rules.replace(id, part as Rule) : lists.replace(id, part as KeywordList),
    delete: (kind, id) => (kind === 'rule' ? rules.delete(id) : lists.delete(id)),
  };
}

/** Keyword lists that a platform could not give. */
import { NetworkError } from '../foundation/errors.js';
import { operationLabel } from '../platform/contract/endpoints.js';
import { lostLists, type RuleSet } from '../platform/contract/rule-set.js';

/**
 * Throws `NetworkError` for a rule set of a platform that lacks a lost list. Results that last depend on all lists: those of rules that lack
 * one would pass for those of the rules, and could not be gone on with once the list is back.
 */
export function refuseLostLists(ruleSet: RuleSet): void {
  const [lost] = lostLists(ruleSet);
  if (lost === undefined) return;
  const { listId, reason, kind } = lost;
  // A list that is refused now is refused the next time too.
  const again = kind === 'refused' ? '' : 'run the same command again, or ';
  throw new NetworkError(
    operationLabel('getRule'),
    `keyword list \`${listId}\` could not be fetched: ${reason}; what is kept depends on all of them: ` +
      `${again}keep the rules as they are with \`sluice pull\` and give them with \`--rules\``,
  );
}

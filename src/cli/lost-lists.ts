/** Refuses rule sets of platforms that could not deliver a keyword list. */
import { NetworkError } from '../foundation/errors.js';
import { operationLabel } from '../platform/contract/endpoints.js';
import { lostLists, type RuleSet } from '../platform/contract/rule-set.js';

/**
 * Throws `NetworkError` for a rule set of a platform that lacks a list. Results that are kept must
 * rest on all lists: otherwise incomplete results would look complete, and could not be continued
 * once the list is available.
 */
export function refuseLostLists(ruleSet: RuleSet): void {
  const [lost] = lostLists(ruleSet);
  if (lost === undefined) return;
  const { listId, reason, kind } = lost;
  // A list that is refused now will be refused again.
  const again = kind === 'refused' ? '' : 'run the same command again, or ';
  throw new NetworkError(
    operationLabel('getRule'),
    `keyword list \`${listId}\` could not be fetched: ${reason}; what is kept depends on all of them: ` +
      `${again}keep the rules as they are with \`sluice pull\` and give them with \`--rules\``,
  );
}

/** What counts as stopped: blocked or dropped. */
import type { RuleCount, VerdictCounts } from './audit-summary.js';

/** Messages that were stopped. */
export function stoppedOf({ blockMessage, dropMessage }: VerdictCounts): number {
  return blockMessage + dropMessage;
}

/** Messages whose verdict rests on a rule and is no `allow`. */
export function stoppedBy({ determining, verdicts }: RuleCount): number {
  return Math.min(determining, stoppedOf(verdicts));
}

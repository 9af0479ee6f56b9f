/** Counts of messages that were blocked or dropped. */
import { stops, verdicts } from '../../engine/compile/verdicts.js';
import type { RuleCount, VerdictCounts } from './audit-summary.js';

/** Messages that were stopped. */
export function stoppedOf(counts: VerdictCounts): number {
  return verdicts.reduce((sum, verdict) => sum + (stops(verdict) ? counts[verdict] : 0), 0);
}

/** Messages whose verdict rests on a rule and is no `allow`. */
export function stoppedBy({ determining, verdicts }: RuleCount): number {
  return Math.min(determining, stoppedOf(verdicts));
}

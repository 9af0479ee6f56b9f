/** What matched in an audit, of each rule: terms, patterns and labels over thresholds in one list, for screen and page. */
import type { Cause } from '../../audit/count/cause.js';
import type { CauseCounts } from '../../audit/count/causes.js';

/** A cause with how many messages have it, and how many of them it stopped. */
export interface CountedCause extends Cause {
  readonly messages: number;
  readonly stopped: number;
}

/** All causes of an audit: terms, then patterns, then labels, each in the order of the summary. */
export function causesOf({ terms, patterns, labels }: CauseCounts): CountedCause[] {
  return [...terms, ...patterns, ...labels];
}

/** The order by stopped messages, then by all; stable, so that equal rows stay in the order of the summary. */
export function byStopped(left: CountedCause, right: CountedCause): number {
  return right.stopped - left.stopped || right.messages - left.messages;
}

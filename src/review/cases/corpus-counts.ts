/** Counters over the messages of a corpus, for expectations, labels and coverage. */
import { type Counting, countingBy, type PrepareCounter } from '../../audit/count/counter.js';
import { createUnmatched, type Matched } from '../../audit/count/unmatched.js';
import type { Label } from '../../audit/sample/label.js';
import { createExpectationCounter, type ExpectationCounts } from './corpus-expectations.js';
import { createOutcomeCounter, type OutcomeCounts } from './corpus-outcomes.js';

/** Which counts are made. Plain data. */
export interface CorpusOptions {
  readonly expectations: boolean;
  readonly labels: readonly Label[] | undefined;
  readonly coverage: boolean;
}

/** Counts of a corpus, as the options name them. Plain data. */
export interface CorpusCounts {
  readonly messages: number;
  readonly expectations?: ExpectationCounts | undefined;
  readonly outcomes?: OutcomeCounts | undefined;
  readonly matched?: Matched | undefined;
}

/** Returns the counting of tests, for a run. */
export function corpusCounting(options: CorpusOptions): Counting<CorpusCounts> {
  return countingBy(import.meta.url, prepareCounter, options);
}

/** Prepares the counters in a thread. */
export const prepareCounter: PrepareCounter<CorpusOptions, CorpusCounts> = ({ expectations, labels, coverage }) => {
  const startOutcomes = labels && createOutcomeCounter(labels);
  return () => {
    const expected = expectations ? createExpectationCounter() : undefined;
    const outcomes = startOutcomes?.();
    const matched = coverage
      ? createUnmatched({ runningRules: () => [], references: () => [] }, { by: 'condition' })
      : undefined;
    let messages = 0;
    return {
      add({ messageId, place, decision }) {
        messages += 1;
        expected?.add(decision);
        outcomes?.add(messageId ?? `#${place}`, decision);
        matched?.add({ decision });
      },
      merge(part) {
        messages += part.messages;
        if (part.expectations !== undefined) expected?.merge(part.expectations);
        if (part.outcomes !== undefined) outcomes?.merge(part.outcomes);
        if (part.matched !== undefined) matched?.merge(part.matched);
      },
      toJSON: () => ({
        messages,
        expectations: expected?.toJSON(),
        outcomes: outcomes?.toJSON(),
        matched: matched?.toJSON(),
      }),
    };
  };
};

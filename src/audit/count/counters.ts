/**
 * The counters of an audit and a diff, each of which adds messages and merges the counts of other
 * parts.
 */
import type { Engines } from '../engines.js';
import type { AuditSummary } from './audit-summary.js';
import { type Counter, type Counting, countingBy, type PrepareCounter } from './counter.js';
import { createDifferences, type Differences } from './differences.js';
import { type CauseExamples, createExamples, type ExampleContent } from './examples.js';
import { type AlternativeReading, createPlatformCounter, type PlatformComparison } from './platform.js';
import { createSummary, type SummaryOptions } from './summary.js';

/** Options that say which counters a run has. Plain data, so that every thread counts the same. */
export interface CountOptions {
  readonly summary?: SummaryOptions | undefined;
  readonly examples?: ExampleContent | undefined;
  /** The readings that are compared with the decisions of the platform. */
  readonly platform?: readonly AlternativeReading[] | undefined;
  /** The options of the counter of differences, for a run by two rule sets. */
  readonly differences?: Parameters<typeof createDifferences>[0] | undefined;
}

/**
 * The counts of a run or of a part of it, as JSON: a field for each counter that its options name.
 */
export interface Counts {
  readonly summary?: AuditSummary | undefined;
  readonly examples?: readonly CauseExamples[] | undefined;
  readonly platform?: PlatformComparison | undefined;
  readonly differences?: Differences | undefined;
}

/** Running counts of an audit or a diff. */
export type Counters = Counter<Counts>;

/** Prepares the counters of these options in a thread. */
export const prepareCounter: PrepareCounter<CountOptions, Counts> = (options, engines) => () =>
  createCounters(options, engines);

/** Returns the counters of these options, for a run. */
export function auditCounting(options: CountOptions): Counting<Counts> {
  return countingBy(import.meta.url, prepareCounter, options);
}

/**
 * Starts the counters of a run. Engines are needed only to add messages; merging parts needs no
 * engine.
 */
export function createCounters(options: CountOptions, engines?: Pick<Engines, 'readings'>): Counters {
  const summary = options.summary && createSummary(options.summary);
  const examples = options.examples && createExamples(options.examples);
  const platform = options.platform && createPlatformCounter(engines?.readings ?? options.platform);
  const differences = options.differences && createDifferences(options.differences);
  return {
    add(entry) {
      summary?.add(entry);
      examples?.add(entry);
      platform?.add(entry);
      if (entry.against !== undefined) differences?.add({ ...entry, against: entry.against });
    },
    addAllowed: platform || differences ? undefined : (sentAt) => summary?.addAllowed(sentAt),
    addUndated() {
      summary?.addUndated();
      differences?.addUndated();
    },
    merge(added) {
      if (added.summary !== undefined) summary?.merge(added.summary);
      if (added.examples !== undefined) examples?.merge(added.examples);
      if (added.platform !== undefined) platform?.merge(added.platform);
      if (added.differences !== undefined) differences?.merge(added.differences);
    },
    toJSON: () => ({
      ...(summary && { summary: summary.toJSON() }),
      ...(examples && { examples: examples.toJSON() }),
      ...(platform && { platform: platform.toJSON() }),
      ...(differences && { differences: differences.toJSON() }),
    }),
  };
}

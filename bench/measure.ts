/**
 * Measures a definition: counts and rounds as of the rules of a user, and beside them the times of
 * single messages and memory.
 */

import { allocatedPerItem, bytesInUse } from './heap.js';
import { type MeasurementResult as Measured, sizesOf } from './rules/bench-rule-set.js';
import type { Contender as Plain, Runner as PlainRunner, Workload } from './rules/contenders.js';
import * as rounds from './rules/measure.js';

/** Prepared contender, in this process or in another one that times itself. */
export interface Runner extends PlainRunner {
  /**
   * Returns the nanoseconds of every message; for a runner in this process they are taken from
   * `one`.
   */
  latencies?(): Promise<Float64Array>;
  /** Bytes held by the compiled form, where the contender can report it itself. */
  readonly heldBytes?: number;
  /** Returns the peak memory of a process of the contender's own, over what its messages take. */
  peakBytes?(): Promise<number>;
}

export type Contender = Plain<Runner>;

export interface Effort extends rounds.Effort {
  /** Rounds of timing messages one by one. */
  readonly latencyRounds: number;
}

export const fullEffort: Effort = { ...rounds.fullEffort, latencyRounds: 7 };
export const quickEffort: Effort = { ...rounds.quickEffort, latencyRounds: 1 };

/** Percentiles over messages. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface ContenderResult extends rounds.ContenderResult {
  readonly perMessage?: Percentiles;
  readonly perSecond?: number;
  /** Megabytes (10^6 bytes of UTF-8) per second. */
  readonly megabytesPerSecond?: number;
  /** JavaScript heap allocated per message. */
  readonly allocatedBytes?: number;
  /** Memory held by the compiled form. */
  readonly heldBytes?: number;
  /** Peak memory of a process that runs this contender alone, over what the messages take. */
  readonly peakBytes?: number;
}

/** A question with a number for its result. Figures of different models are not comparable. */
export interface Model {
  readonly name: string;
  readonly question: string;
  /** What one item is: a message, or a whole compilation. */
  readonly unit: 'message' | 'compilation';
}

/** What to measure, and why. `expected` is the right count. */
export interface Measurement {
  readonly name: string;
  readonly why: string;
  readonly model: Model;
  readonly workload: Workload;
  readonly contenders: readonly Contender[];
  readonly expected: number;
}

export interface MeasurementResult extends Measured {
  readonly model: string;
  readonly ask: Workload['ask'];
  readonly why: string;
  /** Share of texts with a hit, 0 to 1, where the count is their number. */
  readonly hitShare?: number;
  readonly contenders: readonly ContenderResult[];
}

/** Measures all contenders, interleaved, then each by itself. */
export async function measure(measurement: Measurement, effort: Effort): Promise<MeasurementResult> {
  const { name, why, model, workload, contenders, expected } = measurement;
  const { texts, ask } = workload;
  const held = new Map<string, number>();
  const weighed = contenders.map((contender) => weighing(contender, held));
  const items = model.unit === 'message' ? texts.length : 1;
  const results: ContenderResult[] = [];
  for (const { result, runner } of await rounds.measure(weighed, workload, { expected, effort, items })) {
    results.push(runner ? await withDetails(result, runner, measurement, effort, held.get(result.name) ?? 0) : result);
    await runner?.close?.();
  }
  const countsTexts = ask === 'first' && (model.name === 'words' || model.name === 'patterns');
  const hitShare = countsTexts ? { hitShare: expected / texts.length } : {};
  const about = { name, model: model.name, ask, why, question: model.question, unit: model.unit };
  return { ...about, ...sizesOf(workload), ...hitShare, contenders: results };
}

/** A contender that notes how much memory its compiled form takes. */
function weighing(contender: Contender, held: Map<string, number>): Contender {
  const prepare = async (workload: Workload) => {
    const before = bytesInUse();
    const runner = await contender.prepare(workload);
    if (typeof runner !== 'string') held.set(contender.name, runner.heldBytes ?? Math.max(0, bytesInUse() - before));
    return runner;
  };
  return { ...contender, prepare };
}

async function withDetails(
  result: rounds.ContenderResult,
  runner: Runner,
  { model, workload: { texts } }: Measurement,
  { latencyRounds }: Effort,
  heldBytes: number,
): Promise<ContenderResult> {
  if (model.unit !== 'message') return { ...result, heldBytes };
  const latencies: Float64Array[] = [];
  for (let round = 0; round < latencyRounds; round++) {
    const taken = (await runner.latencies?.()) ?? (runner.one && latenciesOf(runner.one, texts.length));
    if (taken !== undefined) latencies.push(taken);
  }
  const ns = result.ns!.median;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length;
  return {
    ...result,
    ...(latencies.length > 0 && { perMessage: percentilesOf(latencies) }),
    perSecond: 1e9 / ns,
    megabytesPerSecond: (bytes / ns) * 1e3,
    ...(runner.one !== undefined && { allocatedBytes: allocatedPerItem(runner.one, texts.length) }),
    heldBytes,
  };
}

/** Nanoseconds of every item, one by one, less what reading the clock takes. */
function latenciesOf(one: (index: number) => number, items: number): Float64Array {
  const clockNs = rounds.spreadOf(Array.from({ length: 1001 }, () => nsOf(() => {}))).median;
  return Float64Array.from({ length: items }, (_, at) => Math.max(0, nsOf(() => one(at)) - clockNs));
}

function nsOf(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return (performance.now() - startedAt) * 1e6;
}

/**
 * Returns percentiles over messages, each with the median of its rounds, so that an interruption
 * does not count against it.
 */
export function percentilesOf(taken: readonly Float64Array[]): Percentiles {
  const length = taken[0]?.length ?? 0;
  const medianAt = (at: number) => rounds.spreadOf(taken.map((round) => round[at]!)).median;
  const medians = Float64Array.from({ length }, (_, at) => medianAt(at)).sort();
  const { quantile } = rounds;
  return { p50: quantile(medians, 0.5), p95: quantile(medians, 0.95), p99: quantile(medians, 0.99) };
}

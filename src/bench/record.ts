import type { Machine } from './machine.js';
import type { Ask, ModelName } from './model.js';
import type { Percentiles, Spread } from './statistics.js';

/** How one contender did. Times are nanoseconds per unit of the model. */
export interface ContenderResult {
  readonly name: string;
  readonly note?: string;
  /** `missing`: not on this machine. `wrong-count`: its answer was not the expected one, so it was not timed. */
  readonly status: 'measured' | 'missing' | 'wrong-count' | 'failed';
  /** Why it was not measured. */
  readonly detail?: string;
  readonly count?: number;
  readonly expected?: number;
  readonly ns?: Spread;
  /** Nanoseconds per unit, round by round; round `n` of all contenders happened within the same moments. */
  readonly rounds?: readonly number[];
  readonly perMessage?: Percentiles;
  readonly perSecond?: number;
  /** Megabytes (10^6 bytes of UTF-8) per second. */
  readonly megabytesPerSecond?: number;
  /** JavaScript heap that one question allocates. */
  readonly allocatedBytes?: number;
  /** Memory that the compiled form holds. */
  readonly heldBytes?: number;
  /** Peak memory of a process of its own that does nothing else, over what the messages take. */
  readonly peakBytes?: number;
  /** Time by our engine's time, round by round: 2 is half as fast as ours. */
  readonly ratio?: Spread;
}

/** What one measurement gave. */
export interface MeasurementResult {
  readonly name: string;
  readonly model: ModelName;
  readonly ask: Ask;
  readonly why: string;
  readonly question: string;
  readonly unit: 'message' | 'compilation';
  readonly messages: number;
  /** UTF-8 bytes of all texts, and UTF-16 units. */
  readonly bytes: number;
  readonly units: number;
  readonly terms: number;
  readonly patterns: number;
  readonly rules: number;
  /** Share of messages that are not allowed, 0..1, where the model counts verdicts or first hits. */
  readonly hitShare?: number;
  readonly warmUpPasses: number;
  readonly contenders: readonly ContenderResult[];
}

/** One point of a curve: where it stands, and the whole measurement there. */
export interface CurvePoint {
  readonly at: number;
  readonly result: MeasurementResult;
}

/** A row of measurements that differ in one number. */
export interface Curve {
  readonly name: string;
  /** What the number is: `terms`, `characters`. */
  readonly axis: string;
  readonly why: string;
  readonly points: readonly CurvePoint[];
}

/** Everything that a run of the harness found, as it is written to a file. */
export interface BenchRecord {
  readonly format: 1;
  readonly date: string;
  readonly commit?: string;
  readonly mode: 'quick' | 'full';
  readonly machine: Machine;
  readonly results: readonly MeasurementResult[];
  readonly curves: readonly Curve[];
}

/** Everything that was not as expected, one line each; a run with any has failed. */
export function failuresOf(results: readonly MeasurementResult[]): string[] {
  return results.flatMap(({ name, contenders }) =>
    contenders
      .filter(({ status }) => status === 'wrong-count' || status === 'failed')
      .map((contender) => `${name}: ${contender.name}: ${contender.detail ?? contender.status}`),
  );
}

import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { Question } from './model.js';
import type { Percentiles, Spread } from './statistics.js';

/** The figures of one contender. Times are nanoseconds per unit of the model. */
export interface ContenderResult {
  readonly name: string;
  readonly note?: string | undefined;
  /** `missing`: not on this machine. `wrong-count`: its count was not the expected one, so it was not timed. */
  readonly status: 'measured' | 'missing' | 'wrong-count' | 'failed';
  /** Why it was not measured. */
  readonly detail?: string;
  readonly count?: number;
  readonly expected?: number;
  readonly ns?: Spread;
  /** Nanoseconds per unit by round; round `n` of all contenders ran within the same moments. */
  readonly rounds?: readonly number[];
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
  /** Time by the time of this engine, round by round: 2 is half as fast. */
  readonly ratio?: Spread;
}

/** What was measured, in figures; `count` is the right one. */
export function sizesOf({ name, why, model, workload }: Question, count: number) {
  const { texts, terms, patterns, ruleSet, ask } = workload;
  const countsTexts = ask === 'first' && (model.name === 'words' || model.name === 'patterns');
  return {
    name,
    model: model.name,
    ask,
    why,
    question: model.question,
    unit: model.unit,
    messages: texts.length,
    /** UTF-8 bytes of all texts, and UTF-16 units. */
    bytes: bytesOf(texts),
    units: texts.reduce((sum, text) => sum + text.length, 0),
    terms: terms.length,
    patterns: patterns.length,
    rules: ruleSet.rules.length,
    /** Share of texts with a hit, 0..1, where the count is their number. */
    ...(countsTexts && { hitShare: count / texts.length }),
  };
}

/** UTF-8 bytes of texts. */
export function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** The figures of one measurement. */
export interface MeasurementResult extends Readonly<ReturnType<typeof sizesOf>> {
  readonly warmUpPasses: number;
  readonly contenders: readonly ContenderResult[];
}

/** The machine of a record: times of two machines are not comparable, ratios with care. */
export type Machine = Readonly<ReturnType<typeof describeMachine>>;

/** This machine, now. */
export function describeMachine() {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
    system: `${platform()} ${release()}`,
    node: process.version,
    v8: process.versions.v8,
    /** Load average of the last minute; above the number of cores the figures are noise. */
    load: loadavg()[0] ?? Number.NaN,
  };
}

/** Above this spread of a contender's rounds, as a share of their median, figures are noise. */
const mostSpread = 0.3;

/** Why the machine was too busy for figures to be believed; `undefined` when nothing shows that it was. */
export function busyWords(results: readonly MeasurementResult[], { load, cores }: Machine): string | undefined {
  const spreads = results.flatMap(({ contenders }) =>
    contenders.flatMap(({ ns }) => (ns === undefined ? [] : (ns.high - ns.low) / ns.median)),
  );
  const widest = Math.max(0, ...spreads);
  const reasons = [
    ...(load > cores ? [`load ${load.toFixed(1)} on ${cores} cores`] : []),
    ...(widest > mostSpread ? [`rounds of one contender differ by ${Math.round(widest * 100)} %`] : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join(', ');
}

/** Wrong counts and failures, one line each; a run with any has failed. */
export function failuresOf(results: readonly MeasurementResult[]): string[] {
  return results.flatMap(({ name, contenders }) =>
    contenders
      .filter(({ status }) => status === 'wrong-count' || status === 'failed')
      .map((contender) => `${name}: ${contender.name}: ${contender.detail ?? contender.status}`),
  );
}

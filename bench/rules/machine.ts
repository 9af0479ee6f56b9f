/** Worth of figures: the machine that they were taken on, and what went wrong. */
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { ContenderResult } from './measure.js';

type Results = readonly { readonly name: string; readonly contenders: readonly ContenderResult[] }[];

/** Describes this machine, now. Times of two machines are not comparable, ratios with care. */
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

/**
 * Says why the machine was too busy for figures to be believed; `undefined` when nothing shows that
 * it was.
 */
export function busyWords(results: Results, { load, cores }: { load: number; cores: number }): string | undefined {
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

/** Returns wrong counts and failures, one line each; a run with any has failed. */
export function failuresOf(results: Results): string[] {
  return results.flatMap(({ name, contenders }) =>
    contenders
      .filter(({ status }) => status === 'wrong-count' || status === 'failed')
      .map((contender) => `${name}: ${contender.name}: ${contender.detail ?? contender.status}`),
  );
}

/** Counting how many messages of clean talk each reading stops. */
import { type Counting, countingBy, type PrepareCounter } from '../../audit/count/counter.js';
import { stops } from '../../engine/compile/verdicts.js';

/** Messages judged, and those that are stopped by the readings in use and by each other reading of the run. */
interface StoppedCounts {
  readonly judged: number;
  readonly stopped: readonly number[];
}

/** Counts of `evade`, for a run by several readings. */
export function stoppedCounting(): Counting<StoppedCounts> {
  return countingBy(import.meta.url, prepareCounter, undefined);
}

/** Prepares the counts in a thread. */
export const prepareCounter: PrepareCounter<undefined, StoppedCounts> = (_options, engines) => () => {
  const stopped: number[] = [];
  let judged = 0;
  const plus = (at: number, count: number) => {
    stopped[at] = (stopped[at] ?? 0) + count;
  };
  return {
    add({ message, scores, decision }) {
      judged += 1;
      plus(0, Number(stops(decision.verdict)));
      for (const [at, { engine }] of (engines?.readings ?? []).entries())
        plus(at + 1, Number(stops(engine.decide(message, scores))));
    },
    merge(part) {
      judged += part.judged;
      for (const [at, count] of part.stopped.entries()) plus(at, count);
    },
    toJSON: () => ({ judged, stopped }),
  };
};

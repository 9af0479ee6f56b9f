import { allocatedPerItem, bytesInUse } from './heap.js';
import { type Contender, isFloor, ours, type Question, type Runner, type Workload } from './model.js';
import { bytesOf, type ContenderResult, type MeasurementResult, sizesOf } from './record.js';
import { percentilesOf, ratioOf, spreadOf } from './statistics.js';

/** How thoroughly to measure. */
export interface Effort {
  /** Rounds in each of which every contender has a turn. */
  readonly rounds: number;
  /** Least duration of a turn in milliseconds: as many passes as it takes, at least one. */
  readonly turnMs: number;
  /** Warm-up of a contender before the first round, in milliseconds; at least one pass. */
  readonly warmUpMs: number;
  /** Rounds of timing messages one by one. */
  readonly latencyRounds: number;
}

export const fullEffort: Effort = { rounds: 11, turnMs: 50, warmUpMs: 300, latencyRounds: 7 };
export const quickEffort: Effort = { rounds: 2, turnMs: 4, warmUpMs: 10, latencyRounds: 1 };

/** What to measure. */
export interface Measurement extends Question {
  readonly contenders: readonly Contender[];
  /** The right count. Absent for data of a user: then that of the first contender that is neither ours nor a floor. */
  readonly expected?: number | undefined;
}

/** A contender that has counted, and its times. */
interface Entry extends Pick<Contender, 'name' | 'note'> {
  readonly runner: Runner;
  readonly heldBytes: number;
  readonly count: number;
  /** Passes of a turn. */
  times: number;
  /** Nanoseconds per unit by round. */
  readonly rounds: number[];
}

const mostPasses = 10_000;

/**
 * Measures all contenders interleaved. Counts come first: a contender with a wrong count is discarded and never timed.
 * `onProgress` is called with a line before each step.
 */
export async function measure(
  measurement: Measurement,
  effort: Effort,
  onProgress: (line: string) => void = () => undefined,
): Promise<MeasurementResult> {
  const { name, model, workload } = measurement;
  const counted: (Entry | ContenderResult)[] = [];
  for (const contender of measurement.contenders) {
    onProgress(`${name}: ${contender.name} counts`);
    counted.push(await countOnce(contender, workload));
  }
  const expected = measurement.expected ?? plainCount(counted.filter(isEntry));
  const checked = await Promise.all(counted.map((one) => (isEntry(one) ? withRightCount(one, expected) : one)));
  const entries = checked.filter(isEntry);
  const warmUpPasses = await warmUp(entries, effort);
  await runRounds(entries, effort, model.unit === 'message' ? workload.texts.length : 1, onProgress);
  const reference = entries.find((entry) => entry.name === ours)?.rounds;
  const contenders: ContenderResult[] = [];
  for (const one of checked) {
    if (isEntry(one)) onProgress(`${name}: ${one.name} message by message`);
    contenders.push(isEntry(one) ? await resultOf(one, measurement, effort, expected, reference) : one);
  }
  return { ...sizesOf(measurement, expected), warmUpPasses, contenders };
}

function isEntry(one: Entry | ContenderResult): one is Entry {
  return 'runner' in one;
}

/** Compiles and counts once. */
async function countOnce({ name, note, prepare }: Contender, workload: Workload): Promise<Entry | ContenderResult> {
  try {
    const before = bytesInUse();
    const runner = await prepare(workload);
    if (typeof runner === 'string') return { name, note, status: 'missing', detail: runner };
    const heldBytes = runner.heldBytes ?? Math.max(0, bytesInUse() - before);
    const { count } = await runner.pass(0);
    return { name, note, runner, heldBytes, count, times: 1, rounds: [] };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { name, note, status: 'failed', detail };
  }
}

function plainCount(entries: readonly Entry[]): number {
  const plain = entries.find(({ name }) => !name.startsWith(ours) && !isFloor(name));
  return (plain ?? entries[0])?.count ?? 0;
}

async function withRightCount(entry: Entry, expected: number): Promise<Entry | ContenderResult> {
  const { name, note, count, runner } = entry;
  if (isFloor(name) || count === expected) return entry;
  await runner.close?.();
  const detail = `counted ${count} where ${expected} is right; not measured`;
  return { name, note, status: 'wrong-count', detail, count, expected };
}

/** Warms up and sets the passes of a turn; returns the largest number of warm-up passes. */
async function warmUp(entries: readonly Entry[], { warmUpMs, turnMs }: Effort): Promise<number> {
  let most = 0;
  for (const entry of entries) {
    let passes = 0;
    let last = 0;
    for (let spent = 0; passes === 0 || (spent < warmUpMs && passes < mostPasses); passes++) {
      last = (await entry.runner.pass(1)).ns;
      spent += last / 1e6;
    }
    most = Math.max(most, passes);
    entry.times = Math.max(1, Math.min(mostPasses, Math.round((turnMs * 1e6) / Math.max(1, last))));
  }
  return most;
}

/** Gives every contender a turn in each round; the order rotates, so that none always follows the same one. */
async function runRounds(entries: readonly Entry[], effort: Effort, items: number, onProgress: (line: string) => void) {
  for (let round = 0; round < effort.rounds; round++) {
    onProgress(`round ${round + 1} of ${effort.rounds}`);
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(turn + round) % entries.length]!;
      const { ns, count } = await entry.runner.pass(entry.times);
      if (count !== entry.count) throw new Error(`${entry.name} counted ${count} after ${entry.count}`);
      entry.rounds.push(ns / items);
    }
  }
}

/** Times messages one by one, measures allocation, and closes the contender. */
async function resultOf(
  { name, note, runner, heldBytes, count, rounds }: Entry,
  { model, workload: { texts } }: Measurement,
  { latencyRounds }: Effort,
  expected: number,
  reference: readonly number[] | undefined,
): Promise<ContenderResult> {
  const ns = spreadOf(rounds);
  const latencies: Float64Array[] = [];
  if (runner.latencies !== undefined)
    for (let round = 0; round < latencyRounds; round++) latencies.push(await runner.latencies());
  const isMessage = model.unit === 'message';
  const result: ContenderResult = {
    name,
    note,
    status: 'measured',
    count,
    expected: isFloor(name) ? count : expected,
    ns,
    rounds,
    ...(latencies.length > 0 && { perMessage: percentilesOf(latencies) }),
    ...(isMessage && { perSecond: 1e9 / ns.median }),
    ...(isMessage && { megabytesPerSecond: (bytesOf(texts) / texts.length / ns.median) * 1e3 }),
    ...(isMessage && runner.range !== undefined && { allocatedBytes: allocatedPerItem(runner.range, texts.length) }),
    heldBytes,
    ...(reference !== undefined && { ratio: ratioOf(rounds, reference) }),
  };
  await runner.close?.();
  return result;
}

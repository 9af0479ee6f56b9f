import { allocatedPerItem, bytesInUse } from './heap.js';
import { type Contender, isFloor, type Model, ours, type Runner, type Workload } from './model.js';
import type { ContenderResult, MeasurementResult } from './record.js';
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
export interface Measurement {
  readonly name: string;
  readonly why: string;
  readonly model: Model;
  readonly workload: Workload;
  readonly contenders: readonly Contender[];
  /** The right count. Absent for data of a user: then that of the first contender that is neither ours nor a floor. */
  readonly expected?: number | undefined;
}

interface Prepared {
  readonly contender: Contender;
  readonly runner: Runner;
  readonly heldBytes: number;
  readonly count: number;
}

interface Entry extends Prepared {
  /** Passes of a turn. */
  times: number;
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
  const { name, contenders, workload, model } = measurement;
  const results = new Map<string, ContenderResult>();
  const prepared: Prepared[] = [];
  for (const contender of contenders) {
    onProgress(`${name}: ${contender.name} counts`);
    const outcome = await prepare(contender, workload);
    if ('status' in outcome) results.set(contender.name, outcome);
    else prepared.push(outcome);
  }
  const expected = measurement.expected ?? plainCount(prepared);
  const entries: Entry[] = [];
  for (const candidate of prepared) {
    const { contender, count, runner } = candidate;
    if (isFloor(contender.name) || count === expected) entries.push({ ...candidate, times: 1, rounds: [] });
    else {
      const detail = `counted ${count} where ${expected} is right; not measured`;
      results.set(contender.name, { ...labelOf(contender), status: 'wrong-count', detail, count, expected });
      await runner.close?.();
    }
  }
  const warmUpPasses = await warmUp(entries, effort);
  await runRounds(entries, effort, model.unit === 'message' ? workload.texts.length : 1, onProgress);
  const reference = entries.find(({ contender }) => contender.name === ours)?.rounds;
  for (const entry of entries) {
    onProgress(`${name}: ${entry.contender.name} message by message`);
    results.set(entry.contender.name, await resultOf(entry, measurement, effort, expected, reference));
    await entry.runner.close?.();
  }
  return {
    ...sizesOf(measurement, expected),
    warmUpPasses,
    contenders: contenders.map((contender) => results.get(contender.name)!),
  };
}

function labelOf({ name, note }: Contender): Pick<ContenderResult, 'name' | 'note'> {
  return { name, ...(note !== undefined && { note }) };
}

/** Compiles and counts once. */
async function prepare(contender: Contender, workload: Workload): Promise<Prepared | ContenderResult> {
  try {
    const before = bytesInUse();
    const runner = await contender.prepare(workload);
    if (typeof runner === 'string') return { ...labelOf(contender), status: 'missing', detail: runner };
    const heldBytes = runner.heldBytes ?? Math.max(0, bytesInUse() - before);
    const { count } = await runner.pass(0);
    return { contender, runner, heldBytes, count };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ...labelOf(contender), status: 'failed', detail };
  }
}

function plainCount(prepared: readonly Prepared[]): number {
  const plain = prepared.find(({ contender: { name } }) => !name.startsWith(ours) && !isFloor(name));
  return (plain ?? prepared[0])?.count ?? 0;
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
      if (count !== entry.count) throw new Error(`${entry.contender.name} counted ${count} after ${entry.count}`);
      entry.rounds.push(ns / items);
    }
  }
}

async function resultOf(
  { contender, runner, heldBytes, count, rounds }: Entry,
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
  return {
    ...labelOf(contender),
    status: 'measured',
    count,
    expected: isFloor(contender.name) ? count : expected,
    ns,
    rounds,
    ...(latencies.length > 0 && { perMessage: percentilesOf(latencies) }),
    ...(isMessage && { perSecond: 1e9 / ns.median }),
    ...(isMessage && { megabytesPerSecond: (bytesOf(texts) / texts.length / ns.median) * 1e3 }),
    ...(isMessage && runner.range !== undefined && { allocatedBytes: allocatedPerItem(runner.range, texts.length) }),
    heldBytes,
    ...(reference !== undefined && { ratio: ratioOf(rounds, reference) }),
  };
}

function sizesOf({ name, why, model, workload }: Measurement, count: number) {
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
    bytes: bytesOf(texts),
    units: texts.reduce((sum, text) => sum + text.length, 0),
    terms: terms.length,
    patterns: patterns.length,
    rules: ruleSet.rules.length,
    ...(countsTexts && { hitShare: count / texts.length }),
  };
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/**
 * Measures contenders in turns. Counts come first: a contender with a wrong count is never timed.
 */
import { type Contender, isFloor, ours, type Runner, type Workload } from './contenders.js';

/** How thoroughly to measure. */
export interface Effort {
  /** Number of rounds, in each of which every contender has a turn. */
  readonly rounds: number;
  /** Least duration of a turn in milliseconds: as many passes as it takes, at least one. */
  readonly turnMs: number;
  /** Warm-up of a contender before the first round, in milliseconds; at least one pass. */
  readonly warmUpMs: number;
}

export const fullEffort: Effort = { rounds: 11, turnMs: 50, warmUpMs: 300 };
export const quickEffort: Effort = { rounds: 2, turnMs: 4, warmUpMs: 10 };

/** Median and quartiles of a series. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Figures of one contender. */
export interface ContenderResult {
  readonly name: string;
  readonly note?: string | undefined;
  /**
   * `missing`: not on this machine. `wrong-count`: its count was not the expected one, so it was
   * not timed.
   */
  readonly status: 'measured' | 'missing' | 'wrong-count' | 'failed';
  /** Why it was not measured. */
  readonly detail?: string;
  readonly count?: number;
  readonly expected?: number;
  /**
   * Nanoseconds per item, over all rounds and by round; round `n` of all contenders ran within the
   * same moments.
   */
  readonly ns?: Spread;
  readonly rounds?: readonly number[];
  /** Time by the time of this engine, round by round: 2 is half as fast. */
  readonly ratio?: Spread;
}

/** Returns median and quartiles, interpolated between neighbours. */
export function spreadOf(figures: Iterable<number>): Spread {
  const sorted = Float64Array.from(figures).sort();
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** Returns the quantile at a share of a sorted series, 0 to 1; NaN for an empty one. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)]!;
  return low + (sorted[Math.min(Math.floor(place) + 1, sorted.length - 1)]! - low) * (place % 1);
}

/**
 * Returns ratios round by round: both sides of each were measured within the same moments, so drift
 * of the machine cancels.
 */
export function ratioOf(figures: readonly number[], to: readonly number[]): Spread {
  return spreadOf(figures.map((figure, round) => figure / to[round]!));
}

/** Result of a contender and, when it was measured, its runner, which the caller closes. */
export interface Measured<Prepared extends Runner = Runner> {
  readonly result: ContenderResult;
  readonly runner?: Prepared;
}

interface Entry<Prepared extends Runner> {
  readonly result: ContenderResult;
  readonly runner: Prepared;
  readonly rounds: number[];
}

/**
 * Measures all contenders over a workload, interleaved. The right count is `expected` or, where it
 * is not known, that of the first contender that is neither ours nor a floor. `items` is the number
 * by which the time of a pass is divided.
 */
export async function measure<Prepared extends Runner>(
  contenders: readonly Contender<Prepared>[],
  workload: Workload,
  {
    expected,
    effort,
    items,
  }: { readonly expected?: number | undefined; readonly effort: Effort; readonly items: number },
): Promise<Measured<Prepared>[]> {
  const counted: Measured<Prepared>[] = [];
  for (const contender of contenders) counted.push(await countOnce(contender, workload));
  const running = counted.filter(({ runner }) => runner !== undefined);
  const plain = running.find(({ result: { name } }) => !name.startsWith(ours) && !isFloor(name)) ?? running[0];
  const right = expected ?? plain?.result.count ?? 0;
  for (const [index, one] of counted.entries()) counted[index] = await withRightCount(one, right);
  const entries = counted.flatMap(({ result, runner }) => (runner ? [{ result, runner, rounds: [] as number[] }] : []));
  await runRounds(entries, effort, items);
  const reference = entries.find(({ result }) => result.name === ours)?.rounds;
  return counted.map((one): Measured<Prepared> => {
    const entry = entries.find(({ runner }) => runner === one.runner);
    if (entry === undefined) return one;
    const { result, runner, rounds } = entry;
    const figures = { ns: spreadOf(rounds), rounds, ...(reference && { ratio: ratioOf(rounds, reference) }) };
    return { result: { ...result, ...figures, expected: isFloor(result.name) ? result.count! : right }, runner };
  });
}

/** Compiles and counts once. */
async function countOnce<Prepared extends Runner>(
  { name, note, prepare }: Contender<Prepared>,
  workload: Workload,
): Promise<Measured<Prepared>> {
  try {
    const runner = await prepare(workload);
    if (typeof runner === 'string') return { result: { name, note, status: 'missing', detail: runner } };
    const { count } = await runner.pass(0);
    return { result: { name, note, status: 'measured', count }, runner };
  } catch (error) {
    return { result: { name, note, status: 'failed', detail: error instanceof Error ? error.message : String(error) } };
  }
}

async function withRightCount<One extends Measured>(one: One, expected: number): Promise<One> {
  const { result, runner } = one;
  if (runner === undefined || isFloor(result.name) || result.count === expected) return one;
  await runner.close?.();
  const detail = `counted ${result.count} where ${expected} is right; not measured`;
  return { result: { ...result, status: 'wrong-count', detail, expected } } as One;
}

/**
 * Warms up, then gives every contender a turn in each round; the order rotates, so that none always
 * follows the same one.
 */
async function runRounds(entries: readonly Entry<Runner>[], effort: Effort, items: number): Promise<void> {
  const passes: number[] = [];
  for (const { runner } of entries) {
    let last = 0;
    for (let spent = 0, run = 0; run === 0 || (spent < effort.warmUpMs && run < 10_000); run++) {
      last = (await runner.pass(1)).ns;
      spent += last / 1e6;
    }
    passes.push(Math.max(1, Math.min(10_000, Math.round((effort.turnMs * 1e6) / Math.max(1, last)))));
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const index = (turn + round) % entries.length;
      const { result, runner, rounds } = entries[index]!;
      const { ns, count } = await runner.pass(passes[index]!);
      if (count !== result.count) throw new Error(`${result.name} counted ${count} after ${result.count}`);
      rounds.push(ns / items);
    }
  }
}

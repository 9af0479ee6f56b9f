/** Median and quartiles of a series. */
export interface Spread {
  readonly median: number;
  /** First and third quartile. */
  readonly low: number;
  readonly high: number;
}

/** Percentiles over messages. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The quantile at a share of a sorted series, 0..1, interpolated between neighbours. NaN for an empty one. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (place - below);
}

/** Median and quartiles. */
export function spreadOf(figures: Iterable<number>): Spread {
  const sorted = Float64Array.from(figures).sort();
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** The median of a series. */
export function median(figures: Iterable<number>): number {
  return spreadOf(figures).median;
}

/** Ratios round by round: both sides of each were measured within the same moments, so drift of the machine cancels. */
export function ratioOf(figures: readonly number[], to: readonly number[]): Spread {
  return spreadOf(figures.map((figure, round) => figure / to[round]!));
}

/** Percentiles over messages, each with the median of its rounds, so that an interruption does not count against it. */
export function percentilesOf(rounds: readonly Float64Array[]): Percentiles {
  const length = rounds[0]?.length ?? 0;
  const medians = Float64Array.from({ length }, (_, at) => median(rounds.map((round) => round[at]!))).sort();
  return { p50: quantile(medians, 0.5), p95: quantile(medians, 0.95), p99: quantile(medians, 0.99) };
}

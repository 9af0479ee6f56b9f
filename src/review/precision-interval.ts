/**
 * Computes the interval of a proportion by Clopper and Pearson (1934), and its form for a sample
 * without replacement. It bisects over sums of the tails themselves. So it needs neither quantiles
 * nor the gamma function, and only sums of positive terms are rounded.
 */
import { UsageError } from '../foundation/errors.js';
import { refuseUnknownOptions } from '../foundation/options.js';

/** Options of `precisionInterval`. */
export interface PrecisionIntervalOptions {
  /**
   * Size of the population from which the sample was drawn without replacement. If absent, it is
   * infinite.
   */
  readonly of?: number | undefined;
  /**
   * The least probability that such an interval contains the true precision, between 0 and 1.
   * Default 0.95.
   */
  readonly level?: number | undefined;
}

/** The two ends of the interval, both included, from 0 to 1. */
export interface PrecisionInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the interval of the precision of a rule. `labelled` is the size of a random sample of the
 * messages that it stopped, and `right` how many of these it stopped rightly. This is the interval
 * of Clopper and Pearson, which contains the true precision in at least 95 of 100 samples, whatever
 * that precision is.
 *
 * With `of`, the number of messages from which the sample was drawn, the tails of the
 * hypergeometric distribution are inverted: the ends are proportions that are possible with this
 * number, and both are equal once all messages are labelled. Without labels the interval is 0 to 1.
 * Labels of messages that were not drawn at random have no such interval.
 *
 * Throws `UsageError` for counts that are invalid or contradict each other, and for a level outside
 * of 0 to 1.
 *
 * @example
 * ```ts
 * // Not 30 %, but 17 to 47: { low: 0.1656…, high: 0.4653… }
 * precisionInterval(12, 40);
 * // 60 in all: { low: 0.2333…, high: 0.4 }
 * precisionInterval(12, 40, { of: 60 });
 * ```
 */
export function precisionInterval(
  right: number,
  labelled: number,
  options: PrecisionIntervalOptions = {},
): PrecisionInterval {
  refuseUnknownOptions('`precisionInterval`', options, ['of', 'level']);
  const { of, level = 0.95 } = options;
  checkCounts({ right, labelled, of });
  if (typeof level !== 'number' || !(level > 0 && level < 1)) {
    throw new UsageError('`precisionInterval`: `level` must be between 0 and 1, such as 0.95');
  }
  if (labelled === 0) return { low: 0, high: 1 };
  const tail = (1 - level) / 2;
  return of === undefined ? ofAnyProportion(right, labelled, tail) : ofCounts(right, labelled, of, tail);
}

function checkCounts(counts: {
  readonly right: number;
  readonly labelled: number;
  readonly of: number | undefined;
}): void {
  for (const [name, value] of Object.entries(counts)) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
      throw new UsageError(`\`precisionInterval\`: \`${name}\` must be a whole number, 0 or more`);
    }
  }
  const { right, labelled, of = labelled } = counts;
  if (right > labelled)
    throw new UsageError('`precisionInterval`: `right` must be at most `labelled`, of which it is a part');
  if (labelled > of)
    throw new UsageError('`precisionInterval`: `labelled` must be at most `of`, of which it is a part');
}

/**
 * Returns the proportions under which this number of right ones or more, or this number or fewer,
 * just becomes too improbable.
 */
function ofAnyProportion(right: number, labelled: number, tail: number): PrecisionInterval {
  const tailsAt = (proportion: number) =>
    tailsOf(right, {
      least: 0,
      most: labelled,
      mode: Math.floor((labelled + 1) * proportion),
      ratio: (count) => ((labelled - count) / (count + 1)) * (proportion / (1 - proportion)),
    });
  const middle = (from: number, to: number) => from + (to - from) / 2;
  // The last two proportions of a bisection are neighbours that differ; the outer one is taken.
  const [low] = right === 0 ? [0] : bisect([0, 1], (proportion) => tailsAt(proportion).upper > tail, middle);
  const [high] = right === labelled ? [1] : bisect([1, 0], (proportion) => tailsAt(proportion).lower > tail, middle);
  return { low: low!, high: high! };
}

/**
 * Returns the smallest and the largest number of right ones in the population, as proportions,
 * under which the sample is not too improbable.
 */
function ofCounts(right: number, labelled: number, size: number, tail: number): PrecisionInterval {
  const tailsAt = (all: number) =>
    tailsOf(right, {
      least: Math.max(0, labelled - (size - all)),
      most: Math.min(labelled, all),
      mode: Math.floor(((labelled + 1) / (size + 2)) * (all + 1)),
      ratio: (count) => ((all - count) / (count + 1)) * ((labelled - count) / (size - all - labelled + count + 1)),
    });
  const most = size - (labelled - right);
  const middle = (from: number, to: number) => Math.floor(from + (to - from) / 2);
  // A number whose tail is exactly the limit belongs to the interval, however its sum is rounded: 3
  // right ones of 6, for example, if none of 3 drawn is right and the level is 0.9 (one in twenty).
  const limit = tail * (1 - 1e-9);
  const [, low] = bisect([right - 1, most], (all) => tailsAt(all).upper > limit, middle);
  const [, high] = bisect([most + 1, right], (all) => tailsAt(all).lower > limit, middle);
  return { low: low / size, high: high / size };
}

/**
 * A distribution over whole numbers with one maximum: its range, the position of the maximum, and
 * the ratio of consecutive terms.
 */
interface Distribution {
  readonly least: number;
  readonly most: number;
  readonly mode: number;
  /** Returns the term after `count`, divided by that of `count`. */
  ratio(count: number): number;
}

/**
 * Smaller terms are left out: there are fewer than 10^16 of them, and no limit of a tail is below
 * 10^-17.
 */
const nothing = 1e-40;

/**
 * Returns the probabilities of `count` or more, and of `count` or less. Terms are computed relative
 * to the maximum, from which they fall on both sides, so that none overflows.
 */
function tailsOf(count: number, { least, most, mode, ratio }: Distribution) {
  const top = Math.min(Math.max(mode, least), most);
  let [upper, lower, sum] = [0, 0, 0];
  const add = (at: number, term: number) => {
    sum += term;
    if (at >= count) upper += term;
    if (at <= count) lower += term;
  };
  add(top, 1);
  for (let [at, term] = [top, 1]; at < most && term > nothing; at++) {
    term *= ratio(at);
    add(at + 1, term);
  }
  for (let [at, term] = [top, 1]; at > least && term > nothing; at--) {
    term /= ratio(at - 1);
    add(at - 1, term);
  }
  return { upper: upper / sum, lower: lower / sum };
}

/**
 * Returns the two neighbouring values between which `holds` changes, given a value for which it is
 * false and one for which it is true.
 */
function bisect(
  [outside, inside]: readonly [number, number],
  holds: (value: number) => boolean,
  middle: (from: number, to: number) => number,
): readonly [outside: number, inside: number] {
  for (;;) {
    const between = middle(outside, inside);
    if (between === outside || between === inside) return [outside, inside];
    if (holds(between)) inside = between;
    else outside = between;
  }
}

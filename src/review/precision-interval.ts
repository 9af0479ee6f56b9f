/**
 * The interval of a proportion by Clopper and Pearson (1934), and its form for a sample without replacement. By bisection over sums of the
 * tails themselves, so that there is no quantile, no gamma function, and nothing to round but sums of positive terms.
 */
import { UsageError } from '../foundation/errors.js';
import { refuseUnknownOptions } from '../foundation/options.js';

/** Options of `precisionInterval`. */
export interface PrecisionIntervalOptions {
  /** Size of the population that the sample was drawn from without replacement; without it, one without end. */
  readonly of?: number | undefined;
  /** The probability, at least, that such an interval contains the true precision, between 0 and 1. Default 0.95. */
  readonly level?: number | undefined;
}

/** Both ends belong to it, from 0 to 1. */
export interface PrecisionInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the interval that holds the precision of a rule, where of a random sample of `labelled` messages that it stopped `right` were stopped rightly:
 * Clopper and Pearson's, which holds the true value in at least 95 of 100 samples whatever that value is. With `of`, the number of messages
 * that the sample is from, the tails of the hypergeometric distribution are inverted: its ends are proportions that this many can have, and it
 * is a point once all are labelled. Without a label nothing is known: 0 to 1. Labels of messages that were not drawn at random have none.
 * Throws `UsageError` for counts that are invalid or contradict each other, and for a level outside of 0 to 1.
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

/** The ends are proportions under which this number of right ones, or more, or fewer, is just too improbable. */
function ofAnyProportion(right: number, labelled: number, tail: number): PrecisionInterval {
  const tailsAt = (proportion: number) =>
    tailsOf(right, {
      least: 0,
      most: labelled,
      mode: Math.floor((labelled + 1) * proportion),
      ratio: (count) => ((labelled - count) / (count + 1)) * (proportion / (1 - proportion)),
    });
  const middle = (from: number, to: number) => from + (to - from) / 2;
  // The outer ones of the last two numbers that differ.
  const [low] = right === 0 ? [0] : bisect([0, 1], (proportion) => tailsAt(proportion).upper > tail, middle);
  const [high] = right === labelled ? [1] : bisect([1, 0], (proportion) => tailsAt(proportion).lower > tail, middle);
  return { low: low!, high: high! };
}

/** The ends are the smallest and the largest number of right ones in the population under which the sample is not too improbable. */
function ofCounts(right: number, labelled: number, of: number, tail: number): PrecisionInterval {
  const tailsAt = (all: number) =>
    tailsOf(right, {
      least: Math.max(0, labelled - (of - all)),
      most: Math.min(labelled, all),
      mode: Math.floor(((labelled + 1) / (of + 2)) * (all + 1)),
      ratio: (count) => ((all - count) / (count + 1)) * ((labelled - count) / (of - all - labelled + count + 1)),
    });
  const most = of - (labelled - right);
  const middle = (from: number, to: number) => Math.floor(from + (to - from) / 2);
  // A number whose tail is just the limit (of 6, none of 3, level 0.9: one in twenty) belongs to the interval, however its sum is rounded.
  const limit = tail * (1 - 1e-9);
  const [, low] = bisect([right - 1, most], (all) => tailsAt(all).upper > limit, middle);
  const [, high] = bisect([most + 1, right], (all) => tailsAt(all).lower > limit, middle);
  return { low: low / of, high: high / of };
}

/** A distribution over whole numbers with one maximum: its range, the place of the maximum, and the ratio of consecutive terms. */
interface Distribution {
  readonly least: number;
  readonly most: number;
  readonly mode: number;
  /** The ratio of the term after `count` to that of `count`. */
  ratio(count: number): number;
}

/** Terms are left out from here on: there are fewer than 10^16 of them, and no limit of a tail is below 10^-17. */
const nothing = 1e-40;

/**
 * The probabilities of `count` or more, and of `count` or less. Terms are relative to the maximum, from which they fall on both sides, so that none
 * overflows.
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

/** Returns the neighbours between which `holds` changes, from a value for which it is false and one for which it is true. */
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

/** Key, sum and order of rows of one kind. */
export interface TallyPlan<Row> {
  /** Rows of equal keys are added up. */
  readonly key: (row: Row) => string;
  /** Adds the counts of a row to a sum, which is a copy of the first row of its key. */
  readonly plus: (sum: Mutable<Row>, row: Row) => void;
  /** The number that rows are sorted by, largest first; in the order of their keys without. */
  readonly size?: (row: Row) => number;
}

/** A type whose fields may be assigned. */
export type Mutable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

/** A growing table of counts. */
export interface Tally<Row> {
  add(row: Row): void;
  /** Sorted largest first, then by key in code unit order: independent of locale and of the order of addition. */
  rows(): Row[];
}

/** Creates an empty tally. Sums are in a `Map`, so that `__proto__` is a key too. */
export function createTally<Row extends object>({ key: keyOf, plus, size }: TallyPlan<Row>): Tally<Row> {
  const sums = new Map<string, Mutable<Row>>();
  return {
    add(row) {
      const key = keyOf(row);
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { ...row });
      else plus(sum, row);
    },
    rows() {
      const byKey = ([left]: [string, Row], [right]: [string, Row]) => (left < right ? -1 : 1);
      const ordered = [...sums].sort(byKey).map(([, row]) => ({ ...row }) as Row);
      return size === undefined ? ordered : ordered.sort((left, right) => size(right) - size(left));
    },
  };
}

/** Counts by id in bounded memory. */
export interface BoundedCounts {
  add(id: string, count: number): void;
  /** The largest first, then by id in code unit order. */
  rows(): [id: string, count: number][];
  /** The sum of what was added to ids that were given up. */
  readonly others: number;
}

/**
 * Counts for at most `most` ids, exact until there are more of them: then the half with the largest counts is kept, the rest
 * added to `others`. An id that comes again begins anew, so that counts are never too large, and none is too small by more than
 * `others`.
 */
export function createBoundedCounts(most: number): BoundedCounts {
  const counts = new Map<string, number>();
  let others = 0;
  const rows = () =>
    [...counts].sort(([left, leftCount], [right, rightCount]) => rightCount - leftCount || (left < right ? -1 : 1));
  return {
    add(id, count) {
      counts.set(id, (counts.get(id) ?? 0) + count);
      if (counts.size <= most) return;
      for (const [given, own] of rows().slice(Math.floor(most / 2))) {
        counts.delete(given);
        others += own;
      }
    },
    rows,
    get others() {
      return others;
    },
  };
}

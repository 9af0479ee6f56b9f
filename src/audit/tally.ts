/** Identity, sum and order of rows of one kind. */
export interface TallyPlan<Row> {
  /** The key of a row: rows of equal ids are added up. */
  readonly ids: (row: Row) => readonly unknown[];
  /** The sum of two rows with the same ids. */
  readonly plus: (sum: Row, row: Row) => Row;
  /** The number that rows are sorted by, largest first. */
  readonly size: (row: Row) => number;
}

/** A growing table of counts. */
export interface Tally<Row> {
  add(rows: readonly Row[]): void;
  /** Sorted largest first, then by ids in code unit order: independent of locale and of the order of addition. */
  rows(): Row[];
}

/** Creates an empty tally. Keys are JSON, so that no id can contain a separator, and in a `Map`, so that `__proto__` is an id too. */
export function createTally<Row>(plan: TallyPlan<Row>): Tally<Row> {
  const sums = new Map<string, Row>();
  return {
    add(rows) {
      for (const row of rows) {
        const key = JSON.stringify(plan.ids(row));
        const sum = sums.get(key);
        sums.set(key, sum === undefined ? row : plan.plus(sum, row));
      }
    },
    rows() {
      const byKey = ([left]: [string, Row], [right]: [string, Row]) => (left < right ? -1 : 1);
      const ordered = [...sums].sort(byKey).map(([, row]) => row);
      return ordered.sort((left, right) => plan.size(right) - plan.size(left));
    },
  };
}

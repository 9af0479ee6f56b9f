/** How rows of one kind are told apart, added up and ordered. */
export interface TallyPlan<Row> {
  /** What makes two rows the same one. */
  readonly ids: (row: Row) => readonly unknown[];
  /** The sum of two rows with the same ids. */
  readonly plus: (sum: Row, row: Row) => Row;
  /** What the order goes by, largest first. */
  readonly size: (row: Row) => number;
}

/** A growing table of counts. */
export interface Tally<Row> {
  add(rows: readonly Row[]): void;
  /** Largest first, then by ids in code unit order, so that neither locale nor order of arrival shows. */
  rows(): Row[];
}

/** Starts an empty tally. Keys are JSON, so that no id can imitate a separator, in a `Map`, so that none is magic. */
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

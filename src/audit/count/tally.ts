type Ids = readonly (string | number | undefined)[];

/** Identity, sum and order of rows of one kind. */
interface TallyPlan<Row> {
  /** Rows of equal ids are added up; all rows have the same number of them. */
  readonly ids: (row: Row) => Ids;
  /** Adds the counts of a row to a sum, which is a copy of the first row of its ids. */
  readonly plus: (sum: Mutable<Row>, row: Row) => void;
  /** The number that rows are sorted by, largest first. */
  readonly size: (row: Row) => number;
}

/** A type whose fields may be assigned. */
export type Mutable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

/**
 * Creates an empty tally. Sums are in maps of maps, one level for each id: ids are looked up as they are, where a joined key would
 * be built and hashed for each row.
 */
export function createTally<Row extends object>({ ids: idsOf, plus, size }: TallyPlan<Row>) {
  type Level = Map<unknown, unknown>;
  const root: Level = new Map();
  const sums: Mutable<Row>[] = [];
  return {
    add(row: Row): void {
      const ids = idsOf(row);
      const last = ids.length - 1;
      let level = root;
      for (let at = 0; at < last; at++) {
        let next = level.get(ids[at]) as Level | undefined;
        if (next === undefined) {
          next = new Map();
          level.set(ids[at], next);
        }
        level = next;
      }
      const sum = level.get(ids[last]) as Mutable<Row> | undefined;
      if (sum !== undefined) {
        plus(sum, row);
        return;
      }
      const first = { ...row };
      level.set(ids[last], first);
      sums.push(first);
    },
    /** Returns the sums, largest first, then by ids, texts in code unit order: independent of locale and of the order of addition. */
    rows(): Row[] {
      const ordered = sums.map((sum) => ({ row: { ...sum } as Row, ids: idsOf(sum) }));
      ordered.sort((left, right) => size(right.row) - size(left.row) || compareIds(left.ids, right.ids));
      return ordered.map(({ row }) => row);
    },
  };
}

/** An absent id comes last. */
function compareIds(left: Ids, right: Ids): number {
  const at = left.findIndex((id, index) => id !== right[index]);
  const [own, other] = [left[at], right[at]];
  if (at === -1 || own === other) return 0;
  return own === undefined ? 1 : other === undefined || own < other ? -1 : 1;
}

/**
 * Starts counts for at most `most` ids. They are exact up to that many; beyond, the half with the largest counts is kept, and the rest is added to
 * `others`. An id that comes again starts at 0, so that no count is too large, and none is too small by more than `others`.
 */
export function createBoundedCounts(most: number) {
  const counts = new Map<string, number>();
  let others = 0;
  /** The largest first, then by id in code unit order. */
  const rows = (): [id: string, count: number][] =>
    [...counts].sort(([left, leftCount], [right, rightCount]) => rightCount - leftCount || (left < right ? -1 : 1));
  return {
    add(id: string, count: number): void {
      counts.set(id, (counts.get(id) ?? 0) + count);
      if (counts.size <= most) return;
      for (const [given, own] of rows().slice(Math.floor(most / 2))) {
        counts.delete(given);
        others += own;
      }
    },
    rows,
    /** The sum of the counts of dropped ids. */
    get others(): number {
      return others;
    },
  };
}

/**
 * Sums of plain data: tables whose rows are added up by their ids, and the numbers of whole
 * objects.
 */

/** A type whose fields may be assigned. */
export type Mutable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

type Fields = Record<string, unknown>;

/**
 * Adds the numbers of an object, and of its inner objects, to the numbers of a sum. The rest of the
 * sum stays as it is.
 */
export function addNumbers(sum: object, added: object, except: readonly string[] = []): void {
  const [into, from] = [sum as Fields, added as Fields];
  for (const name of Object.keys(into)) {
    const [known, value] = [into[name], from[name]];
    if (except.includes(name)) continue;
    if (typeof known === 'number' && typeof value === 'number') into[name] = known + value;
    else if (isObject(known) && isObject(value)) addNumbers(known, value);
  }
}

/** Copies a row, with the objects inside of it. */
function copyOf<Row extends object>(row: Row): Row {
  const copy = { ...row } as Fields;
  for (const name of Object.keys(copy)) if (isObject(copy[name])) copy[name] = { ...(copy[name] as object) };
  return copy as Row;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Identity and order of the rows of a table. */
interface TallyPlan<Row> {
  /** The fields that identify a row; rows are ordered by them, in this order. */
  readonly ids: readonly (keyof Row & string)[];
  /** The field of the number that rows are sorted by, largest first. */
  readonly size: keyof Row & string;
  /** Merges what is not a number: called for a sum and a row that is added to it. */
  readonly join?: ((sum: Mutable<Row>, row: Row) => void) | undefined;
}

/**
 * Creates an empty table of sums. The sums are in nested maps, one level for each id, so that no
 * joined key is built and hashed for each row.
 */
export function createTally<Row extends object>({ ids, size, join }: TallyPlan<Row>) {
  type Level = Map<unknown, unknown>;
  const root: Level = new Map();
  const sums: Mutable<Row>[] = [];
  const find = (keys: readonly unknown[], first: () => Row): Mutable<Row> => {
    let level = root;
    for (let at = 0; at < keys.length - 1; at++) {
      const known = level.get(keys[at]) as Level | undefined;
      const next: Level = known ?? new Map();
      if (known === undefined) level.set(keys[at], next);
      level = next;
    }
    const last = keys[keys.length - 1];
    const known = level.get(last) as Mutable<Row> | undefined;
    if (known !== undefined) return known;
    const sum = first();
    level.set(last, sum);
    sums.push(sum);
    return sum;
  };
  const keyOf = (id: unknown) => (isObject(id) ? JSON.stringify(id) : id);
  const keysOf = (row: Row) => ids.map((id) => keyOf(row[id]));
  return {
    /**
     * Returns the sum of the rows with the given ids, which the caller may count up; `first` makes
     * it if it is missing, with nothing counted.
     */
    sumOf: find,
    /** Adds the rows of another table of the same kind. */
    merge(rows: readonly Row[]): void {
      for (const row of rows) {
        let isFirst = false;
        const sum = find(keysOf(row), () => {
          isFirst = true;
          return copyOf(row);
        });
        if (isFirst) continue;
        addNumbers(sum, row, ids);
        join?.(sum, row);
      }
    },
    /**
     * Returns the sums, largest first, then by ids in code unit order. The order depends neither on
     * the locale nor on the order of addition.
     */
    rows(): Row[] {
      const ordered = sums.map((sum) => ({ row: copyOf(sum) as Row, keys: keysOf(sum as Row) }));
      ordered.sort(
        (left, right) => Number(right.row[size]) - Number(left.row[size]) || compareKeys(left.keys, right.keys),
      );
      return ordered.map(({ row }) => row);
    },
  };
}

/** Compares rows by their ids; an id that is absent or null comes last. */
function compareKeys(left: readonly unknown[], right: readonly unknown[]): number {
  const at = left.findIndex((key, index) => key !== right[index]);
  const [a, b] = [left[at] ?? undefined, right[at] ?? undefined] as [string | undefined, string | undefined];
  if (a === b) return 0;
  return a === undefined ? 1 : b === undefined || a < b ? -1 : 1;
}

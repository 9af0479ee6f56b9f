/**
 * Merging parts in any order equals counting the whole: what the property of each counter is made
 * of.
 */
import fc from 'fast-check';

interface Counter<Entry, Part> {
  add(entry: Entry): unknown;
  merge(part: Part): void;
  toJSON(): Part;
}

/**
 * Entries in their order, the part that each of them falls into, and the order in which parts are
 * merged.
 */
interface Split<Entry> {
  readonly entries: readonly Entry[];
  readonly partOf: readonly number[];
  readonly order: readonly number[];
}

const numbers = [0, 1, 2, 3, 4];

/** Random entries, split at random into five parts, some of them empty. */
export function anySplit<Entry>(anyEntry: fc.Arbitrary<Entry>, maxLength = 25): fc.Arbitrary<Split<Entry>> {
  const order = fc.shuffledSubarray(numbers, { minLength: numbers.length });
  return fc
    .tuple(fc.array(fc.tuple(anyEntry, fc.constantFrom(...numbers)), { maxLength, size: 'max' }), order)
    .map(([drawn, order]) => ({
      entries: drawn.map(([entry]) => entry),
      partOf: drawn.map(([, part]) => part),
      order,
    }));
}

/**
 * Both ways of counting, as JSON: the whole in its order, and parts, put through JSON, in another.
 */
export function countBothWays<Entry, Part>(
  { entries, partOf, order }: Split<Entry>,
  create: () => Counter<Entry, Part>,
  createForMerging = create,
): { readonly whole: string; readonly merged: string } {
  const count = (some: readonly Entry[]) => {
    const counter = create();
    for (const entry of some) counter.add(entry);
    return JSON.stringify(counter);
  };
  const merged = createForMerging();
  for (const part of order) {
    const own = entries.filter((_, index) => partOf[index] === part);
    merged.merge(JSON.parse(count(own)));
  }
  return { whole: count(entries), merged: JSON.stringify(merged) };
}

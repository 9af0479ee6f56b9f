/** The one order of messages: ascending by `sentAt`, then by numeric id. A position is an index into the messages so ordered. */

/** What the order looks at. */
export interface Placed {
  readonly sentAt: number;
  /** Decimal digits. */
  readonly id: string;
}

/** Compares two messages by the order. Ids may be longer than a number holds exactly. */
export function compareMessages(one: Placed, other: Placed): number {
  if (one.sentAt !== other.sentAt) return one.sentAt - other.sentAt;
  return one.id.length - other.id.length || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/**
 * The order of messages that stand in any: indexes, the one that goes first first; undefined when they stand in order already,
 * as data mostly does, which is much cheaper seen than sorted. `number` is infinite where only the id tells.
 */
export function orderOf(
  sentAt: Float64Array,
  number: Float64Array,
  idAt: (index: number) => string,
): Uint32Array | undefined {
  const compare = (one: number, other: number): number => {
    if (sentAt[one] !== sentAt[other]) return sentAt[one]! - sentAt[other]!;
    if (number[one] !== number[other]) return number[one]! < number[other]! ? -1 : 1;
    return compareMessages({ sentAt: 0, id: idAt(one) }, { sentAt: 0, id: idAt(other) });
  };
  const isOrdered = sentAt.every((_, index) => index === 0 || compare(index - 1, index) < 0);
  return isOrdered ? undefined : Uint32Array.from(sentAt.keys()).sort(compare);
}

/** The first index in `0..length` at which `isReached` holds; it must not hold before and must hold after. */
export function firstIndex(length: number, isReached: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first index in ascending positions whose position is at least `position`. */
export function indexFrom(positions: Uint32Array, position: number): number {
  return firstIndex(positions.length, (index) => (positions[index] as number) >= position);
}

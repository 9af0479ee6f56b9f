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

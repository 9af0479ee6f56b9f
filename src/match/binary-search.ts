/**
 * The first index from `begin` up to `end` at which a test holds that, once it holds, holds for all further ones; `end` when
 * it holds for none.
 */
export function firstWhere(begin: number, end: number, holds: (index: number) => boolean): number {
  let low = begin;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

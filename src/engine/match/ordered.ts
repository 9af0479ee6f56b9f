/**
 * Returns the first index from `begin` up to `end` at which a test holds that, once it holds, holds
 * for all further ones; `end` when it holds for none.
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

/**
 * Returns the indices of small natural numbers, by ascending number; those of equal ones ascend. A
 * counting sort: no comparison.
 */
export function ascending(numbers: readonly number[]): Uint32Array {
  let largest = 0;
  for (const number of numbers) largest = Math.max(largest, number);
  const next = new Uint32Array(largest + 2);
  for (const number of numbers) next[number + 1]!++;
  for (let number = 0; number < largest; number++) next[number + 1]! += next[number]!;
  const order = new Uint32Array(numbers.length);
  for (let index = 0; index < numbers.length; index++) order[next[numbers[index]!]!++] = index;
  return order;
}

/** Positions of messages in ascending typed arrays: 4 bytes each, and two of them meet in a walk. */
import { indexFrom } from './message-order.js';

/** No positions. */
export const nowhere: Uint32Array = new Uint32Array();

/**
 * Positions by key, for keys from 0 on: one array in all, cut into pieces. `keys` holds the key of each position.
 */
export function positionsByKey(keys: Uint32Array, keyCount: number): readonly Uint32Array[] {
  const ends = new Uint32Array(keyCount + 1);
  for (const key of keys) ends[key + 1]! += 1;
  for (let key = 0; key < keyCount; key += 1) ends[key + 1]! += ends[key]!;
  const next = ends.slice(0, keyCount);
  const all = new Uint32Array(keys.length);
  for (let position = 0; position < keys.length; position += 1) {
    const key = keys[position]!;
    all[next[key]!] = position;
    next[key]! += 1;
  }
  return Array.from({ length: keyCount }, (_, key) => all.subarray(ends[key], ends[key + 1]));
}

/** Positions under any of these keys, ascending, each once. */
export function positionsOfAny(keys: readonly string[], byKey: ReadonlyMap<string, Uint32Array>): Uint32Array {
  const found = [...new Set(keys)].flatMap((key) => byKey.get(key) ?? []);
  const [only = nowhere] = found;
  if (found.length <= 1) return only;
  const all = new Uint32Array(found.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const positions of found) {
    all.set(positions, filled);
    filled += positions.length;
  }
  all.sort();
  return all.filter((position, index) => index === 0 || position !== all[index - 1]);
}

/** Whether an array holds a position. */
export function holdsPosition(positions: Uint32Array, position: number): boolean {
  return positions[indexFrom(positions, position)] === position;
}

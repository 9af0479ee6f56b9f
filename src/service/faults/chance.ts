import { createHash } from 'node:crypto';

/** A number in 0..1, 1 left out, for each purpose of one request; always the same for the same one. */
export type Chance = (purpose: string) => number;

/**
 * The chances of the n-th request of a route. A digest and no generator with a state: no decision depends on how many were
 * made before it, so adding a fault to a plan leaves those before it as they were.
 */
export function chanceOf(seed: number, route: string, ordinal: number): Chance {
  return (purpose) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, route, ordinal, purpose]))
      .digest();
    return digest.readUInt32BE() / 2 ** 32;
  };
}

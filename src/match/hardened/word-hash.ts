/** How words are told apart by the thorough scan: a number for each character, mixed to a sum. */
export const BREAK = 0x80000000 | 0;
/** Odd, which a break is not: the scan asks for both at once. */
export const LOOK = BREAK | 1;

/** A number from 1 to 2^31 - 1 for a symbol, well mixed. */
export function hashOf(symbol: number): number {
  let mixed = Math.imul(symbol + 2, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 1) | 1;
}

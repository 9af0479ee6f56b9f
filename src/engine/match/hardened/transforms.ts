/** Transforms that make text and term equal beyond case, as bits in the order of names. */
export const FULL_FOLDING = 1;
export const COMPATIBILITY = 2;
export const HOMOGLYPH = 4;
export const LEET = 8;
export const IGNORABLE = 16;
export const MARK = 32;
export const STRETCHED = 64;
export const SPACED = 128;
export const INTERRUPTED = 256;
export const MASKED = 512;
export const JOINED = 1_024;
export const DOUBLED = 2_048;
export const FORMATTING = 4_096;

/** The names as `Match.transforms` has them. */
export const transformNames = [
  'full-folding',
  'compatibility',
  'homoglyph',
  'leet',
  'ignorable',
  'mark',
  'stretched',
  'spaced',
  'interrupted',
  'masked',
  'joined',
  'doubled',
  'formatting',
] as const;

export type TransformName = (typeof transformNames)[number];

/** Returns the names of the bits of `set`, in their order. */
export function namesOf(set: number): readonly TransformName[] {
  return transformNames.filter((_, bit) => (set & (1 << bit)) !== 0);
}

/**
 * Reports whether `set` is to be reported instead of `than`: it has fewer transforms, or those of
 * earlier names.
 */
export function isSimpler(set: number, than: number): boolean {
  const difference = countOf(set) - countOf(than);
  return difference < 0 || (difference === 0 && set < than);
}

function countOf(set: number): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count++;
  return count;
}

/** Pairs of surrogates: the two UTF-16 units that a character beyond U+FFFF is. */

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt } = String.prototype;

/** Reports whether a pair ends at an offset. */
export function isPairBefore(text: string, at: number): boolean {
  return (
    at >= 2 &&
    (charCodeAt.call(text, at - 1) & 0xfc00) === 0xdc00 &&
    (charCodeAt.call(text, at - 2) & 0xfc00) === 0xd800
  );
}

/** Reports whether an offset lies between the halves of a pair. */
export function isWithinPair(text: string, at: number): boolean {
  return at < text.length && isPairBefore(text, at + 1);
}

/** The first half of the pair that a character is, and the second one. */
export const highOf = (code: number) => 0xd800 + ((code - 0x10000) >> 10);
export const lowOf = (code: number) => 0xdc00 + ((code - 0x10000) & 0x3ff);

/** How many characters back the scan remembers which of them joined no words. */
const LENGTH = 13;
export const LONE_MASK = (1 << LENGTH) - 1;

/**
 * By the last characters, a bit each that is set where one joins no words: 1 when three characters stand alone, one to three
 * others between them. So a scan sees letters that stand alone without counting them.
 */
export const lonePatterns: Uint8Array = Uint8Array.from({ length: LONE_MASK + 1 }, (_, breaks) =>
  /10(?:1{1,3})0(?:1{1,3})01$/.test(breaks.toString(2).padStart(LENGTH, '0')) ? 1 : 0,
);

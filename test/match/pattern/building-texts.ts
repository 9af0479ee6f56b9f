/** Patterns with texts that make an automaton build states and states, and never match. */
export const buildingPatterns: readonly (readonly [source: string, alphabet: string])[] = [
  ['(?:a|b)*a(?:a|b){20}c', 'ab'],
  ['a[ab]{1000}c', 'ab'],
  ['.{1,1000}x', 'a'],
  ['(x+x+)+y', 'x'],
  ['(?:a?){24}a{24}b', 'a'],
];

/** A text of so many letters, in no order and always the same. */
export function buildingText(alphabet: string, length: number): string {
  let seed = 7;
  return Array.from({ length }, () => {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return alphabet[(seed >>> 1) % alphabet.length];
  }).join('');
}

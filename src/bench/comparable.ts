/**
 * Whether every contender reads a text alike: lower case by simple folding, by `toLowerCase` and by `RegExp` with `i` agree.
 * A few characters differ between them (`İ`, final `ς`, `ſ`, the Kelvin sign), and whoever counts differently there is not wrong.
 */
export function isComparable(text: string): boolean {
  return !/\u0345|[\u0130\u0131\u017f\u1e9e\u212a\u212b\u2126\u03c2\u1c80-\u1c88\u{10400}-\u{104ff}]/u.test(text);
}

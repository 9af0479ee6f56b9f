/**
 * The letters of a character: one, several, or none. Letters are code points after simple case
 * folding, full folding and compatibility decomposition; the marks that decomposition splits off
 * stand apart. Which letters may stand for which is in `confusables.ts`.
 *
 * Decompositions come from `String.prototype.normalize`, whose results for a character never change
 * once Unicode has assigned it; a newer platform only has more characters.
 */
import { plainLetters } from '../accents.js';
import { DOT, ELLIPSIS, foldCodePoint, isWhite, WHITE } from '../folding.js';
import { joinsWords } from '../word-edges.js';
import { ligatureOf, mayReadAsLetter } from './confusables.js';
import { COMPATIBILITY, FULL_FOLDING, HOMOGLYPH } from './transforms.js';

export interface Decomposition {
  /** The character after simple case folding, `WHITE` for any white space. */
  readonly code: number;
  /** The letters it is read as; empty for marks and ignorable characters. */
  readonly letters: readonly number[];
  /**
   * Marks split off from a letter: the one at `bearer`, which is the last but for the Greek iota
   * below.
   */
  readonly marks: readonly number[];
  readonly bearer: number;
  /** Transforms that lead from `code` to `letters`. */
  readonly transforms: number;
  /**
   * `letter`: joins words. `symbol`: joins none, but can be read as a letter. `other`: white space,
   * punctuation, …
   */
  readonly kind: 'letter' | 'symbol' | 'other' | 'mark' | 'ignorable';
  /** Joins words, or is a letter in a circle or the like, which joins others of its kind. */
  readonly joins: boolean;
}

/**
 * Hidden characters, with U+2800, a blank, the tatweel, and U+20E3, which makes a keycap of the
 * character before it.
 */
const ignorable = /^(?:\p{Default_Ignorable_Code_Point}|[\u20e3\u0640\u2800])$/u;
/**
 * Marks of no script, those that enclose, and those of scripts whose letters are still letters
 * without. Kana's sound marks, the Greek iota below and the vowel signs of Indian scripts are
 * letters by another name.
 */
const skippableMark =
  /^(?![\u0345\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Common}\p{Me}\p{Script=Arabic}\p{Script=Coptic}\p{Script=Cyrillic}\p{Script=Glagolitic}\p{Script=Hebrew}\p{Script=Old_Permic}\p{Script=Samaritan}\p{Script=Syriac}]$/u;
/** Scripts whose letters are still the same letters to a reader when their marks are gone. */
const markedScript = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]$/u;
/** `İ`, which full folding takes for an `i` and a dot. */
export const DOTTED_I = 0x130;
/** Case folding of the Greek iota below. */
const IOTA = 0x3b9;
/**
 * They decompose into letters, which would make long words of short ones: see `composed-text.ts`.
 */
const syllable = /^[\uac00-\ud7a3]$/;

const known = new Map<number, Decomposition>();

/** Returns the decomposition of a code point; cached. */
export function decompositionOf(code: number): Decomposition {
  const before = known.get(code);
  if (before !== undefined) return before;
  const decomposition = decompose(code);
  // Kept for the letters of every script in use; a text that walks through all of Unicode does not
  // fill the memory.
  if (known.size > 20_000) known.clear();
  known.set(code, decomposition);
  return decomposition;
}

function decompose(code: number): Decomposition {
  const character = String.fromCodePoint(code);
  const folded = foldCodePoint(code, 'case');
  if (ignorable.test(character))
    return { code: folded, letters: [], marks: [], bearer: 0, transforms: 0, kind: 'ignorable', joins: false };
  if (isWhite(code))
    return { code: WHITE, letters: [WHITE], marks: [], bearer: 0, transforms: 0, kind: 'other', joins: false };
  if (skippableMark.test(character))
    return { code: folded, letters: [], marks: [folded], bearer: 0, transforms: 0, kind: 'mark', joins: false };
  const { letters, marks, transforms } = partsOf(code, folded);
  const kind = kindOf(code, letters);
  return {
    code: folded,
    letters,
    marks,
    bearer: letters.at(-1) === IOTA ? 0 : letters.length - 1,
    transforms,
    kind,
    joins: kind === 'letter' || (kind === 'symbol' && letters.some(joinsWords)),
  };
}

function kindOf(code: number, letters: readonly number[]): 'letter' | 'symbol' | 'other' {
  if (joinsWords(code)) return 'letter';
  return letters.some((letter) => joinsWords(letter) || mayReadAsLetter(letter)) ? 'symbol' : 'other';
}

type Parts = Pick<Decomposition, 'letters' | 'marks' | 'transforms'>;

function partsOf(code: number, folded: number): Parts {
  const letter = arabicLetterOf(folded);
  const itself = { letters: [letter], marks: [], transforms: letter === folded ? 0 : COMPATIBILITY };
  if (code === ELLIPSIS) return { ...itself, letters: [DOT, DOT, DOT] };
  if (folded < 0x80 || (folded & 0xfffff800) === 0xd800) return itself;
  const enclosed = enclosedLetter(code);
  if (enclosed > 0) return { letters: [enclosed], marks: [], transforms: COMPATIBILITY };
  const ligature = ligatureOf(folded);
  if (ligature !== undefined) return { letters: ligature, marks: [], transforms: HOMOGLYPH };
  // A letter with looks of its own keeps them: `ϲ` is a `c` to a reader, though it decomposes to a
  // sigma.
  const simple = asLigature((mayReadAsLetter(folded) ? undefined : separate(String.fromCodePoint(folded))) ?? itself);
  const upper = String.fromCodePoint(code).toLowerCase().toUpperCase().toLowerCase();
  if (code === DOTTED_I) return { ...simple, transforms: FULL_FOLDING };
  if ([...upper].length === 1) return simple;
  if (simple.letters.at(-1) === IOTA) return { ...simple, transforms: FULL_FOLDING };
  const full = split(upper.normalize('NFKD'));
  if (full.letters.length <= simple.letters.length) return simple;
  return { ...full, transforms: simple.transforms | FULL_FOLDING };
}

/**
 * Returns the parts of a character once ligatures are split: `ǣ` is read as two letters, as `æ` is.
 */
function asLigature(simple: Parts): Parts {
  const ligature = simple.letters.length === 1 ? ligatureOf(simple.letters[0]!) : undefined;
  return ligature === undefined ? simple : { ...simple, letters: ligature, transforms: simple.transforms | HOMOGLYPH };
}

/**
 * Returns the letters and marks of a character once decomposed; undefined when nothing readable
 * comes of it.
 */
function separate(text: string): Parts | undefined {
  const compatible = withoutBrackets(text.normalize('NFKD'));
  // A sign such as `΅` is a blank with marks by compatibility.
  const decomposed = compatible.startsWith(' ') ? text.normalize('NFD') : compatible;
  if (decomposed === text || decomposed === '' || syllable.test(text)) return undefined;
  const { letters, marks } = split(decomposed);
  const isCanonical = text.normalize('NFD') === decomposed;
  const symbol = letters.length === 1 && !isWhite(letters[0]!);
  if (letters.length === 0 || !(symbol || letters.every(joinsWords) || isCanonical)) return undefined;
  if (marks.length > 0 && !isCanonical && !markedScript.test(String.fromCodePoint(letters.at(-1)!))) return undefined;
  return { letters, marks, transforms: marks.length > 0 && isCanonical ? 0 : COMPATIBILITY };
}

/** Returns the folded letters of a decomposed text, and its marks. */
function split(decomposed: string) {
  const letters: number[] = [];
  const marks: number[] = [];
  for (const character of decomposed) {
    const code = foldCodePoint(character.codePointAt(0)!, 'case');
    if (skippableMark.test(character)) marks.push(code);
    else letters.push(arabicLetterOf(code));
  }
  return { letters, marks };
}

/** Returns the Arabic letter of which this is the Persian form, or the letter itself. */
function arabicLetterOf(code: number): number {
  return (code & 0xff00) === 0x600 ? (plainLetters.get(String.fromCodePoint(code))?.codePointAt(0) ?? code) : code;
}

/** Removes what surrounds a letter or digit that is decomposed, as in `⒜` and `⒈`. */
function withoutBrackets(text: string): string {
  return /^(?:\(.+\)|[0-9]+\.|[0-9],)$/.test(text) ? text.replace(/[().,]/g, '') : text;
}

/**
 * Letters in circles, squares and flags that Unicode does not decompose: first code point of each
 * alphabet.
 */
const enclosedAlphabets = [0x1f150, 0x1f170, 0x1f1e6];

function enclosedLetter(code: number): number {
  const first = enclosedAlphabets.find((start) => code >= start && code < start + 26);
  return first === undefined ? 0 : 0x61 + code - first;
}

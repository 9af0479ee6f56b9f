/**
 * `folding: 'accents'` ignores case and reads letters of Latin, Greek, Cyrillic, Arabic and Hebrew
 * without their marks, a tatweel as nothing, letters without a decomposition, such as `ø`, as plain
 * ones, and canonically equivalent spellings as one.
 *
 * A letter of the basic plane that is read as one other is an entry of the folding, as those of
 * case are (`accentFolds`), so texts of composed letters are scanned as they are. Texts that hold a
 * mark, a tatweel, or a letter that is read as several are rewritten before they are scanned
 * (`withoutAccents`). A mark belongs to the character before it, whatever that is.
 *
 * INVARIANT: `folding: 'hardened'` matches what this does. Its marks include these
 * (`hardened/decompositions.ts`).
 *
 * Example: `Łódź` is `lodz` by the folding alone; `Ło\u0301dź` is read as `Łodź`, whose third
 * letter stands for the span 1 to 3.
 */
import { caseFolds } from './case-folding.js';
import { type Piece, type RewrittenText, rewrite } from './rewritten-text.js';

/**
 * Inside of a character class: marks, with those of no script, the Greek iota below, and the
 * tatweel.
 */
const MARKS =
  '\\u0300-\\u034e\\u0350-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7' +
  '\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u0897-\\u089f' +
  '\\u08ca-\\u08e1\\u08e3-\\u08ff\\u1ab0-\\u1add\\u1ae0-\\u1aeb\\u1dc0-\\u1dff\\u20d0-\\u20e2\\u20e4-\\u20f0\\u2de0-\\u2dff\\ua66f-\\ua672' +
  '\\ua674-\\ua67d\\ua69e\\ua69f\\ufb1e\\ufe20-\\ufe2f';
/** Vowels and last consonants of Korean syllables. */
const JAMO = '\\u1161-\\u1175\\u11a8-\\u11c2';
/** The first halves of characters beyond the basic plane that decompose. */
const HALVES = '\\ud801\\ud804-\\ud81b\\ud834\\ud87e';
const marks = new RegExp(`[${MARKS}]+`, 'g');
const mark = new RegExp(`^[${MARKS}]`);
/** A term that `accents` reads as nothing, and that is never found so. */
export const marksAlone = new RegExp(`^[${MARKS}\\s]*[${MARKS}][${MARKS}\\s]*$`);

/**
 * Letters without a decomposition, as they are typed where they are missing, and the Persian forms
 * of two Arabic ones.
 */
export const plainLetters: ReadonlyMap<string, string> = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ی: 'ي', ک: 'ك' }),
);

/** Ranges of the characters that decompose, except Korean syllables, which stay as they are. */
const ranges = [
  [0xc0, 0x30ff],
  [0xf900, 0xfb4f],
  [0x105c9, 0x105e4],
  [0x1109a, 0x16d6a],
  [0x1d15e, 0x1d1c0],
  [0x2f800, 0x2fa1d],
] as const;

interface Tables {
  /** Maps a code point to the one other code point that it is read as. */
  readonly folds: ReadonlyMap<number, number>;
  /**
   * Maps a character to its reading, where that is several, or the character is beyond the basic
   * plane.
   */
  readonly several: ReadonlyMap<string, string>;
  /**
   * Matches a text to rewrite: one with a letter read as several, a mark or other part, or half of
   * a character.
   */
  readonly rewrites: RegExp;
  readonly runs: RegExp;
}

let tables: Tables | undefined;

function readTables(): Tables {
  const folds = new Map<number, number>();
  const several = new Map<string, string>();
  // Characters that compose with the one before and are not marks, such as sound marks of Kana.
  const marks = new Set<string>();
  for (const [first, last] of ranges) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      const folded = caseFold(character);
      const decomposed = folded.normalize('NFD');
      if (!plainLetters.has(folded) && decomposed === folded) continue;
      const plain = [...composed(folded)]
        .map((letter) => plainLetters.get(caseFold(letter)) ?? caseFold(letter))
        .join('');
      if (decomposed.normalize('NFC') === folded)
        for (const mayBeMark of [...decomposed].slice(1)) if (!mark.test(mayBeMark)) marks.add(mayBeMark);
      if (plain === folded || plain === '') continue;
      if (plain.length > 1 || code > 0xffff) several.set(character, plain);
      else folds.set(code, plain.codePointAt(0)!);
    }
  }
  const belonging = MARKS + JAMO + [...marks].join('');
  const rewritten = [...several.keys()].join('');
  const isPlain = (character: string) => character.length === 1;
  const plainOnes = [...marks, ...several.keys()].filter(isPlain).join('');
  return {
    folds,
    several,
    runs: new RegExp(`[^${belonging}]?[${belonging}]+|[${rewritten}]`, 'gu'),
    rewrites: new RegExp(`[${MARKS}${JAMO}${HALVES}${plainOnes}]`),
  };
}

function caseFold(character: string): string {
  const code = character.codePointAt(0)!;
  return String.fromCodePoint(caseFolds.get(code) ?? code);
}

/** Few characters without their marks, composed. */
function composed(characters: string): string {
  return characters.normalize('NFD').replace(marks, '').normalize('NFC');
}

/**
 * Returns the letter, case folded, of each code point of the basic plane for which case folding
 * gives another.
 */
export function accentFolds(): ReadonlyMap<number, number> {
  tables ??= readTables();
  return tables.folds;
}

/**
 * A text with its letters composed and without marks, for comparison by `accentFolds`; undefined
 * when that changes nothing.
 */
export function withoutAccents(text: string): RewrittenText | undefined {
  tables ??= readTables();
  return tables.rewrites.test(text) ? rewrite(text, bareLetters(text, tables)) : undefined;
}

/**
 * The letters of a text with what belongs to them. One by one, since to put many marks in order
 * takes more than linear time.
 */
function* bareLetters(text: string, { runs, several }: Tables): Generator<Piece> {
  for (const { 0: run, index } of text.matchAll(runs)) {
    let start = index;
    let end = index;
    let letter = '';
    for (const character of run) {
      if (!mark.test(character)) {
        const joined = letter === '' ? composed(character) : (letter + character).normalize('NFC');
        if (letter === '' || [...joined].length > 1) {
          yield { start, end, read: several.get(letter) ?? letter };
          start = end;
          letter = letter === '' ? joined : character;
        } else letter = joined;
      }
      end += character.length;
    }
    yield { start, end, read: several.get(letter) ?? letter };
  }
}

/**
 * What `folding: 'accents'` reads beyond case: letters of Latin, Greek, Cyrillic, Arabic and Hebrew without their marks, a tatweel as
 * nothing, a few letters that no decomposition takes apart as the plain ones, and canonically equivalent spellings as one.
 *
 * A letter of the basic plane that is read as one other is an entry of the folding, as those of case are (`accentFolds`), so texts
 * of composed letters are scanned as they are. Texts that hold a mark, a tatweel, or a letter that is read as several are rewritten
 * before they are scanned (`withoutAccents`). A mark belongs to the character before it, whatever that is.
 *
 * INVARIANT: `folding: 'hardened'` matches what this does. Its marks include these (`obfuscation/decompositions.ts`).
 *
 * Example: `Łódź` is `lodz` by the folding alone; `Ło\u0301dź` is read as `Łodź`, whose third letter stands for the span 1 to 3.
 */
import { caseFolds } from './case-folding.js';
import { type Piece, type RewrittenText, rewrite } from './rewritten-text.js';

/** As the inside of a class: the marks, with those of no script, and the tatweel. The Greek iota below is a letter, by case folding. */
const MARKS =
  '\\u0300-\\u0344\\u0346-\\u034e\\u0350-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7' +
  '\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u0897-\\u089f' +
  '\\u08ca-\\u08e1\\u08e3-\\u08ff\\u1ab0-\\u1add\\u1ae0-\\u1aeb\\u1dc0-\\u1dff\\u20d0-\\u20e2\\u20e4-\\u20f0\\u2de0-\\u2dff\\ua66f-\\ua672' +
  '\\ua674-\\ua67d\\ua69e\\ua69f\\ufb1e\\ufe20-\\ufe2f';
/** The same of other characters that compose with the one before: such as sound marks of Kana, consonants and vowels of Korean. */
const PARTS =
  '\\u0345\\u093c\\u09be\\u09d7\\u0b3e\\u0b56\\u0b57\\u0bbe\\u0bd7\\u0c56\\u0cc2\\u0cd5\\u0cd6\\u0d3e\\u0d57\\u0dca\\u0dcf' +
  '\\u0ddf\\u102e\\u1161-\\u1175\\u11a8-\\u11c2\\u1b35\\u3099\\u309a';
const marks = new RegExp(`[${MARKS}]+`, 'g');
const mark = new RegExp(`^[${MARKS}]`);

/** Letters without a decomposition, as they are typed where they are missing, and the Persian forms of two Arabic ones. */
export const plainLetters: ReadonlyMap<string, string> = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ی: 'ي', ک: 'ك' }),
);

/** Where the characters of the basic plane stand that decompose, but for Korean syllables, which are as they are. */
const ranges = [
  [0xc0, 0x30ff],
  [0xf900, 0xfb4f],
] as const;

interface Tables {
  /** By code point: what it is read as, where that is one other code point. */
  readonly folds: ReadonlyMap<number, number>;
  /** By character: what it is read as, where that is several. */
  readonly several: ReadonlyMap<string, string>;
  /** What a text holds that is rewritten: a letter that is several, or a character with what belongs to it. */
  readonly rewrites: RegExp;
  readonly runs: RegExp;
}

let tables: Tables | undefined;

function readTables(): Tables {
  const folds = new Map<number, number>();
  const several = new Map<string, string>();
  for (const [first, last] of ranges) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      const folded = caseFold(character);
      if (!plainLetters.has(folded) && folded.normalize('NFD') === folded) continue;
      const plain = [...composed(folded)]
        .map((letter) => plainLetters.get(caseFold(letter)) ?? caseFold(letter))
        .join('');
      if (plain.length > 1) several.set(character, plain);
      else if (plain !== folded && plain !== '') folds.set(code, plain.codePointAt(0)!);
    }
  }
  const ligatures = [...several.keys()].join('');
  return {
    folds,
    several,
    runs: new RegExp(`[^${MARKS}${PARTS}]?[${MARKS}${PARTS}]+|[${ligatures}]`, 'gu'),
    rewrites: new RegExp(`[${MARKS}${PARTS}${ligatures}]`),
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

/** By code point of the basic plane: the letter that it is read as, case folded, where case folding gives another. */
export function accentFolds(): ReadonlyMap<number, number> {
  tables ??= readTables();
  return tables.folds;
}

/** By character: what it is read as, case folded, where that is several letters. */
export function severalLetters(): ReadonlyMap<string, string> {
  tables ??= readTables();
  return tables.several;
}

/** A text with its letters composed and without marks, for comparison by `accentFolds`; undefined when that changes nothing. */
export function withoutAccents(text: string): RewrittenText | undefined {
  tables ??= readTables();
  return tables.rewrites.test(text) ? rewrite(text, bareLetters(text, tables)) : undefined;
}

/** The letters of a text with what belongs to them. One by one, since to put many marks in order takes more than linear time. */
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

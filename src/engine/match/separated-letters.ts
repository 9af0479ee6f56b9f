/**
 * Reads a text of Chinese, Japanese, Korean, Thai and the like without what separates its letters
 * in disguise: `操 你 妈`, `大*麻`, `操.你.妈`. Words that are written without spaces may have a separator
 * anywhere, so what is usual between two letters of such a text stays:
 *
 * - White space is removed between two letters that stand alone.
 * - A *rare* sign, which no such text has between two letters (`*`, `_`, `|`, `+`, `^`, `=`, `\`),
 *   is removed between any two.
 * - Another sign is as often punctuation (`大.麻烦`). It is removed between two letters that stand
 *   alone, and where it separates three in a row.
 * - Between Korean syllables signs alone are removed, and only if both stand alone: with spaces
 *   they are words (`김 씨 발`).
 *
 * A separator is one character, or two or three that are the same. A letter has its marks with it.
 *
 * Cost: a step for each character; nothing for texts of Latin-1, which V8 knows by their storage.
 */
import { type Piece, type RewrittenText, rewrite } from './rewritten-text.js';
import { spaceless } from './word-edges.js';

const { codePointAt } = String.prototype;

/**
 * Classes of characters: the two kinds of letters, what else belongs to words, and separators. The
 * others are edges.
 */
const EDGE = 1;
const LETTER = 2;
const SYLLABLE = 3;
const WORD = 4;
/**
 * A mark of a script that is written without spaces. It belongs to the letter before, or is one.
 */
const MARK = 5;
const WHITE = 6;
const RARE = 7;
const SIGN = 8;

/** The longest separator. */
const LONGEST = 3;

const classes: readonly (readonly [RegExp, number])[] = [
  [/^[가-힣]$/, SYLLABLE],
  [/^[\p{L}\p{N}\p{M}]$/u, WORD],
  [/^\s$/, WHITE],
  [/^[*_|+^=\\＊＿｜＋＾＝＼]$/, RARE],
  [/^[.!?\-/~#@&%$'"·•‧∙・．！？－／～＃＠＆％＄\p{Extended_Pictographic}]$/u, SIGN],
];
const mark = /^\p{M}$/u;
/** Blocks of scripts without spaces, and of Korean. */
const separable = /[\u0e00-\u1fff\u2e80-\ud7ff\uf900-\ufaff\uff60-\uffdf\ud82c\ud840-\ud8ff]/;

/** Classes by code point, each tested once and then kept: 64 KB for each plane that occurs. */
const known: (Uint8Array | undefined)[] = [];

function classOf(code: number): number {
  known[code >>> 16] ??= new Uint8Array(0x10000);
  const plane = known[code >>> 16]!;
  return plane[code & 0xffff]! || learn(code, plane);
}

/** Describes a character; apart from the scan, which must not allocate closures. */
function learn(code: number, plane: Uint8Array): number {
  const character = String.fromCodePoint(code);
  const characterClass = classes.find(([pattern]) => pattern.test(character))?.[1] ?? EDGE;
  const isLetter = characterClass === WORD && spaceless.test(character);
  plane[code & 0xffff] = isLetter ? (mark.test(character) ? MARK : LETTER) : characterClass;
  return plane[code & 0xffff]!;
}

/**
 * Reports whether a separator may stand within a term: whether it has two letters or two syllables
 * in a row.
 */
export function mayBeSeparated(term: string): boolean {
  let before = EDGE;
  for (const character of term) {
    const kind = kindOf(classOf(character.codePointAt(0)!));
    if (kind === before && isLetter(kind)) return true;
    before = kind;
  }
  return false;
}

/** A separator between two letters or two syllables. */
interface Gap {
  readonly start: number;
  readonly end: number;
  /** The class of the separator, and of what it separates. */
  readonly by: number;
  readonly separates: number;
  /** Whether neither of the letters has a character of a word on its other side. */
  readonly standAlone: boolean;
}

/** Returns a text without the separators between its letters, or undefined when it has none. */
export function withoutSeparators(text: string): RewrittenText | undefined {
  const gaps = separable.test(text) ? gapsIn(text) : undefined;
  return gaps && withoutGaps(text, gaps);
}

function withoutGaps(text: string, gaps: readonly Gap[]): RewrittenText | undefined {
  const isInRow = (at: number) => gaps[at]?.by === SIGN && follows(text, gaps[at - 1], gaps[at]);
  const removed = gaps.filter(({ separates, by, standAlone }, at) => {
    if (standAlone) return true;
    return separates === LETTER && (by === RARE || isInRow(at) || isInRow(at + 1));
  });
  return rewrite(
    text,
    removed.map(({ start, end }): Piece => ({ start, end, read: '' })),
  );
}

/** Reports whether one letter stands between two gaps, which have the same separator. */
function follows(text: string, before: Gap | undefined, gap: Gap): boolean {
  if (before === undefined || letterEnd(text, before.end) !== gap.start) return false;
  return text.slice(before.start, before.end) === text.slice(gap.start, gap.end);
}

/** Reports whether white space was removed between two offsets of a text. */
export function isSpaced(text: string, { changes }: RewrittenText, start: number, end: number): boolean {
  return changes.some((change) => change.start >= start && change.end <= end && classAt(text, change.start) === WHITE);
}

/** Returns the gaps of a text, or undefined when it has none: most texts allocate nothing. */
function gapsIn(text: string): Gap[] | undefined {
  let gaps: Gap[] | undefined;
  let before = EDGE;
  /** The class of the character in front of the last letter. */
  let inFront = EDGE;
  for (let at = 0; at < text.length; ) {
    const code = codePointAt.call(text, at)!;
    const characterClass = classOf(code);
    const separates = kindOf(before);
    if (characterClass >= WHITE && isLetter(separates) && (characterClass !== WHITE || separates === LETTER)) {
      const end = separatorEnd(text, at, code);
      if (end > at && kindOf(classAt(text, end)) === separates) {
        const standAlone = !belongsToWord(inFront) && !belongsToWord(classAt(text, letterEnd(text, end)));
        gaps ??= [];
        gaps.push({ start: at, end, by: characterClass, separates, standAlone });
      }
    }
    if (characterClass !== MARK || separates !== LETTER) inFront = before;
    before = characterClass;
    at += code > 0xffff ? 2 : 1;
  }
  return gaps;
}

/** A mark that stands alone is read as a letter. */
const kindOf = (characterClass: number) => (characterClass === MARK ? LETTER : characterClass);
const isLetter = (kind: number) => kind === LETTER || kind === SYLLABLE;
const belongsToWord = (characterClass: number) => characterClass > EDGE && characterClass < WHITE;

function classAt(text: string, at: number): number {
  return at < text.length ? classOf(codePointAt.call(text, at)!) : EDGE;
}

/** Returns where a letter ends, with the marks after it, or a syllable. */
function letterEnd(text: string, at: number): number {
  const hasMarks = classAt(text, at) !== SYLLABLE;
  let end = at;
  do end += codePointAt.call(text, end)! > 0xffff ? 2 : 1;
  while (hasMarks && classAt(text, end) === MARK);
  return end;
}

/**
 * Returns where the separator ends that begins at an offset with a character; the offset itself if
 * it is too long to be one.
 */
function separatorEnd(text: string, start: number, code: number): number {
  const units = code > 0xffff ? 2 : 1;
  let end = start + units;
  while (end - start <= LONGEST * units && codePointAt.call(text, end) === code) end += units;
  return end - start > LONGEST * units ? start : end;
}

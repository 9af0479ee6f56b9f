import { foldCodePoint, foldText, isWhite, WHITE } from '../folding.js';
import { joinsWords } from '../word-edges.js';
import { composeLetters, hasParts } from './composed.js';
import { type Letter, lettersFrom, marksOf } from './letters.js';
import { classOf, looksLikeSign } from './likeness.js';
import { DOTTED_I, readingOf } from './readings.js';

/** A term, read like a text. */
export interface HardenedTerm {
  readonly letters: readonly Letter[];
  /** For each letter: it joins words; it is a letter, no digit; where the run of equal letters that it is in ends. */
  readonly joins: readonly boolean[];
  readonly spoken: readonly boolean[];
  readonly runEnds: readonly number[];
  /** For each letter: no digit and no sign looks like it, so that it is heard only where a letter is. */
  readonly onlyHeard: readonly boolean[];
  /** The first and the last character join words, as they are written: `™` does not, though it is read as letters. */
  readonly joinsBefore: boolean;
  readonly joinsBehind: boolean;
  /** The term after simple case folding, for what case alone matches. */
  readonly folded: readonly number[];
  /** How many letters from the start are one word. */
  readonly head: number;
  /** One word without digits or signs: to be read through `leet` it takes a letter as well. */
  readonly isSpoken: boolean;
  /** A run of letters may be drawn out that is neither the first one nor the last. */
  readonly isStretchable: boolean;
  /** May be spaced: one word of three letters or more. */
  readonly isSpaceable: boolean;
  /** Only case is folded: it begins or ends in white space, begins with a mark, or has no letter. */
  readonly isPlainOnly: boolean;
  /** A mark stands before the first letter, which a text has to have as well. */
  readonly beginsWithMark: boolean;
  /** Holds marks or ignorable characters where letters do not show them. */
  readonly isOdd: boolean;
  /** Some letter is written in parts: case alone finds what readings put together. */
  readonly isInParts: boolean;
}

const spokenLetter = /^\p{L}$/u;
/** By letter, once asked: a list of terms has few. */
const spokenLetters = new Map<number, boolean>();
/** A hidden character: between letters it leaves no trace in them. */
const beyondAscii = /[^\0-\x7f]/;
const hidden = /\p{Default_Ignorable_Code_Point}|^\p{M}/u;

function isSpokenLetter(letter: number): boolean {
  let is = spokenLetters.get(letter);
  if (is === undefined) {
    is = letter !== WHITE && spokenLetter.test(String.fromCodePoint(letter));
    spokenLetters.set(letter, is);
  }
  return is;
}

export function readTerm(term: string): HardenedTerm {
  const read = lettersFrom(composeLetters(term)?.text ?? term, 0);
  const letters: Letter[] = [];
  for (let letter = read(0); letter !== undefined; letter = read(letters.length)) letters.push(letter);
  const joins = letters.map(({ base }) => base !== WHITE && joinsWords(base));
  const runEnds = letters.map((_, index) => index + 1);
  for (let index = letters.length - 2; index >= 0; index--) {
    const one = letters[index]!;
    const next = letters[index + 1]!;
    if (one.base === next.base && String(requiredMarks(one)) === String(requiredMarks(next)))
      runEnds[index] = runEnds[index + 1]!;
  }
  const firstBreak = joins.indexOf(false);
  const head = firstBreak < 0 ? letters.length : firstBreak;
  const outer = [term.charCodeAt(0), term.charCodeAt(term.length - 1)];
  const outerWhite = outer.some(isWhite) || letters[0]?.base === WHITE || letters.at(-1)?.base === WHITE;
  const spoken = letters.map(({ base }) => isSpokenLetter(base));
  const isMarkFirst = beginsWithMark(term);
  const onlyHeard = letters.map(({ base }, index) => spoken[index]! && !looksLikeSign(base));
  return {
    letters,
    joins,
    spoken,
    onlyHeard,
    joinsBefore: joins[0] === true && joinsWords(letters[0]!.reading.code),
    joinsBehind: joins.at(-1) === true && joinsWords(letters.at(-1)!.reading.code),
    isSpoken: onlyHeard.every((is) => is),
    runEnds,
    isStretchable: spoken.some((is, at) => is && at >= runEnds[0]! && runEnds[at] !== letters.length),
    folded: foldText(term, 'case'),
    head,
    isSpaceable: head === letters.length && head >= 3,
    isPlainOnly: outerWhite || letters.length === 0 || isMarkFirst,
    beginsWithMark: isMarkFirst,
    isOdd: beyondAscii.test(term) && hidden.test(term),
    isInParts: hasParts(term),
  };
}

/** Whether a mark stands before the first letter, where no letter of a text could have it. */
function beginsWithMark(term: string): boolean {
  if (!beyondAscii.test(term)) return false;
  for (const character of term) {
    const { kind } = readingOf(character.codePointAt(0)!);
    if (kind !== 'ignorable') return kind === 'mark';
  }
  return false;
}

/** Marks that a text must have as well. The dot of `İ` is none: in Turkish it is the `i`'s own. */
export function requiredMarks(letter: Letter): readonly number[] {
  return letter.reading.code === DOTTED_I ? letter.marks : marksOf(letter);
}

/** Whether there are such marks. */
export function requiresMarks({ reading, index, marks }: Letter): boolean {
  return marks.length > 0 || (reading.code !== DOTTED_I && index === reading.bearer && reading.marks.length > 0);
}

/** Where the term ends that a text holds at `start`, when case alone makes them equal; else -1. */
export function plainEnd({ folded }: HardenedTerm, text: string, start: number): number {
  let at = start;
  for (const symbol of folded) {
    if (at >= text.length) return -1;
    const code = text.codePointAt(at)!;
    if (symbol === WHITE) {
      if (!isWhite(code)) return -1;
      while (at < text.length && isWhite(text.charCodeAt(at))) at++;
    } else {
      if (foldCodePoint(code, 'case') !== symbol || isWhite(code)) return -1;
      at += code > 0xffff ? 2 : 1;
    }
  }
  return at;
}

/** The classes of some letters, repetitions left out, mixed to one number. */
export function mixClass(hash: number, letterClass: number): number {
  return Math.imul(Math.imul(hash ^ letterClass, 0x9e3779b1) ^ 0x85ebca6b, 33) ^ (hash >>> 15);
}

/** The key of the first `count` letters, and of how many different letters in a row it is made. */
export function keyOfLetters(letters: readonly Letter[], count: number) {
  let key = 0;
  let groups = 0;
  let last: number | undefined;
  for (let index = 0; index < count; index++) {
    const letterClass = classOf(letters[index]!.base);
    if (letterClass === last) continue;
    key = mixClass(key, letterClass);
    last = letterClass;
    groups++;
  }
  return { key, groups };
}

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
  /** May be spaced: one word of three letters or numbers or more. */
  readonly isSpaceable: boolean;
  /**
   * Only case is folded: it begins or ends in white space, begins with a mark, or has no letter but those that symbols are
   * read as.
   */
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
const letterOrNumber = /[\p{L}\p{N}]/u;
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
  return new ReadTerm(term);
}

/** Lists are made when they are asked for: while many terms are compiled, each is read six times, for a part of it. */
class ReadTerm implements HardenedTerm {
  readonly letters: readonly Letter[];
  readonly head: number;
  readonly joinsBefore: boolean;
  readonly joinsBehind: boolean;
  readonly beginsWithMark: boolean;
  readonly isPlainOnly: boolean;
  readonly isSpaceable: boolean;
  readonly #term: string;
  #joins: readonly boolean[] | undefined;
  #spoken: readonly boolean[] | undefined;
  #onlyHeard: readonly boolean[] | undefined;
  #runEnds: readonly number[] | undefined;
  #folded: readonly number[] | undefined;
  #isSpoken: boolean | undefined;
  #isStretchable: boolean | undefined;

  constructor(term: string) {
    this.#term = term;
    const read = lettersFrom(composeLetters(term)?.text ?? term, 0);
    const letters: Letter[] = [];
    for (let letter = read(0); letter !== undefined; letter = read(letters.length)) letters.push(letter);
    const firstBreak = letters.findIndex((letter) => !joinsOthers(letter));
    const [first, last] = [letters[0], letters.at(-1)];
    const outerWhite =
      isWhite(term.charCodeAt(0)) ||
      isWhite(term.charCodeAt(term.length - 1)) ||
      isWhiteLetter(first) ||
      isWhiteLetter(last);
    this.letters = letters;
    this.head = firstBreak < 0 ? letters.length : firstBreak;
    this.joinsBefore = first !== undefined && joinsOthers(first) && joinsWords(first.reading.code);
    this.joinsBehind = last !== undefined && joinsOthers(last) && joinsWords(last.reading.code);
    this.beginsWithMark = beginsWithMark(term);
    this.isPlainOnly = outerWhite || letters.length === 0 || this.beginsWithMark || isOfSymbols(term, letters);
    this.isSpaceable = this.head === letters.length && this.head >= 3 && letters.every(isLetterOrNumber);
  }

  get joins(): readonly boolean[] {
    this.#joins ??= this.letters.map(joinsOthers);
    return this.#joins;
  }

  get spoken(): readonly boolean[] {
    this.#spoken ??= this.letters.map(({ base }) => isSpokenLetter(base));
    return this.#spoken;
  }

  get onlyHeard(): readonly boolean[] {
    this.#onlyHeard ??= this.letters.map(({ base }) => isSpokenLetter(base) && !looksLikeSign(base));
    return this.#onlyHeard;
  }

  get runEnds(): readonly number[] {
    this.#runEnds ??= runEndsOf(this.letters);
    return this.#runEnds;
  }

  get folded(): readonly number[] {
    this.#folded ??= foldText(this.#term, 'case');
    return this.#folded;
  }

  get isSpoken(): boolean {
    this.#isSpoken ??= this.onlyHeard.every((is) => is);
    return this.#isSpoken;
  }

  get isStretchable(): boolean {
    const { letters, runEnds, spoken } = this;
    this.#isStretchable ??= spoken.some((is, at) => is && at >= runEnds[0]! && runEnds[at] !== letters.length);
    return this.#isStretchable;
  }

  get isOdd(): boolean {
    return beyondAscii.test(this.#term) && hidden.test(this.#term);
  }

  get isInParts(): boolean {
    return hasParts(this.#term);
  }
}

/** Whether letters are read of symbols alone, as of a flag: it is that flag, and no word. */
function isOfSymbols(term: string, letters: readonly Letter[]): boolean {
  return beyondAscii.test(term) && !letterOrNumber.test(term) && letters.some(({ base }) => isSpokenLetter(base));
}

/** No vowel sign of Indian scripts, which is nothing without its letter, and no `_`, which stands between letters. */
const isLetterOrNumber = ({ base }: Letter) => isSpokenLetter(base) || letterOrNumber.test(String.fromCodePoint(base));
const joinsOthers = ({ base }: Letter) => base !== WHITE && joinsWords(base);
const isWhiteLetter = (letter: Letter | undefined) => letter?.base === WHITE;

function runEndsOf(letters: readonly Letter[]): number[] {
  const runEnds = letters.map((_, index) => index + 1);
  for (let index = letters.length - 2; index >= 0; index--) {
    const one = letters[index]!;
    const next = letters[index + 1]!;
    if (one.base === next.base && String(requiredMarks(one)) === String(requiredMarks(next)))
      runEnds[index] = runEnds[index + 1]!;
  }
  return runEnds;
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

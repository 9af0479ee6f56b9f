/**
 * Reads words with signs in them, as `f.uck` or `(f)(u)(c)(k)`, and words with signs for letters, as `f**k`: alone, or as words of a
 * phrase. Both are read by an alignment of their own, of the letters that are left and of letters of which some stand for any.
 *
 * A *token* is the text between white space; signs around it are not a part of the word. A term has to be one token or several, each
 * as a whole, whatever its sides need, for in a part of one the signs of clean texts would do the same (`as-soon`). No sign or digit is
 * a letter here (`A-55`).
 *
 * - A word is *interrupted* by one sign or two in one place or more. An apostrophe is not such a sign: `he'll` is not `hell`. Within a
 *   phrase signs stand around interrupted words alone: `(b)(u)(y) now`.
 * - A word is *masked* when `*` or `#` stand for a letter each and no other sign is in it. Its first letter and half of all are there.
 *   Only the middle one of three letters is masked, and by `*`: `C#m` is a chord. Emphasis and footnotes end with masks, too: those at
 *   the end count where no mask stands before in the text, and one alone in words of `LONG` letters or more.
 *
 * Invariant: tokens are read once and in order, and each is looked at once by each reading.
 */
import { WHITE } from '../folding.js';
import { Alignment, ANY } from './alignment.js';
import { apostrophes, isMask, isSign, masks } from './isolation-classes.js';
import { type Letter, LetterReader, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import type { MatchMode, Occurrence } from './occurrence.js';
import type { OpenTerms } from './open-terms.js';
import { BREAKABLE, FEWEST_SPACED, MASKABLE } from './term-letters.js';
import { INTERRUPTED, JOINED, LEET, MASKED } from './transforms.js';

/** So many signs may stand in one place: as many as between two letters in brackets. */
const MOST_SIGNS = 2;
/** The fewest letters of a word of which the last alone is masked. */
const LONG = 5;
const NUMBER_SIGN = 0x23;

/** The letters of all tokens that were read, with white space between them, in one of the two ways. */
interface Reading {
  readonly transform: number;
  /** A flag of terms that may be read so. */
  readonly flag: number;
  readonly letters: Letter[];
  readonly alignment: Alignment;
  /** Index of the first letter of each token's word. */
  readonly firsts: number[];
  /** Token whose word ends at an offset. */
  readonly ends: Map<number, number>;
  /** 1 for each token that needs this reading: one that is interrupted, or masked. */
  readonly applies: number[];
}

export class TokenScan {
  readonly #lexicon: Lexicon;
  readonly #text: string;
  readonly #reader: LetterReader;
  readonly #interrupted: Reading;
  readonly #masked: Reading;
  /** Offsets of the tokens that were read. */
  readonly #starts: number[] = [];
  #read = 0;
  #done = 0;
  /** Something hidden stood before a sign that was left out. */
  #hidden = false;

  /** `from`: where a token begins. */
  constructor(
    lexicon: Lexicon,
    text: string,
    from: number,
    found: { readonly work: Work; readonly open?: OpenTerms | undefined },
  ) {
    this.#lexicon = lexicon;
    this.#text = text;
    this.#reader = new LetterReader(text, found.work, from);
    const readingOf = (transform: number, flag: number, mode: MatchMode): Reading => {
      const letters: Letter[] = [];
      const at = (index: number) => {
        while (index >= letters.length && this.#readToken());
        return letters[index];
      };
      const alignment = new Alignment(lexicon, text, { at }, mode, found);
      return { transform, flag, letters, alignment, firsts: [], ends: new Map(), applies: [] };
    };
    this.#interrupted = readingOf(INTERRUPTED, BREAKABLE, 'spaced');
    this.#masked = readingOf(MASKED, MASKABLE, 'masked');
  }

  /** Returns the offset before which every letter is read. */
  get readTo(): number {
    return this.#reader.readTo;
  }

  /** Yields the occurrences that begin in a token before an offset and were not yielded: for each token those of interrupted words first. */
  *before(offset: number): Generator<Occurrence> {
    for (; this.#done < this.#starts.length || this.#readToken(); this.#done++) {
      if (this.#starts[this.#done]! >= offset) return;
      yield* this.#from(this.#done, this.#interrupted);
      yield* this.#from(this.#done, this.#masked);
    }
  }

  #from(token: number, { transform, flag, alignment, firsts, ends, applies }: Reading): readonly Occurrence[] {
    return alignment.from(firsts[token]!).flatMap((occurrence) => {
      const { term, end, transforms } = occurrence;
      const isRead = applies.slice(token, (ends.get(end) ?? -1) + 1).includes(1);
      if (!isRead || (transforms & (LEET | JOINED)) !== 0 || !this.#lexicon.is(term, flag)) return [];
      return { ...occurrence, transforms: transforms | transform };
    });
  }

  /** Reads one more token, with the white space before it. Returns false at the end of the text. */
  #readToken(): boolean {
    const letters: Letter[] = [];
    let letter = this.#reader.at(this.#read);
    if (letter?.base === WHITE) {
      this.#interrupted.letters.push(this.#hidden ? { ...letter, ignoredBefore: true } : letter);
      this.#masked.letters.push(letter);
      letter = this.#reader.at(++this.#read);
    }
    for (; letter !== undefined && letter.base !== WHITE; letter = this.#reader.at(++this.#read)) letters.push(letter);
    if (letters.length === 0) return false;
    this.#hidden = false;
    const first = letters.findIndex((one) => !isOuter(one));
    const last = letters.findLastIndex((one) => !isOuter(one));
    const isEmphasis = letters.slice(0, Math.max(first, 0)).some(isMask);
    // A mask at the beginning is emphasis: `**word**`.
    const lastMask = isEmphasis ? last : letters.findLastIndex((one) => !isOuter(one) || isMask(one));
    const isMasked = first >= 0 && areMasksInBounds(this.#text, letters.slice(first, lastMask + 1));
    const isInterrupted = first >= 0 && hasSigns(letters.slice(first, last + 1));
    const token = this.#starts.push(letters[0]!.from) - 1;
    const add = ({ letters: all, firsts, ends, applies }: Reading, applied: boolean, from: number, end: number) => {
      firsts.push(all.length + from);
      applies.push(applied ? 1 : 0);
      if (first >= 0) ends.set(letters[end]!.end, token);
    };
    add(this.#interrupted, isInterrupted, isInterrupted ? 0 : first, last);
    add(this.#masked, isMasked, first, isMasked ? lastMask : last);
    if (isInterrupted) this.#addWithoutSigns(letters, first, last);
    for (const [at, one] of letters.entries()) {
      if (!isInterrupted) this.#interrupted.letters.push(one);
      const isAny = isMasked && at > first && at <= lastMask && isMask(one);
      this.#masked.letters.push(isAny ? { ...one, base: ANY } : one);
    }
    return true;
  }

  #addWithoutSigns(letters: readonly Letter[], first: number, last: number): void {
    for (const [at, letter] of letters.entries()) {
      if (at < first || at > last || isSign(letter.decomposition.code)) this.#hidden ||= letter.ignoredBefore;
      else {
        this.#interrupted.letters.push(this.#hidden ? { ...letter, ignoredBefore: true } : letter);
        this.#hidden = false;
      }
    }
  }
}

/** Reports whether letters from the first to the last of a token are an interrupted word. */
function hasSigns(letters: readonly Letter[]): boolean {
  let signs = 0;
  let all = 0;
  let before: Letter | undefined;
  for (const letter of letters) {
    if (isSign(letter.decomposition.code)) {
      all++;
      if (++signs > MOST_SIGNS || letter.marks.length > 0 || isOfTag(before, letter)) return false;
    } else signs = 0;
    before = letter;
  }
  return all > 0 && letters.length - all >= FEWEST_SPACED;
}

/** Reports whether letters from the first of a word to the last one, or to the last mask, have masks as a masked word has. */
function areMasksInBounds(text: string, letters: readonly Letter[]): boolean {
  const count = letters.length;
  const masked = letters.filter(isMask);
  if (masked.length === 0 || count < FEWEST_SPACED || 2 * masked.length > count) return false;
  if (masked.some(({ marks }) => marks.length > 0)) return false;
  if (count === FEWEST_SPACED && masked[0]!.base === NUMBER_SIGN) return false;
  const ending = count - 1 - letters.findLastIndex((letter) => !isMask(letter));
  if (ending === 0) return true;
  return (ending > 1 || count >= LONG) && firstMaskIn(text) >= letters[0]!.from;
}

/** The text that was looked at last, and where its first mask stands: many words of it may end with masks. */
let lookedAt = '';
let firstMask = -1;

/** Returns where the first sign of a text stands that may be a mask, or -1. */
export function firstMaskIn(text: string): number {
  if (lookedAt !== text) {
    lookedAt = text;
    firstMask = -1;
    // Not by a regular expression: its match is an object for every text.
    for (let index = 0; index < masks.length; index++) {
      const found = text.indexOf(masks[index]!);
      if (found >= 0 && (firstMask < 0 || found < firstMask)) firstMask = found;
    }
  }
  return firstMask;
}

const [SMALL_A, SMALL_Z] = [0x61, 0x7a];

/** Reports whether a letter as it was read is not a part of a word where it stands beside one. */
function isOuter({ base, decomposition: { code } }: Letter): boolean {
  if (base >= SMALL_A && base <= SMALL_Z) return false;
  return isSign(code) || apostrophes.has(base);
}

/** Reports whether two signs are where a tag of markup ends something: `Us</a>`. */
function isOfTag(before: Letter | undefined, { base }: Letter): boolean {
  return before?.base === 0x3c && base === 0x2f;
}

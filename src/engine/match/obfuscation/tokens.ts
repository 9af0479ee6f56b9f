/**
 * Reads words with signs in them, as `f.uck` or `(f)(u)(c)(k)`, and words with signs for letters, as `f**k`: alone, or as words of a
 * phrase.
 *
 * A *token* is what white space bounds on both sides; signs around it are none of the word. A term has to be one token or several, each
 * as a whole, whatever its sides need, for in a part of one the signs of clean texts would do the same (`as-soon`). A word is
 * *interrupted* by one sign or two in one place or more. Apostrophes are no such signs: `he'll` is no `hell`. It is *masked* when `*` or `#`
 * stand for a letter each and no other sign is in it (`masked-words.ts`). No sign or digit is a letter here (`A-55`). Within a phrase
 * signs stand around interrupted words alone: `(b)(u)(y) now`.
 */
import { WHITE } from '../folding.js';
import { Alignment } from './alignment.js';
import { isApostrophe, isMask, isSign } from './isolation-classes.js';
import { type Letter, LetterReader, type Letters, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { areMasksInBounds, maskedEnds, withMasks } from './masked-words.js';
import { type Occurrence, occurrenceOf } from './occurrence.js';
import type { OpenTerms } from './open-terms.js';
import { BREAKABLE, FEWEST_SPACED } from './term-letters.js';
import { INTERRUPTED, JOINED, LEET } from './transforms.js';

/** So many signs may stand in one place: as many as between two letters in brackets. */
const MOST_SIGNS = 2;

interface Token {
  readonly from: number;
  /** Index of its first letter among letters without signs, and among those with masks. */
  readonly first: number;
  readonly firstMasked: number;
  readonly isInterrupted: boolean;
}

export class TokenScan {
  readonly #lexicon: Lexicon;
  readonly #text: string;
  readonly #reader: LetterReader;
  readonly #found: { readonly work: Work; readonly open?: OpenTerms | undefined };
  readonly #alignment: Alignment;
  readonly #tokens: Token[] = [];
  /** Token whose word, without signs, ends at an offset; and ends of words with masks. */
  readonly #ends = new Map<number, number>();
  readonly #maskedEnds = new Set<number>();
  readonly #words: Letter[] = [];
  readonly #masked: Letter[] = [];
  #read = 0;
  #done = 0;
  /** The start that was looked at last, and the terms that are there with nothing left out. */
  #together: { readonly start: number; readonly terms: ReadonlySet<number> } = { start: -1, terms: new Set() };
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
    this.#found = found;
    this.#reader = new LetterReader(text, found.work, from);
    this.#alignment = new Alignment(lexicon, text, this.#lettersOf(this.#words), 'spaced', found);
  }

  /** No letter that begins before this offset is unread. */
  get readTo(): number {
    return this.#reader.readTo;
  }

  /** The occurrences that begin in a token before an offset, and were not returned: of a term that of interrupted words, or else of masked ones. */
  *before(offset: number): Generator<Occurrence> {
    for (; this.#done < this.#tokens.length || this.#readToken(); this.#done++) {
      if (this.#tokens[this.#done]!.from >= offset) return;
      const found = [...this.#interruptedFrom(this.#done), ...this.#maskedFrom(this.#tokens[this.#done]!)];
      yield* found.filter(({ term }, at) => found.findIndex((other) => other.term === term) === at);
    }
  }

  /** Whether a term that begins in a token is found there with nothing left out, too. */
  isTogether({ term, start }: Occurrence): boolean {
    if (this.#together.start !== start) {
      const letters = new LetterReader(this.#text, this.#found.work, start);
      const alignment = new Alignment(this.#lexicon, this.#text, letters, 'text', this.#found);
      this.#together = { start, terms: new Set(alignment.from(0).map((one) => one.term)) };
    }
    return this.#together.terms.has(term);
  }

  #interruptedFrom(token: number): readonly Occurrence[] {
    return this.#alignment
      .from(this.#tokens[token]!.first)
      .filter(({ term, end, transforms }) => {
        const last = this.#ends.get(end) ?? -1;
        const isInterrupted = this.#tokens.slice(token, last + 1).some((one) => one.isInterrupted);
        return isInterrupted && (transforms & (LEET | JOINED)) === 0 && this.#lexicon.is(term, BREAKABLE);
      })
      .map((occurrence) => ({ ...occurrence, transforms: occurrence.transforms | INTERRUPTED }));
  }

  #maskedFrom({ firstMasked }: Token): readonly Occurrence[] {
    const letters = this.#lettersOf(this.#masked);
    const start = letters.at(firstMasked)?.from ?? 0;
    return maskedEnds(this.#lexicon, letters, firstMasked, this.#found).flatMap(
      (end) => (this.#maskedEnds.has(end.end) && occurrenceOf(this.#lexicon, this.#text, 'spaced', start, end)) || [],
    );
  }

  #lettersOf(all: readonly Letter[]): Letters {
    return {
      at: (index) => {
        while (index >= all.length && this.#readToken());
        return all[index];
      },
    };
  }

  /** Reads one more token, with the white space before it; false when there is none. */
  #readToken(): boolean {
    const letters: Letter[] = [];
    let letter = this.#reader.at(this.#read);
    if (letter?.base === WHITE) {
      this.#words.push(this.#hidden ? { ...letter, ignoredBefore: true } : letter);
      this.#masked.push(letter);
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
    this.#tokens.push({
      from: letters[0]!.from,
      first: this.#words.length + (isInterrupted ? 0 : first),
      firstMasked: this.#masked.length + first,
      isInterrupted,
    });
    if (first >= 0) {
      this.#ends.set(letters[last]!.end, this.#tokens.length - 1);
      this.#maskedEnds.add(letters[isMasked ? lastMask : last]!.end);
    }
    if (isInterrupted) this.#addWithoutSigns(letters, first, last);
    else this.#words.push(...letters);
    this.#masked.push(...(isMasked ? withMasks(letters, first, lastMask) : letters));
    return true;
  }

  #addWithoutSigns(letters: readonly Letter[], first: number, last: number): void {
    for (const [at, letter] of letters.entries()) {
      if (at < first || at > last || isSign(letter.decomposition.code)) this.#hidden ||= letter.ignoredBefore;
      else {
        this.#words.push(this.#hidden ? { ...letter, ignoredBefore: true } : letter);
        this.#hidden = false;
      }
    }
  }
}

/** Whether letters from the first to the last of a token are an interrupted word. */
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

const [SMALL_A, SMALL_Z] = [0x61, 0x7a];

/** Whether a letter as it was read is none of a word where it stands beside one. */
function isOuter({ base, decomposition: { code } }: Letter): boolean {
  if (base >= SMALL_A && base <= SMALL_Z) return false;
  return isSign(code) || isApostrophe(base);
}

/** Whether two signs are where a tag of markup ends something: `Us</a>`. */
function isOfTag(before: Letter | undefined, { base }: Letter): boolean {
  return before?.base === 0x3c && base === 0x2f;
}

/**
 * Finds terms in a text as it was sent and, where it may be read in another way, once more as it is
 * read then: a matcher over another one.
 *
 * An occurrence of the second scan counts if something was removed inside of it, and the first scan
 * visited none of the same term that begins there. So the first scan decides everything that it
 * finds, and visitors get that before the rest. A visitor that ends the first scan ends both.
 *
 * Cost: nothing for a text that is read in no other way; for one that is, a scan up to the first
 * occurrence of that kind, and two more if there is one.
 *
 * Example, without the signs of formatting (`formatting.ts`) and with the term `kill yourself`:
 * `kill **your**self` holds none as it is; without its signs it holds one from 0 to 13, which is
 * the stretch from 0 to 17 of the text as it was sent.
 */
import { withoutFormatting } from './formatting.js';
import { FORMATTING, INTERRUPTED, SPACED } from './hardened/transforms.js';
import { Advice, type ClosedTerms, type KeywordMatcher, type OnTerm, type RereadableMatcher } from './keyword-scan.js';
import type { PatternDfa } from './patterns/lazy-dfa.js';
import type { RewrittenText } from './rewritten-text.js';
import { isSpaced, mayBeSeparated, withoutSeparators } from './separated-letters.js';

/**
 * Makes a matcher that finds what another one finds, and what that would find without the signs of
 * formatting. `isDear`: a scan of it takes so long that it must not be repeated.
 */
export function readFormatting(matcher: RereadableMatcher, isDear = false): RereadableMatcher {
  // A match that signs stand in has one after its beginning, where the matcher notes it.
  const read = (text: string) => (matcher.hasFormatting ? withoutFormatting(text) : undefined);
  const transformOf: TransformOf = (text, { changes }, [, from, to, transforms]) => {
    if (transforms === 0) return FORMATTING;
    // Beside signs that are not displayed no other sign is a letter: `@_maniac_` is no `amaniac`.
    const isBeside = changes.some(
      ({ start, end }) => start > from && end < to && (leetSign.test(text[start - 1]!) || leetSign.test(text[end]!)),
    );
    return isBeside ? 0 : FORMATTING;
  };
  return new RereadMatcher(matcher, read, transformOf, isDear);
}

/**
 * Makes a matcher that finds what another one finds, and what that would find without separators of
 * letters (`separated-letters.ts`). `terms` are those of the matcher; without one that separators
 * may stand in it is the matcher itself.
 */
export function readSeparated(matcher: RereadableMatcher, terms: readonly string[]): KeywordMatcher {
  const separable = Uint8Array.from(terms, (term) => (mayBeSeparated(term) ? 1 : 0));
  if (!separable.includes(1)) return matcher;
  const transformOf: TransformOf = (text, read, [term, start, end]) => {
    if (separable[term] === 0) return 0;
    return isSpaced(text, read, start, end) ? SPACED : INTERRUPTED;
  };
  return new RereadMatcher(matcher, withoutSeparators, transformOf, true);
}

/** Signs that are read as letters. */
const leetSign = /[@$!|+€¡]/;
/** More terms no matcher has. */
const TERMS = 1 << 22;
/** Keys are kept for the next text up to this number. */
const MAX_KEPT = 1 << 14;

/**
 * Returns the text as it is read in another way, or undefined when there is none. Called after the
 * first scan.
 */
type Read = (text: string) => RewrittenText | undefined;
/**
 * Returns the transform that led to an occurrence between two offsets of the text as it was sent; 0
 * if it does not count. `found` is the occurrence: term, offsets and transforms.
 */
type TransformOf = (text: string, read: RewrittenText, found: Parameters<OnTerm>) => number;

class RereadMatcher implements RereadableMatcher {
  readonly #matcher: RereadableMatcher;
  readonly #read: Read;
  readonly #transformOf: TransformOf;
  readonly #notes: boolean;
  /** Start and term of each occurrence of the first scan, if they are noted: the first `#count`. */
  readonly #keys: number[] = [];
  #count = 0;
  #onTerm: OnTerm = () => {};
  isEnded = false;
  /** Steps of the scans before the last one. */
  #before = 0;

  /**
   * `notes`: occurrences are noted at each visit of the first scan. Otherwise they are noted by a
   * scan of their own, once the second reading has found something: cheaper unless a scan is dear.
   */
  constructor(matcher: RereadableMatcher, read: Read, transformOf: TransformOf, notes: boolean) {
    this.#matcher = matcher;
    this.#read = read;
    this.#transformOf = transformOf;
    this.#notes = notes;
  }

  get steps(): number {
    return this.#before + this.#matcher.steps;
  }

  get hasFormatting(): boolean {
    return this.#matcher.hasFormatting;
  }

  createClosedTerms(): ClosedTerms {
    return this.#matcher.createClosedTerms();
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    this.#matcher.scan(text, this.#begin(onTerm), closed);
    this.#scanAgain(text, onTerm, closed);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    const isComplete = this.#matcher.scanWith(text, this.#begin(onTerm), dfa, closed);
    this.#scanAgain(text, onTerm, closed);
    return isComplete;
  }

  /** Begins a text. Returns the visitor of the first scan. */
  #begin(onTerm: OnTerm): OnTerm {
    this.#before = 0;
    if (!this.#notes) return onTerm;
    this.#onTerm = onTerm;
    if (this.#count > MAX_KEPT) this.#keys.length = 0;
    this.#count = 0;
    return this.#visit;
  }

  readonly #visit: OnTerm = (term, start, end, transforms) => {
    this.#keys[this.#count++] = start * TERMS + term;
    return this.#onTerm(term, start, end, transforms);
  };

  #scanAgain(text: string, onTerm: OnTerm, closed: ClosedTerms | undefined): void {
    this.isEnded = this.#matcher.isEnded;
    const read = this.isEnded ? undefined : this.#read(text);
    if (read !== undefined) this.#scanRead(text, read, onTerm, closed);
  }

  /** Scans the text as it is read; apart from the first scan, which must not allocate closures. */
  #scanRead(text: string, read: RewrittenText, onTerm: OnTerm, closed: ClosedTerms | undefined): void {
    const matcher = this.#matcher;
    const isChanged = (from: number, to: number) => read.sentOf(to - 1) + 1 - read.sentOf(from) !== to - from;
    this.#before = matcher.steps + text.length + read.text.length;
    if (!this.#notes) {
      matcher.scan(read.text, (_, from, to) => (isChanged(from, to) ? Advice.STOP : Advice.CONTINUE), closed);
      if (!matcher.isEnded) return;
      this.#before += matcher.steps + text.length + read.text.length;
    }
    const known = this.#notes ? new Set(this.#keys.slice(0, this.#count)) : this.#noted(text, closed);
    matcher.scan(
      read.text,
      (term, from, to, transforms) => {
        const start = read.sentOf(from);
        if (!isChanged(from, to) || known.has(start * TERMS + term)) return Advice.CONTINUE;
        const end = read.sentOf(to - 1) + 1;
        const transform = this.#transformOf(text, read, [term, start, end, transforms]);
        return transform === 0 ? Advice.CONTINUE : onTerm(term, start, end, transforms | transform);
      },
      closed,
    );
    this.isEnded = matcher.isEnded;
  }

  /** Notes the occurrences in the text as it was sent. Closed terms are visited by no scan. */
  #noted(text: string, closed: ClosedTerms | undefined): ReadonlySet<number> {
    const known = new Set<number>();
    this.#matcher.scan(text, (term, start) => void known.add(start * TERMS + term), closed);
    this.#before += this.#matcher.steps;
    return known;
  }
}

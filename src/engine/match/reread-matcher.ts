/**
 * Finds terms in a text as it was sent and, where it may be read in another way, once more as it is read then: a matcher over another one.
 *
 * An occurrence of the second scan counts if something was removed inside of it, and the first scan visited none of the same term that begins
 * there. So the first scan decides everything that it finds, and visitors get that before the rest. A visitor that ends the first scan ends both.
 *
 * Cost: a number kept for each occurrence; for a text that is read in another way, a second scan.
 *
 * Example, without the signs of formatting (`formatting.ts`) and with the term `kill yourself`: `kill **your**self` holds none as it is; without its
 * signs it holds one from 0 to 13, which is the stretch from 0 to 17 of the text as it was sent.
 */
import { withoutFormatting } from './formatting.js';
import {
  Advice,
  type ClosedTerms,
  type CountingMatcher,
  endsTerms,
  type KeywordMatcher,
  type OnTerm,
} from './keyword-scan.js';
import { FORMATTING, INTERRUPTED, SPACED } from './obfuscation/transforms.js';
import type { PatternDfa } from './patterns/lazy-dfa.js';
import type { RewrittenText } from './rewritten-text.js';
import { isSpaced, mayBeSeparated, withoutSeparators } from './separated-letters.js';

/** Makes a matcher that finds what another one finds, and what that would find without the signs of formatting. */
export function readFormatting(matcher: CountingMatcher): KeywordMatcher {
  // A text with one sign or none has no pair. The matcher counts them where it leaves its loop.
  const read = (text: string) => (matcher.signs > 1 ? withoutFormatting(text) : undefined);
  return new RereadMatcher(matcher, read, () => FORMATTING);
}

/**
 * Makes a matcher that finds what another one finds, and what that would find without separators of letters (`separated-letters.ts`).
 * `terms` are those of the matcher; without one that separators may stand in it is the matcher itself.
 */
export function readSeparated(matcher: KeywordMatcher, terms: readonly string[]): KeywordMatcher {
  const separable = Uint8Array.from(terms, (term) => (mayBeSeparated(term) ? 1 : 0));
  if (!separable.includes(1)) return matcher;
  return new RereadMatcher(matcher, withoutSeparators, (term, text, read, start, end) => {
    if (separable[term] === 0) return 0;
    return isSpaced(text, read, start, end) ? SPACED : INTERRUPTED;
  });
}

/** More terms no matcher has. */
const TERMS = 1 << 22;
/** Keys are kept for the next text up to this number. */
const MAX_KEPT = 1 << 14;

/** Returns the text as it is read in another way, or undefined when there is none. Called after the first scan. */
type Read = (text: string) => RewrittenText | undefined;
/** Returns the transform that led to an occurrence between two offsets of the text as it was sent; 0 if it does not count. */
type TransformOf = (term: number, text: string, read: RewrittenText, start: number, end: number) => number;

class RereadMatcher implements KeywordMatcher {
  readonly #matcher: KeywordMatcher;
  readonly #read: Read;
  readonly #transformOf: TransformOf;
  /** Start and term of each occurrence in the text as it was sent: the first `#count`. */
  readonly #keys: number[] = [];
  #count = 0;
  #onTerm: OnTerm = () => {};
  #isEnded = false;
  /** Steps of the first scan, when there is a second one. */
  #before = 0;

  constructor(matcher: KeywordMatcher, read: Read, transformOf: TransformOf) {
    this.#matcher = matcher;
    this.#read = read;
    this.#transformOf = transformOf;
  }

  get steps(): number {
    return this.#before + this.#matcher.steps;
  }

  createClosedTerms(): ClosedTerms {
    return this.#matcher.createClosedTerms();
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    this.#begin(onTerm);
    this.#matcher.scan(text, this.#visit, closed);
    const read = this.#isEnded ? undefined : this.#read(text);
    if (read !== undefined) this.#scanAgain(text, read, onTerm, closed);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    this.#begin(onTerm);
    const isComplete = this.#matcher.scanWith(text, this.#visit, dfa, closed);
    const read = this.#isEnded ? undefined : this.#read(text);
    if (read !== undefined) this.#scanAgain(text, read, onTerm, closed);
    return isComplete;
  }

  #begin(onTerm: OnTerm): void {
    this.#onTerm = onTerm;
    this.#before = 0;
    this.#isEnded = false;
    if (this.#count > MAX_KEPT) this.#keys.length = 0;
    this.#count = 0;
  }

  readonly #visit: OnTerm = (term, start, end, transforms) => {
    this.#keys[this.#count++] = start * TERMS + term;
    const advice = this.#onTerm(term, start, end, transforms);
    if (endsTerms(advice)) this.#isEnded = true;
    return advice;
  };

  /** Apart from the first scan, for a closure costs an allocation wherever it may be made. */
  #scanAgain(text: string, read: RewrittenText, onTerm: OnTerm, closed: ClosedTerms | undefined): void {
    this.#before = this.#matcher.steps + text.length + read.text.length;
    let known: ReadonlySet<number> | undefined;
    this.#matcher.scan(
      read.text,
      (term, from, to, transforms) => {
        const start = read.sentOf(from);
        const end = read.sentOf(to - 1) + 1;
        if (end - start === to - from) return Advice.CONTINUE;
        known ??= new Set(this.#keys.slice(0, this.#count));
        if (known.has(start * TERMS + term)) return Advice.CONTINUE;
        const transform = this.#transformOf(term, text, read, start, end);
        return transform === 0 ? Advice.CONTINUE : onTerm(term, start, end, transforms | transform);
      },
      closed,
    );
  }
}

/**
 * Finds terms whatever formatting of a message stands around or within their words: a matcher over another one, which
 * scans a text as it was sent and, if that has pairs of signs (`formatting.ts`), once more without these.
 *
 * An occurrence of the second scan counts if signs were removed inside of it, and the first one visited none of the same
 * term that begins there. So the first scan decides everything that it finds, and visitors get that before the rest.
 *
 * Cost: nothing for a text with one sign or none, since the matcher counts signs where it leaves its loop (`signs`); a
 * number kept for each occurrence; for a text with a pair, a second scan and the reading in `formatting.ts`.
 *
 * Example, with the term `kill yourself`: `kill **your**self` holds none as it is; without its signs it holds one from 0
 * to 13, which is the stretch from 0 to 17 of the text as it was sent.
 */
import { withoutFormatting } from './formatting.js';
import { Advice, type ClosedTerms, type CountingMatcher, type KeywordMatcher, type OnTerm } from './keyword-scan.js';
import { FORMATTING } from './obfuscation/transforms.js';
import type { PatternDfa } from './patterns/lazy-dfa.js';

/** Makes a matcher that finds what another one finds, and what that would find without the signs of formatting. */
export function readFormatting(matcher: CountingMatcher): KeywordMatcher {
  return new FormattingMatcher(matcher);
}

/** More terms no matcher has. */
const TERMS = 1 << 22;
/** Keys are kept for the next text up to this number. */
const MAX_KEPT = 1 << 14;

class FormattingMatcher implements KeywordMatcher {
  readonly states: number;
  readonly classes: number;
  readonly bytes: number;
  readonly #matcher: CountingMatcher;
  /** Start and term of each occurrence in the text as it was sent: the first `#count`. */
  readonly #keys: number[] = [];
  #count = 0;
  #onTerm: OnTerm = () => {};
  /** Steps of the first scan, when there is a second one. */
  #before = 0;

  constructor(matcher: CountingMatcher) {
    this.#matcher = matcher;
    this.states = matcher.states;
    this.classes = matcher.classes;
    this.bytes = matcher.bytes;
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
    if (this.#matcher.signs > 1) this.#scanWithoutSigns(text, onTerm, closed);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    this.#begin(onTerm);
    const isComplete = this.#matcher.scanWith(text, this.#visit, dfa, closed);
    if (this.#matcher.signs > 1) this.#scanWithoutSigns(text, onTerm, closed);
    return isComplete;
  }

  #begin(onTerm: OnTerm): void {
    this.#onTerm = onTerm;
    this.#count = 0;
    this.#before = 0;
    if (this.#keys.length > MAX_KEPT) this.#keys.length = 0;
  }

  readonly #visit: OnTerm = (term, start, end, transforms) => {
    this.#keys[this.#count++] = start * TERMS + term;
    return this.#onTerm(term, start, end, transforms);
  };

  #scanWithoutSigns(text: string, onTerm: OnTerm, closed: ClosedTerms | undefined): void {
    const read = withoutFormatting(text);
    this.#before = this.#matcher.steps + text.length;
    if (read === undefined) return;
    this.#before += read.text.length;
    let known: ReadonlySet<number> | undefined;
    this.#matcher.scan(
      read.text,
      (term, from, to, transforms) => {
        const start = read.sentOf(from);
        const end = read.sentOf(to - 1) + 1;
        if (end - start === to - from) return Advice.CONTINUE;
        known ??= new Set(this.#keys.slice(0, this.#count));
        return known.has(start * TERMS + term) ? Advice.CONTINUE : onTerm(term, start, end, transforms | FORMATTING);
      },
      closed,
    );
  }
}

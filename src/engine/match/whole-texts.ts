/**
 * Terms that a whole text is to equal (the operator `equals`): a matcher over another one that
 * leaves out where they are a part of a text.
 */
import { isWhite } from './folding.js';
import { decompositionOf } from './hardened/decompositions.js';
import { FORMATTING, IGNORABLE } from './hardened/transforms.js';
import { Advice, type ClosedTerms, type KeywordMatcher, type OnTerm } from './keyword-scan.js';
import type { PatternDfa } from './patterns/lazy-dfa.js';
import { isPairBefore } from './surrogates.js';

/**
 * Wraps a matcher; the matcher itself if no term is compared with whole texts. `seesHidden`: hidden
 * characters around a text count as white space.
 */
export function readWholeTexts(matcher: KeywordMatcher, isWhole: Uint8Array, seesHidden: boolean): KeywordMatcher {
  return isWhole.includes(1) ? new WholeTexts(matcher, isWhole, seesHidden) : matcher;
}

class WholeTexts implements KeywordMatcher {
  readonly #matcher: KeywordMatcher;
  readonly #isWhole: Uint8Array;
  readonly #seesHidden: boolean;
  #text = '';
  #onTerm: OnTerm = () => {};

  constructor(matcher: KeywordMatcher, isWhole: Uint8Array, seesHidden: boolean) {
    this.#matcher = matcher;
    this.#isWhole = isWhole;
    this.#seesHidden = seesHidden;
  }

  get steps(): number {
    return this.#matcher.steps;
  }

  createClosedTerms(): ClosedTerms {
    return this.#matcher.createClosedTerms();
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    this.#text = text;
    this.#onTerm = onTerm;
    this.#matcher.scan(text, this.#visit, closed);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    this.#text = text;
    this.#onTerm = onTerm;
    return this.#matcher.scanWith(text, this.#visit, dfa, closed);
  }

  readonly #visit: OnTerm = (term, start, end, transforms) => {
    if (this.#isWhole[term] === 0) return this.#onTerm(term, start, end, transforms);
    // The operator compares the text as it was sent, with its signs of formatting.
    if ((transforms & FORMATTING) !== 0) return Advice.CONTINUE;
    const hidden = this.#hiddenAround(start, end);
    return hidden < 0 ? Advice.CONTINUE : this.#onTerm(term, start, end, transforms | (hidden > 0 ? IGNORABLE : 0));
  };

  /**
   * Returns how many hidden characters stand around a stretch; -1 if anything else but white space
   * does.
   */
  #hiddenAround(start: number, end: number): number {
    const text = this.#text;
    let hidden = 0;
    for (let at = start; at > 0; ) {
      at -= isPairBefore(text, at) ? 2 : 1;
      if (isWhite(text.charCodeAt(at))) continue;
      if (!this.#isHidden(at)) return -1;
      hidden++;
    }
    for (let at = end; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) {
      if (isWhite(text.charCodeAt(at))) continue;
      if (!this.#isHidden(at)) return -1;
      hidden++;
    }
    return hidden;
  }

  #isHidden(at: number): boolean {
    return this.#seesHidden && decompositionOf(this.#text.codePointAt(at)!).kind === 'ignorable';
  }
}

/**
 * Finds terms whatever accents they and texts have: the matcher of `folding: 'accents'`. It is the
 * plain matcher over a folding that reads composed letters without accents; a text with marks apart
 * is rewritten before it is scanned, and spans are those of the text as it was sent. So a text
 * without marks apart takes one test more than under case folding, and no work depends on how many
 * marks there are but reading them.
 *
 * Example, with the term `judios`: `judíos` is found in one scan. `judi\u0301os` is read as
 * `judios`; the match from 0 to 6 is from 0 to 7 in what was sent.
 */
import type { Portions } from '../../foundation/portions.js';
import { withoutAccents } from './accents.js';
import { createKeywordMatcher, type KeywordOptions } from './keyword-matcher.js';
import { Advice, type ClosedTerms, type OnTerm, type RereadableMatcher } from './keyword-scan.js';
import { type PatternDfa, runPatternDfa, STALLED } from './patterns/lazy-dfa.js';
import type { RewrittenText } from './rewritten-text.js';

/** Compiles terms, in portions, as `createKeywordMatcher` does. */
export function* createAccentMatcher(
  terms: readonly string[],
  options: Omit<KeywordOptions, 'folding'>,
): Portions<RereadableMatcher> {
  return new AccentMatcher(yield* createKeywordMatcher(terms, { ...options, folding: 'accents' }));
}

class AccentMatcher implements RereadableMatcher {
  readonly #plain: RereadableMatcher;
  /** Units of the text that were rewritten for the last scan. */
  #rewritten = 0;

  constructor(plain: RereadableMatcher) {
    this.#plain = plain;
  }

  get steps(): number {
    return this.#plain.steps + this.#rewritten;
  }

  get hasFormatting(): boolean {
    return this.#plain.hasFormatting;
  }

  get isEnded(): boolean {
    return this.#plain.isEnded;
  }

  createClosedTerms(): ClosedTerms {
    return this.#plain.createClosedTerms();
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    const read = this.#read(text);
    if (read === undefined) this.#plain.scan(text, onTerm, closed);
    else this.#plain.scan(read.text, asSent(onTerm, read), closed);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    const read = this.#read(text);
    if (read === undefined) return this.#plain.scanWith(text, onTerm, dfa, closed);
    let isStopped = false;
    const visit = asSent(onTerm, read);
    this.#plain.scan(
      read.text,
      (term, start, end, transforms) => {
        const advice = visit(term, start, end, transforms);
        isStopped = advice === Advice.STOP;
        return advice;
      },
      closed,
    );
    return isStopped || runPatternDfa(dfa, text) !== STALLED;
  }

  #read(text: string): RewrittenText | undefined {
    const read = withoutAccents(text);
    this.#rewritten = read === undefined ? 0 : text.length;
    return read;
  }
}

/**
 * A visitor of the text as it is read, for one of the text as it was sent. A match holds whole
 * characters, marks included.
 */
function asSent(onTerm: OnTerm, read: RewrittenText): OnTerm {
  return (term, from, to, transforms) => {
    const start = read.sentOf(from);
    const end = read.sentOf(to);
    return start < 0 || end < 0 ? Advice.CONTINUE : onTerm(term, start, end, transforms);
  };
}

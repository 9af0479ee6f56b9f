/**
 * Finds terms though somebody took pains to hide them: `folding: 'hardened'`. Terms and texts are read as letters
 * (`readings.ts`), look-alikes and signs for letters share a class (`likeness.ts`), a scan by classes finds what may be a term
 * and `align.ts` compares it. Texts are not copied, so spans are those of the text as it was sent.
 */
import { foldKey } from '../folding.js';
import { createKeywordMatcher, type KeywordMatcher } from '../keyword-matcher.js';
import { Advice, endsTerms } from '../keyword-scan.js';
import { isWordEdge } from '../word-edges.js';
import { composeLetters, transformsWhenComposed } from './composed.js';
import { HardenedGate } from './hardened-gate.js';
import { plainEnd } from './hardened-term.js';
import { createHardenedTerms, type HardenedTerms } from './hardened-terms.js';
import { createHardenedSubstringScan } from './substring-scan.js';
import type { ThoroughScan } from './thorough-scan.js';
import { namesOf, type TransformName } from './transforms.js';
import { transformsAt } from './transforms-at.js';
import { createHardenedWordScan } from './word-scan.js';

export interface HardenedMatcher extends KeywordMatcher {
  /** What makes the text at [start, end) equal to the term, in the order of `transformNames`; empty when case alone does. */
  transformsOf(term: number, text: string, start: number, end: number): readonly TransformName[];
}

export interface HardenedOptions {
  /** `word`: both ends of a match are word edges. */
  readonly words: 'word' | 'substring';
}

/** A key that terms share when they match the same texts by the same transforms. */
export function hardenedKey(term: string): string {
  return foldKey(term, 'case');
}

/**
 * Compiles terms. Their indices are what `scan` reports, not always in the order in which occurrences end; a blank term never
 * matches. Of the occurrences that begin at one place the one of case alone is reported, or else the longest.
 */
export function createHardenedMatcher(written: readonly string[], { words }: HardenedOptions): HardenedMatcher {
  const terms = createHardenedTerms(written);
  const scanner = words === 'word' ? createHardenedWordScan(terms) : createHardenedSubstringScan(terms);
  const thorough = withComposed(withPlain(scanner, terms, written, words), terms);
  const matcher = behindGate(new HardenedGate(written, terms, words), thorough);
  terms.forget();
  return {
    ...matcher,
    transformsOf: (term, text, start, end) =>
      namesOf(
        transformsWhenComposed(text, start, end, (...where) => transformsAt(terms.at(term), words, ...where)) ?? 0,
      ),
  };
}

/** Asks the gate first: the thorough scan reads only texts that may hold a term. */
function behindGate(gate: HardenedGate, thorough: ThoroughScan): KeywordMatcher {
  return {
    ...thorough,
    bytes: thorough.bytes + gate.bytes,
    steps: 0,
    createClosedTerms: () => ({ close: () => {}, clear: () => {} }),
    scan: (text, onTerm) => {
      if (gate.opensFor(text)) thorough.scan(text, onTerm);
    },
    scanWith: (text, onTerm, dfa) => {
      const answer = gate.opensWith(text, dfa);
      if (answer === 'open') thorough.scan(text, onTerm);
      return answer === 'clear';
    },
  };
}

const BYTE_ORDER_MARK = '\ufeff';

/** Adds what is found once letters in parts are put together, and what has a byte order mark for case folding's white space. */
function withComposed(scanner: ThoroughScan, terms: HardenedTerms): ThoroughScan {
  return {
    ...scanner,
    scan: (text, onTerm) => {
      const composed = composeLetters(text);
      const hasMark = text.includes(BYTE_ORDER_MARK);
      if (composed === undefined && !hasMark) {
        scanner.scan(text, onTerm);
        return;
      }
      const found = new Map<string, readonly [term: number, start: number, end: number]>();
      const note = (term: number, start: number, end: number): void => {
        const key = `${term} ${start}`;
        const before = found.get(key)?.[2];
        const plain = plainEnd(terms.at(term), text, start);
        if (before === undefined || (before !== plain && (end === plain || end > before)))
          found.set(key, [term, start, end]);
      };
      scanner.scan(text, note);
      if (composed !== undefined) {
        scanner.scan(composed.text, (term, from, to) => {
          const start = composed.sentOf(from);
          const end = composed.sentOf(to);
          if (start >= 0 && end >= 0) note(term, start, end);
        });
      }
      if (hasMark) {
        scanner.scan(text.replaceAll(BYTE_ORDER_MARK, ' '), (term, start, end) => {
          if (plainEnd(terms.at(term), text, start) === end) note(term, start, end);
        });
      }
      for (const occurrence of found.values()) if (endsTerms(onTerm(...occurrence))) return;
    },
  };
}

/** Adds the terms that hold what readings do not show; as they are written, case alone finds them. */
function withPlain(
  scanner: ThoroughScan,
  terms: HardenedTerms,
  written: readonly string[],
  words: 'word' | 'substring',
): ThoroughScan {
  const odd = written.flatMap((_, index) => {
    const { letters, isOdd, isInParts, isPlainOnly } = terms.at(index);
    const outer = [letters[0], letters.at(-1)];
    // A letter in a circle joins others, but not to case folding.
    const isCircled = outer.some((letter) => letter?.reading.kind === 'symbol' && letter.reading.joins);
    return isOdd || isInParts || isPlainOnly || isCircled ? [index] : [];
  });
  if (odd.length === 0) return scanner;
  const plain = createKeywordMatcher(
    odd.map((index) => written[index]!),
    { folding: 'case', words },
  );
  const isOdd = new Set(odd);
  return {
    ...scanner,
    bytes: scanner.bytes + plain.bytes,
    scan: (text, onTerm) => {
      let stopped = false;
      plain.scan(text, (term, start, end) => {
        stopped = endsTerms(onTerm(odd[term]!, start, end));
        return stopped ? Advice.STOP : Advice.CONTINUE;
      });
      if (stopped) return;
      scanner.scan(text, (term, start, end) => {
        const isPlain = isOdd.has(term) && plainEnd(terms.at(term), text, start) === end;
        if (isPlain && (words === 'substring' || (isWordEdge(text, start) && isWordEdge(text, end))))
          return Advice.CONTINUE;
        return onTerm(term, start, end);
      });
    },
  };
}

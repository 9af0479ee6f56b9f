import { endsTerms, type OnTerm } from '../keyword-scan.js';
import type { HardenedTerms } from './hardened-terms.js';
import { toRun } from './letter-run.js';
import { isPairBefore, type Letter, lettersFrom } from './letters.js';
import { type Occurrence, occurrenceAt } from './occurrence.js';
import { loneLettersAround } from './spaced.js';
import type { TermIndex } from './term-index.js';

/** Looks for terms among letters that stand alone; remembers how far a text was searched. */
export interface SpacedSearch {
  /** A new text. */
  begin(): void;
  /** Searches around an offset. Answers whether the visitor had enough. */
  search(text: string, at: number, onTerm: OnTerm): boolean;
  /** The same around every offset from `from` to `to`: letters may stand alone on both sides of some that do not. */
  searchWithin(text: string, from: number, to: number, onTerm: OnTerm): boolean;
}

/** Fewer characters do not stand alone; terms this short have to be all that do, or `c l a s s` would hold one. */
const SHORT = 3;

export function createSpacedSearch(terms: HardenedTerms, index: TermIndex, words: 'word' | 'substring'): SpacedSearch {
  let searched = 0;
  const search = (text: string, at: number, onTerm: OnTerm): boolean => {
    if (at < searched) return false;
    const { until, runs } = loneLettersAround(text, at, searched);
    searched = Math.max(until, searched);
    /** What was found where: with bars as letters the same may be found again. */
    const seen = new Set<string>();
    for (const letters of runs) {
      const run = toRun((place) => letters[place], letters.length);
      for (let start = 0; start < run.count; start++) {
        const visit = (term: number): boolean => {
          const wanted = terms.at(term);
          if (!wanted.isSpaceable) return false;
          const found = occurrenceAt(wanted, text, run.letters, start, 'spaced');
          if (found === undefined) return false;
          const isAll = start === 0 && found.end === letters.at(-1)!.end;
          const count = countWithin(found, letters);
          const isShort = wanted.letters.length === SHORT || count === SHORT;
          if (count < SHORT || (words === 'word' && isShort && !isAll)) return false;
          // A bar may be a letter or stand between letters: where it is one, the term is found already.
          if (occurrenceAt(wanted, text, lettersFrom(text, found.start), 0, words) !== undefined) return false;
          const key = `${term} ${found.start}`;
          if (seen.has(key)) return false;
          seen.add(key);
          return endsTerms(onTerm(term, found.start, found.end));
        };
        if (index.candidates(run, start, visit)) return true;
      }
    }
    return false;
  };

  return {
    begin: () => {
      searched = 0;
    },
    search,
    searchWithin: (text, from, to, onTerm) => {
      for (let at = Math.max(from, searched); at <= to; at = Math.max(at + 1, searched)) {
        if (!isPairBefore(text, at + 1) && search(text, at, onTerm)) return true;
      }
      return false;
    },
  };
}

/** How many characters stand alone within an occurrence: of `æ` two letters are read. */
function countWithin({ start, end }: Occurrence, letters: readonly Letter[]): number {
  return letters.filter(({ index, from }) => index === 0 && from >= start && from < end).length;
}

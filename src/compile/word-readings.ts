/** What the readings `words` and `wildcards` make of a term as it is written: what has to be found, and where it may stand. */
import type { WordReading } from '../match/word-edges.js';
import type { Semantics } from '../semantics.js';

/** A term as the matcher takes it. */
export interface ReadTerm {
  /** What has to be found: the term without the asterisks that say how it is read. */
  readonly text: string;
  readonly reading: WordReading;
}

/** Reads a term as written, of a keyword list or of none: that of a condition itself, an exception. */
export type TermReader = (term: string, listId: string | undefined) => ReadTerm;

const ASTERISK = '*';
const wildEnd = /^\*[\p{L}\p{N}\p{M}_]|[\p{L}\p{N}\p{M}_]\*$/u;
const asterisksAlone = /^[\s*]*$/;

/** Makes the reader of terms: asterisks go before the reading of the list, and that before the default. */
export function createTermReader({ words, wildcards }: Pick<Semantics, 'words' | 'wildcards'>): TermReader {
  const byDefault = typeof words === 'string' ? words : (words.default ?? 'word');
  const ofLists = new Map(typeof words === 'string' ? [] : Object.entries(words.lists));
  return (term, listId) => {
    const isOpen = wildcards === 'asterisk' && !asterisksAlone.test(term);
    const begins = isOpen && term.startsWith(ASTERISK);
    const ends = isOpen && term.endsWith(ASTERISK);
    if (!begins && !ends) {
      return { text: term, reading: (listId === undefined ? undefined : ofLists.get(listId)) ?? byDefault };
    }
    const text = term.slice(begins ? 1 : 0, ends ? -1 : undefined);
    return { text, reading: begins && ends ? 'substring' : begins ? 'suffix' : 'prefix' };
  };
}

/** Whether an asterisk at an end of a term stands beside a word character, as in `cat*`: not in `f***`, nor in a term of nothing else. */
export function hasWildEnd(term: string): boolean {
  return (term.startsWith(ASTERISK) || term.endsWith(ASTERISK)) && wildEnd.test(term);
}

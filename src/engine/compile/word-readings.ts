/**
 * Reading of terms by `words`, `folding` and `wildcards`: what must be found, where, and in which
 * forms.
 */
import { type Folding, foldKey } from '../match/folding.js';
import { readLinkTerm } from '../match/links/host.js';
import type { WordReading } from '../match/word-edges.js';
import type { ListReading, Semantics } from '../semantics.js';

/** The reading `folding`, of all terms or of a list. */
export type TermFolding = Semantics['folding'];

/** The way a term is found: as its reading says, or where the whole text equals it. */
type TermReading = WordReading | 'whole';

/** A term as a matcher of words takes it. */
interface ReadWord {
  /**
   * The text to be found: the term without blanks at its ends, and without the asterisks that say
   * how it is read.
   */
  readonly text: string;
  readonly reading: TermReading;
  readonly folding: TermFolding;
}

/**
 * A term as the matcher of links takes it: `*`, a domain, or a domain with a path. Of the foldings
 * only `hardened` is another one.
 */
interface ReadLink {
  /** In its canonical form, or empty: it is not a domain. */
  readonly text: string;
  readonly reading: 'links';
  readonly folding: 'case' | 'hardened';
}

/** A term as matchers take it. */
export type ReadTerm = ReadWord | ReadLink;

/**
 * Reads terms as written, of a keyword list or of none: those that stand in conditions and
 * exceptions.
 */
interface TermReader {
  read(term: string, listId: string | undefined): ReadTerm;
  /**
   * Reads a term that whole texts are compared with: as it is written, without the blanks at its
   * ends.
   */
  readWhole(term: string, listId: string | undefined): ReadWord;
  foldingOf(listId: string | undefined): TermFolding;
  /** Reports whether the terms of a list are domains. */
  isOfLinks(listId: string | undefined): boolean;
}

const ASTERISK = '*';
const asterisksAlone = /^[\s*]*$/;

/**
 * Makes the reader of terms: asterisks go before the reading of the list, and that before the
 * default.
 */
export function createTermReader({
  words,
  folding,
  wildcards,
}: Pick<Semantics, 'words' | 'folding' | 'wildcards'>): TermReader {
  const { default: byDefault = 'word', lists } = typeof words === 'string' ? { default: words, lists: {} } : words;
  const all: Required<ListReading> = { reading: byDefault, folding };
  const ofLists = new Map(
    Object.entries(lists).map(([listId, listReading]) => {
      const { reading = byDefault, folding: ofList = folding } =
        typeof listReading === 'string' ? { reading: listReading } : listReading;
      return [listId, { reading, folding: ofList }];
    }),
  );
  const ofList = (listId: string | undefined) => (listId === undefined ? undefined : ofLists.get(listId)) ?? all;
  const readAs = (written: string, { reading, folding: termFolding }: Required<ListReading>): ReadTerm => {
    if (reading === 'links') {
      return { text: readLinkTerm(written) ?? '', reading, folding: termFolding === 'hardened' ? termFolding : 'case' };
    }
    // A term that ends in a blank would not be found at the end of a text.
    const term = written.trim();
    const isOpen = wildcards === 'asterisk' && !asterisksAlone.test(term);
    const begins = isOpen && term.startsWith(ASTERISK);
    const ends = isOpen && term.endsWith(ASTERISK);
    if (!begins && !ends) return { text: term, reading, folding: termFolding };
    const text = term.slice(begins ? 1 : 0, ends ? -1 : undefined);
    return { text, reading: begins && ends ? 'substring' : begins ? 'suffix' : 'prefix', folding: termFolding };
  };
  return {
    foldingOf: (listId) => ofList(listId).folding,
    isOfLinks: (listId) => ofList(listId).reading === 'links',
    read: (written, listId) => readAs(written, ofList(listId)),
    readWhole: (written, listId) => ({ text: written.trim(), reading: 'whole', folding: ofList(listId).folding }),
  };
}

/** Returns a key that two terms of one manner share exactly when they match the same. */
export function keyOfTerm({ text, reading, folding }: ReadTerm): string {
  // A path has case.
  return foldKey(text, reading === 'links' ? 'exact' : charactersOf(folding));
}

/**
 * Returns the folding by which terms are compared character by character: hardened terms are told
 * apart by case.
 */
export function charactersOf(folding: TermFolding): Folding {
  return folding === 'hardened' ? 'case' : folding;
}

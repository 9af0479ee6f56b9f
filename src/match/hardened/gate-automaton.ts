/** The automaton that the gate steps: hardened terms as classes of letters, and each letter three times in a row. */
import { OTHER } from '../alphabet.js';
import { WHITE } from '../folding.js';
import { buildKeywordAutomaton, type KeywordAutomaton } from '../keyword-automaton.js';
import type { Sequences } from '../keyword-trie.js';
import { createGateAlphabet, type GateAlphabet } from './gate-alphabet.js';
import { RUN } from './gate-evidence.js';
import type { HardenedTerm } from './hardened-term.js';
import type { HardenedTerms } from './hardened-terms.js';
import { halvesOf } from './pictures.js';
import { readingOf } from './readings.js';

/** Kana's sound marks and the Greek iota below are letters, as readings have them. */
const combiningMark = /(?![\u0345\u3099\u309a])(?=\p{M})\p{Script=Inherited}/u;
/** Hidden characters before the first letter: a term is looked for without them. */
const leading = /^(?:\p{Default_Ignorable_Code_Point}|(?![\u0345\u3099\u309a])(?=\p{M})\p{Script=Inherited})+/u;

/** What the gate is built from. */
export interface GateAutomaton {
  readonly alphabet: GateAlphabet;
  /** Its sequences are the terms by their indices, and from `terms.count` on letters that may be drawn out. */
  readonly automaton: KeywordAutomaton;
  /**
   * Where words are whole: the same, with a symbol more, `alphabet.width`, for where a word may begin. It stands behind what
   * separates letters, and before terms that begin with a letter.
   */
  readonly edged: KeywordAutomaton | undefined;
}

/** Builds it from terms as they are written, and as they are read. */
export function buildGateAutomaton(
  written: readonly string[],
  terms: HardenedTerms,
  words: 'word' | 'substring',
): GateAutomaton {
  const seen = written.map((term, index) => seenLetters(term, terms.at(index)));
  // Hidden characters and marks that tell of a term whose letters do not.
  const tellTales = new Set(written.filter((_, index) => seen[index]!.length === 0).flatMap(tellTalesOf));
  const alphabet = createGateAlphabet(seen.flat(), tellTales);
  const isWhite = (column: number | undefined) => column === alphabet.white && column !== OTHER;
  // White space on both sides of something hidden is one run to the automaton.
  const columns = seen.map((letters) =>
    letters.map(alphabet.columnOf).filter((column, at, all) => !(isWhite(column) && isWhite(all[at - 1]))),
  );
  const used = new Set(columns.flat());
  used.delete(alphabet.white);
  const all = [...columns, ...[...used].map((column) => Array<number>(RUN).fill(column))];
  const { breaks, width } = alphabet;
  const withEdges = (column: number, at: number, { length }: readonly number[]) =>
    breaks[column] === 1 && at + 1 < length ? [column, width] : [column];
  const edged = all.map((sequence, index) => [
    ...(sequence.length > 0 && index < terms.count && terms.at(index).joinsBefore ? [width] : []),
    ...sequence.flatMap(withEdges),
  ]);
  return {
    alphabet,
    automaton: buildKeywordAutomaton(sequencesOf(all), width),
    edged: words === 'word' ? buildKeywordAutomaton(sequencesOf(edged), width + 1) : undefined,
  };
}

/** The letters by which the gate sees a term; none when it has to be told by hidden characters and marks. */
function seenLetters(written: string, { letters }: HardenedTerm): readonly number[] {
  const isSeen = !isMarked(written, letters.length) && letters.some(({ base }) => base !== WHITE);
  return isSeen ? letters.flatMap(({ base }) => halvesOf(base)) : [];
}

/** The marks of a term, which a text must have as well; of one without marks, what else is hidden in it. */
function tellTalesOf(term: string): number[] {
  const codes = [...term, ...term.normalize('NFD')].map((character) => character.codePointAt(0)!);
  const marks = codes.filter((code) => readingOf(code).kind === 'mark');
  return marks.length > 0 ? marks : codes.filter((code) => readingOf(code).kind === 'ignorable');
}

function sequencesOf(all: readonly (readonly number[])[]): Sequences {
  const from = new Int32Array(all.length + 1);
  all.forEach((one, index) => {
    from[index + 1] = from[index]! + one.length;
  });
  return { count: all.length, symbols: Int32Array.from(all.flat()), from };
}

/**
 * Whether a term is one letter or two under marks that no letter has of its own. Its letters alone would be seen everywhere;
 * its marks are not.
 */
function isMarked(term: string, letters: number): boolean {
  return letters <= 2 && combiningMark.test(term.replace(leading, '').normalize('NFC'));
}

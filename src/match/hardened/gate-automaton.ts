/** The automaton that the gate steps: hardened terms as classes of letters, and each letter three times in a row. */

import { highOf, lowOf } from '../alphabet.js';
import { WHITE } from '../folding.js';
import { buildKeywordAutomaton, type KeywordAutomaton } from '../keyword-automaton.js';
import type { Sequences } from '../keyword-trie.js';
import { IOTA_BELOW } from './composed.js';
import { createGateAlphabet, type GateAlphabet } from './gate-alphabet.js';
import { RUN } from './gate-evidence.js';
import type { HardenedTerms } from './hardened-terms.js';
import { isPicture } from './pictures.js';
import { IOTA, readingOf } from './readings.js';

/** Hidden characters before the first letter: a term is looked for without them. */
const leading = /^\p{Default_Ignorable_Code_Point}+/u;

/** What an iota below is to case folding, small and large, and the one that stands behind letters. */
const iotas = [IOTA, 0x399, 0x1fbe];

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
  const { letters, counts, tellTales, beginsWord } = readLetters(written, terms);
  const alphabet = createGateAlphabet(counts, tellTales);
  const { breaks, white, width } = alphabet;
  const columnBy = new Map([...counts.keys()].map((letter) => [letter, alphabet.columnOf(letter)]));
  const plain = new SequenceWriter();
  const edged = words === 'word' ? new SequenceWriter() : undefined;
  const add = (column: number, isLast: boolean) => {
    plain.add(column);
    edged?.add(column);
    if (breaks[column] === 1 && !isLast) edged?.add(width);
  };
  const end = () => {
    plain.end();
    edged?.end();
  };
  for (let term = 0; term < letters.count; term++) {
    const last = letters.from[term + 1]! - 1;
    if (beginsWord[term] === 1 && letters.from[term]! <= last) edged?.add(width);
    for (let at = letters.from[term]!; at <= last; at++) {
      // White space on both sides of something hidden is one run to the automaton.
      const isSameRun = letters.symbols[at] === WHITE && letters.symbols[at + 1] === WHITE && at < last;
      if (!isSameRun) add(columnBy.get(letters.symbols[at]!)!, at === last);
    }
    end();
  }
  for (const column of new Set(columnBy.values())) {
    if (column === white) continue;
    for (let count = 1; count <= RUN; count++) add(column, count === RUN);
    end();
  }
  return {
    alphabet,
    automaton: buildKeywordAutomaton(plain.finish(), width),
    edged: edged && buildKeywordAutomaton(edged.finish(), width + 1),
  };
}

/** What the gate sees of terms. */
interface SeenLetters {
  /** Their letters, halves of pictures one by one. */
  readonly letters: Sequences;
  readonly counts: ReadonlyMap<number, number>;
  /** Hidden characters and marks that tell of a term whose letters do not. */
  readonly tellTales: ReadonlySet<number>;
  /** By term: 1 when it begins with a letter, and so where a word may begin. */
  readonly beginsWord: Uint8Array;
}

/** Reads each term once: they are many, and not kept. */
function readLetters(written: readonly string[], terms: HardenedTerms): SeenLetters {
  const seen = new SequenceWriter();
  const counts = new Map<number, number>();
  const tellTales = new Set<number>();
  const beginsWord = new Uint8Array(written.length);
  const add = (letter: number) => {
    seen.add(letter);
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  };
  for (const [index, term] of written.entries()) {
    const { letters, joinsBefore, beginsWithMark } = terms.at(index);
    if (term.includes(String.fromCharCode(IOTA_BELOW))) for (const code of iotas) tellTales.add(code);
    if (beginsWithMark || isMarked(term, letters.length) || letters.every(({ base }) => base === WHITE)) {
      for (const code of tellTalesOf(term)) tellTales.add(code);
    } else {
      beginsWord[index] = joinsBefore ? 1 : 0;
      for (const { base } of letters) {
        if (isPicture(base)) {
          add(highOf(base));
          add(lowOf(base));
        } else add(base);
      }
    }
    seen.end();
  }
  return { letters: seen.finish(), counts, tellTales, beginsWord };
}

/** Writes sequences one after the other. */
class SequenceWriter {
  readonly #symbols: number[] = [];
  readonly #from = [0];

  add(symbol: number): void {
    this.#symbols.push(symbol);
  }

  end(): void {
    this.#from.push(this.#symbols.length);
  }

  finish(): Sequences {
    return { count: this.#from.length - 1, symbols: Int32Array.from(this.#symbols), from: Int32Array.from(this.#from) };
  }
}

/** The marks of a term, which a text must have as well; of one without marks, what else is hidden in it. */
function tellTalesOf(term: string): number[] {
  const codes = codesOf(term + term.normalize('NFD'));
  const marks = codes.filter(isMark);
  return marks.length > 0 ? marks : codes.filter((code) => readingOf(code).kind === 'ignorable');
}

/**
 * Whether a term is one letter or two under marks that no letter has of its own. Its letters alone would be seen everywhere;
 * its marks are not.
 */
function isMarked(term: string, letters: number): boolean {
  return letters <= 2 && codesOf(term.replace(leading, '').normalize('NFC')).some(isMark);
}

const codesOf = (text: string) => Array.from(text, (character) => character.codePointAt(0)!);
const isMark = (code: number) => readingOf(code).kind === 'mark';

/**
 * Report of a term that was read in a text: whether case folding alone finds it there, where it ends then,
 * and by which transforms text and term are equal.
 *
 * Letters do not show everything. Two texts of the same letters may differ in hidden characters, in marks that were
 * passed over, or in how a letter is composed; so each occurrence is compared once more with the term as case folding
 * has it (`Lexicon.plainEnd`), in time proportional to the term.
 */
import { FREE_END, FREE_START, isWordEdge } from '../word-edges.js';
import type { TermEnd } from './best-ends.js';
import { isFlag, isMarkBeside } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { CASE_ONLY, HAS_HIDDEN, SCANNED_PLAIN } from './term-letters.js';
import { COMPATIBILITY, IGNORABLE, MARK } from './transforms.js';

/**
 * How letters are compared with terms. `text`: with word edges where a term needs them; on a side where it needs none
 * the outer run is not stretched, since the term is found without. `spaced`: among isolated letters. `whole`: no edges,
 * and the end is given. `masked`: among letters of which some stand for any, none of them stretched.
 */
export type MatchMode = 'text' | 'spaced' | 'masked' | 'whole';

/** Reports whether letters are compared that do not stand together in the text. */
export function isApart(mode: MatchMode): boolean {
  return mode === 'spaced' || mode === 'masked';
}

/** A term in a text. */
export interface Occurrence {
  readonly term: number;
  /** The span in the text, with the marks that belong to its last letter. */
  readonly start: number;
  readonly end: number;
  /** Bits of `transforms.ts` that make text and term equal beyond case; 0 when `isPlain`. */
  readonly transforms: number;
  /** Case folding alone finds it. */
  readonly isPlain: boolean;
}

/**
 * Returns the occurrence of a term that letters show from `start` to an end; undefined when it does not count: it needs a word
 * edge that is not there, case alone has to find it and does not, or it is a flag.
 */
export function occurrenceOf(
  lexicon: Lexicon,
  text: string,
  mode: MatchMode,
  start: number,
  { term, end, transforms, isEdge }: TermEnd,
): Occurrence | undefined {
  const free = lexicon.free[term]!;
  let plain = -1;
  if (!isApart(mode)) {
    // Without transforms the text is the term, but for what letters do not show.
    const isSame = transforms === 0 && !lexicon.is(term, SCANNED_PLAIN);
    plain = isSame ? end : lexicon.plainEnd(term, text, start);
    const isStart = (free & FREE_START) !== 0 || isWordEdge(text, start);
    const isPlain = mode === 'text' && plain >= 0 && isStart && ((free & FREE_END) !== 0 || isWordEdge(text, plain));
    if (isPlain) return { term, start, end: plain, transforms: 0, isPlain };
  }
  if (!isEdge || lexicon.is(term, CASE_ONLY) || isFlag(text, start, end)) return undefined;
  // Equal, but something hidden beside it joins it to a word for case alone.
  if (plain === end)
    return { term, start, end, transforms: isMarkBeside(text, start, end, free) ? MARK : IGNORABLE, isPlain: false };
  // Equal letters, and still case alone was not enough: the term has what the text lacks, and its letters do not show it.
  const missing = lexicon.is(term, HAS_HIDDEN) ? IGNORABLE : COMPATIBILITY;
  const reported = transforms === 0 && !isApart(mode) ? missing : transforms;
  return { term, start, end, transforms: reported, isPlain: false };
}

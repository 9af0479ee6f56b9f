/**
 * Finds the terms that words with masked letters are, as `f**k`: `*` and `#` stand for a letter each.
 *
 * An instance of: a walk through the trie by levels, one for each letter; a mask leads to all children of a state.
 *
 * Bounds: the first letter of a masked word and half of all are there, as they are and not stretched. Of three letters only the middle one
 * is masked, and by `*`: `C#m` is a chord. Masks at the end are what emphasis and footnotes end with: they count where no mask stands
 * before in the text, and one alone in words of `LONG` letters or more. What may be the beginning of more than `MOST_STATES` is not
 * read, so that the work is bounded for any list.
 */
import type { TermEnd } from './best-ends.js';
import { isMask, masks } from './isolation-classes.js';
import { contentsAfter, DIFFERENT, LETTERS, NOTHING, transformsBetween } from './letter-comparison.js';
import type { Letter, Letters, Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import type { OpenTerms } from './open-terms.js';
import { BREAKABLE, FEWEST_SPACED } from './term-letters.js';
import { IGNORABLE, JOINED, LEET, MASKED } from './transforms.js';

const MOST_STATES = 1_024;
const LONG = 5;
const NUMBER_SIGN = 0x23;
/** The base of a mask that stands for a letter. */
const ANY = -2;

/** A state of the trie, and how it was read so far. */
interface Way {
  readonly state: number;
  readonly transforms: number;
  readonly contents: number;
}

/** Letters of a token, of which those from `first` to `last` are a word: its masks stand for letters. */
export function withMasks(letters: readonly Letter[], first: number, last: number): readonly Letter[] {
  return letters.map((letter, at) => (at > first && at <= last && isMask(letter) ? { ...letter, base: ANY } : letter));
}

/** Returns the ends of terms with masked letters, read from a letter on. */
export function maskedEnds(
  lexicon: Lexicon,
  letters: Letters,
  first: number,
  { work, open }: { readonly work: Work; readonly open?: OpenTerms | undefined },
): readonly TermEnd[] {
  const found: TermEnd[] = [];
  let ways: readonly Way[] = lexicon.roots.map(({ state }) => ({ state, transforms: 0, contents: NOTHING }));
  let left = MOST_STATES;
  for (let index = first; ways.length > 0; index++) {
    const letter = letters.at(index);
    if (letter === undefined) break;
    const next: Way[] = [];
    const passing = index > first && letter.ignoredBefore ? IGNORABLE : 0;
    for (const way of ways) {
      left -= addWays(lexicon, { ...way, transforms: way.transforms | passing }, letter, next);
      if (left < 0) return found;
    }
    work.steps += next.length + 1;
    ways = next.filter(({ state }) => open?.isBelow(state) !== false);
    for (const { state, transforms, contents } of ways) {
      if ((transforms & MASKED) === 0 || contents !== LETTERS) continue;
      for (let term = lexicon.trie.ends[state]!; term >= 0; term = lexicon.trie.duplicate[term]!)
        if (lexicon.is(term, BREAKABLE) && open?.has(term) !== false)
          found.push({ term, end: letter.end, transforms, isEdge: true });
    }
  }
  return found;
}

/** Adds the ways that go on with a letter. Returns how many states were looked at, at the most one more than matters. */
function addWays(lexicon: Lexicon, { state, transforms, contents }: Way, letter: Letter, ways: Way[]): number {
  const { firstChild } = lexicon.trie;
  const begin = firstChild[state]!;
  const end = firstChild[state + 1]!;
  if (letter.base === ANY) {
    if (end - begin <= MOST_STATES)
      for (let child = begin; child < end; child++)
        if (isOne(lexicon, child) && lexicon.symbols[lexicon.trie.label[child]!]!.joins)
          ways.push({ state: child, transforms: transforms | MASKED, contents });
    return end - begin;
  }
  for (const { symbol, transforms: like } of lexicon.candidatesFor(letter.base)) {
    const child = (like & (LEET | JOINED)) === 0 ? lexicon.child(state, symbol) : -1;
    if (child < 0 || !isOne(lexicon, child)) continue;
    const wanted = lexicon.symbols[symbol]!;
    // In every word is a letter.
    if (!wanted.joins && contents !== LETTERS) continue;
    const step = transformsBetween(letter, wanted, like);
    if (step !== DIFFERENT)
      ways.push({ state: child, transforms: transforms | step, contents: contentsAfter(wanted, step, contents) });
  }
  return 1;
}

/** Whether a letter of a term is all of its character, and no half of an `æ`, which a mask would stand for. */
function isOne({ symbols, trie }: Lexicon, state: number): boolean {
  return symbols[trie.label[state]!]!.decomposition.letters.length === 1;
}

/** Whether letters from the first of a word to the last one, or to the last mask, have masks as a masked word has. */
export function areMasksInBounds(text: string, letters: readonly Letter[]): boolean {
  const count = letters.length;
  const masks = letters.filter(isMask);
  if (masks.length === 0 || count < FEWEST_SPACED || 2 * masks.length > count) return false;
  if (masks.some(({ marks }) => marks.length > 0)) return false;
  if (count === FEWEST_SPACED && masks[0]!.base === NUMBER_SIGN) return false;
  const ending = count - 1 - letters.findLastIndex((letter) => !isMask(letter));
  if (ending === 0) return true;
  return (ending > 1 || count >= LONG) && firstMaskIn(text) >= letters[0]!.from;
}

/** The text that was looked at last, and where its first mask stands: many words of it may end with masks. */
let lookedAt = '';
let firstMask = -1;

/** Returns where the first sign of a text stands that may be a mask, or -1. */
export function firstMaskIn(text: string): number {
  if (lookedAt !== text) {
    lookedAt = text;
    firstMask = -1;
    // Not by a regular expression: its match is an object for every text.
    for (let index = 0; index < masks.length; index++) {
      const found = text.indexOf(masks[index]!);
      if (found >= 0 && (firstMask < 0 || found < firstMask)) firstMask = found;
    }
  }
  return firstMask;
}

/**
 * Finds the terms that a word with masked letters is, as `f**k`: `*` and `#` stand for a letter each.
 *
 * An instance of: a walk through the trie by levels, one for each letter; a mask leads to all children of a state.
 *
 * Bounds: the first letter and half of all are there, as they are and not stretched. Of three letters only the middle one is
 * masked, and by `*`: `C#m` is a chord. Masks at the end are what emphasis and footnotes end with: they count where no mask stands
 * before in the text, and one alone in words of `LONG` letters or more. A word that may be the beginning of more than `MOST_STATES` is not
 * read, so that the work is bounded for any list.
 *
 * Example, with the terms `fool` and `fork`: `fo*l` leads to the states of `f`, `fo`, then `foo` and `for`, then `fool`.
 */
import { isMask } from './isolation-classes.js';
import { contentsAfter, DIFFERENT, LETTERS, NOTHING, transformsBetween } from './letter-comparison.js';
import type { Letter, Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import { type Occurrence, occurrenceOf } from './occurrence.js';
import type { OpenTerms } from './open-terms.js';
import { FEWEST_SPACED, SPACEABLE } from './term-letters.js';
import { IGNORABLE, LEET, MASKED } from './transforms.js';

const MOST_STATES = 1_024;
const LONG = 5;
const NUMBER_SIGN = 0x23;

/** A state of the trie, and how the word was read so far. */
interface Way {
  readonly state: number;
  readonly transforms: number;
  readonly contents: number;
}

/** The occurrences of terms that letters are, of which some are masks; none when the masks are out of bounds. */
export function maskedOccurrences(
  lexicon: Lexicon,
  text: string,
  letters: readonly Letter[],
  { work, open }: { readonly work: Work; readonly open?: OpenTerms | undefined },
): readonly Occurrence[] {
  if (!isInBounds(text, letters)) return [];
  let ways: readonly Way[] = lexicon.roots.map(({ state }) => ({ state, transforms: MASKED, contents: NOTHING }));
  let left = MOST_STATES;
  for (const [index, letter] of letters.entries()) {
    const next: Way[] = [];
    for (const way of ways) {
      left -= addWays(lexicon, way, letter, next);
      if (left < 0) return [];
    }
    work.steps += next.length + 1;
    const passing = index > 0 && letter.ignoredBefore ? IGNORABLE : 0;
    ways = next
      .filter(({ state }) => open?.isBelow(state) !== false)
      .map((way) => ({ ...way, transforms: way.transforms | passing }));
  }
  const { from: start } = letters[0]!;
  const { end } = letters.at(-1)!;
  const found: Occurrence[] = [];
  for (const { state, transforms, contents } of ways) {
    for (let term = lexicon.trie.ends[state]!; term >= 0; term = lexicon.trie.duplicate[term]!) {
      if (contents !== LETTERS || !lexicon.is(term, SPACEABLE) || open?.has(term) === false) continue;
      const occurrence = occurrenceOf(lexicon, text, 'spaced', start, { term, end, transforms, isEdge: true });
      if (occurrence !== undefined) found.push(occurrence);
    }
  }
  return found;
}

/** Adds the ways that go on with a letter. Returns how many states were looked at, at the most one more than matters. */
function addWays(lexicon: Lexicon, { state, transforms, contents }: Way, letter: Letter, ways: Way[]): number {
  const { firstChild } = lexicon.trie;
  const begin = firstChild[state]!;
  const end = firstChild[state + 1]!;
  if (isMask(letter.base)) {
    if (end - begin <= MOST_STATES)
      for (let child = begin; child < end; child++)
        if (isOne(lexicon, child)) ways.push({ state: child, transforms, contents });
    return end - begin;
  }
  for (const { symbol, transforms: like } of lexicon.candidatesFor(letter.base)) {
    const child = (like & LEET) === 0 ? lexicon.child(state, symbol) : -1;
    if (child < 0 || !isOne(lexicon, child)) continue;
    const wanted = lexicon.symbols[symbol]!;
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

function isInBounds(text: string, letters: readonly Letter[]): boolean {
  const isMasked = ({ base }: Letter) => isMask(base);
  const count = letters.length;
  const masks = letters.filter(isMasked);
  if (masks.length === 0 || count < FEWEST_SPACED || 2 * masks.length > count || isMasked(letters[0]!)) return false;
  if (masks.some(({ marks }) => marks.length > 0)) return false;
  if (count === FEWEST_SPACED && masks[0]!.base === NUMBER_SIGN) return false;
  const ending = count - 1 - letters.findLastIndex((letter) => !isMasked(letter));
  if (ending === 0) return true;
  return (ending > 1 || count >= LONG) && firstMaskIn(text) >= letters[0]!.from;
}

/** The text that was looked at last, and where its first mask stands: many words of it may end with masks. */
let looked = { text: '', firstMask: -1 };

function firstMaskIn(text: string): number {
  if (looked.text !== text) looked = { text, firstMask: text.search(/[*#]/) };
  return looked.firstMask;
}

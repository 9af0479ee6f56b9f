import { type KeywordAutomaton, outputBelow, outputOf } from '../keyword-automaton.js';
import type { HardenedTerms } from './hardened-terms.js';
import { classOf } from './likeness.js';
import { UNCLEAR } from './unit-classes.js';

/** What ends in a state: nothing, terms that only end where no letter follows, or others. */
export const Ends = { NOTHING: 0, WORD: 1, AT_ONCE: 2 } as const;

/** What ends in the first states of an automaton. */
export interface StateEnds {
  /** By state: one of `Ends`. */
  readonly ends: Uint8Array;
  /** By state: the class of the last letter of all that ends there, or `UNCLEAR`. */
  readonly lasts: Int32Array;
}

/** Tells it of an automaton whose sequences are `terms`, and letters that may be drawn out. */
export function endsOfStates(
  { ends: endings, table, twin }: KeywordAutomaton,
  states: number,
  terms: HardenedTerms,
  wholeWords: boolean,
): StateEnds {
  const ends = new Uint8Array(states);
  const lasts = new Int32Array(states).fill(UNCLEAR);
  for (let state = 0; state < states; state++) {
    const classes = new Set<number>();
    let isWord = wholeWords;
    for (let at = outputOf(table, state); at >= 0; at = outputBelow(table, at)) {
      for (let index = endings[at]!; index >= 0; index = twin[index]!) {
        const term = index < terms.count ? terms.at(index) : undefined;
        isWord &&= term?.joinsBehind === true;
        classes.add(term === undefined ? UNCLEAR : classOf(term.letters.at(-1)!.base));
      }
    }
    if (classes.size === 0) continue;
    ends[state] = isWord ? Ends.WORD : Ends.AT_ONCE;
    if (classes.size === 1) lasts[state] = [...classes][0]!;
  }
  return { ends, lasts };
}

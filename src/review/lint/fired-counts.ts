/** Counts which terms and patterns fire in many messages, in which words and together with which others. */

import { type Counting, countingBy, type PrepareCounter } from '../../audit/count/counter.js';
import { textAt } from '../../audit/count/excerpt.js';
import { createUnmatched, type Matched } from '../../audit/count/unmatched.js';
import { isWordEdge } from '../../engine/match/word-edges.js';
import { placesIn } from './places.js';

/** The counts of one term or pattern. */
interface Fired {
  readonly messages: number;
  /** The text of the first message that it fired in. */
  readonly text: string | undefined;
  /** Words that it fired inside of, the first `mostWords` of them, with how many times; undefined once it fired outside of one. */
  readonly inside: ReadonlyMap<string, number> | undefined;
  /** Keys of what fired in each of its messages too. */
  readonly others: ReadonlySet<string>;
}

/** The counts of many messages. Plain data. */
export interface FiredCounts {
  readonly messages: number;
  /** The counts by key, in the order of first messages. */
  readonly fired: ReadonlyMap<string, Fired>;
  readonly matched: Matched;
}

/** The most longer words that are counted of one term over all parts. */
const mostWords = 1000;

/** The most units of a longer word that are read on either side of a match. */
const longestPart = 40;

/** Returns the counting of lint, for a run. */
export function firedCounting(): Counting<FiredCounts> {
  return countingBy(import.meta.url, prepareCounter, undefined);
}

/** Prepares the counts in a thread. */
export const prepareCounter: PrepareCounter<undefined, FiredCounts> = () => () => {
  const unmatched = createUnmatched({ runningRules: () => [], references: () => [] });
  const fired = new Map<string, Fired>();
  let messages = 0;
  const plus = (key: string, { messages: count, text, inside, others }: Fired, most: number) => {
    const own = fired.get(key);
    if (own === undefined)
      return void fired.set(key, { messages: count, text, inside: merged(new Map(), inside, most), others });
    const both = [...own.others].filter((other) => others.has(other));
    fired.set(key, {
      messages: own.messages + count,
      text: own.text,
      inside: merged(own.inside, inside, most),
      others: both.length === own.others.size ? own.others : new Set(both),
    });
  };
  return {
    add({ message, decision }) {
      messages += 1;
      unmatched.add({ decision });
      const found = new Map<string, Map<string, number> | undefined>();
      for (const { key, match } of placesIn(decision.matched)) {
        const text = typeof message === 'string' ? message : textAt(message, match.path);
        const word = text === undefined ? undefined : longerWord(text, match.span);
        const inside = found.has(key) ? found.get(key) : new Map<string, number>();
        found.set(key, word === undefined ? undefined : inside?.set(word, (inside.get(word) ?? 0) + 1));
      }
      const text = typeof message === 'string' ? message : textAt(message, 'data.text');
      for (const [key, inside] of found) {
        const others = new Set([...found.keys()].filter((other) => other !== key));
        // All words of a part are counted, so that the first of all parts are the same wherever these were cut.
        plus(key, { messages: 1, text, inside, others }, Number.POSITIVE_INFINITY);
      }
    },
    merge(part) {
      messages += part.messages;
      unmatched.merge(part.matched);
      for (const [key, one] of part.fired) plus(key, one, mostWords);
    },
    toJSON: () => ({ messages, fired, matched: unmatched.toJSON() }),
  };
};

/** Merges counted words, at most `most` of them; undefined if either is. */
function merged(sum: Fired['inside'], added: Fired['inside'], most: number): Fired['inside'] {
  if (sum === undefined || added === undefined) return undefined;
  const words = sum as Map<string, number>;
  for (const [word, count] of added) {
    if (words.has(word) || words.size < most) words.set(word, (words.get(word) ?? 0) + count);
  }
  return words;
}

/** Returns the word that a match is a part of; undefined for one that ends at word edges on both sides. */
function longerWord(text: string, { start, end }: { readonly start: number; readonly end: number }) {
  if (isWordEdge(text, start) && isWordEdge(text, end)) return undefined;
  let [from, to] = [start, end];
  while (!isWordEdge(text, from) && start - from < longestPart) from -= 1;
  while (!isWordEdge(text, to) && to - end < longestPart) to += 1;
  return text.slice(from, to).toLowerCase();
}

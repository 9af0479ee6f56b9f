/** Finds the words of running text, also in scripts that are written without spaces. */
import type { Span } from '../../engine/match/span.js';

let segmenter: Intl.Segmenter | undefined;

const katakana = /\p{scx=Katakana}/u;
const letters = /^[\p{L}\p{M}]+$/u;

/**
 * Returns the word that contains a match and is longer: `大麻烦` for `大麻` in `真是大麻烦`, `class` for
 * `ass`. Undefined if the match has word edges on both sides. Words consist of letters and marks.
 * For a match that begins in one word and ends in the next, both are returned. `Intl.Segmenter`
 * finds the ends of words; its dictionary lacks many loan words, so a run of Katakana counts as one
 * word. Without `Intl.Segmenter` the result is undefined.
 */
export function longerWord(text: string, { start, end }: Span): string | undefined {
  if (typeof Intl.Segmenter !== 'function') return undefined;
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const segments = segmenter.segment(text);
  let first = segments.containing(start);
  let last = segments.containing(end - 1);
  if (!first?.isWordLike || !last?.isWordLike) return undefined;
  const endOf = ({ index, segment }: Intl.SegmentData) => index + segment.length;
  const joins = (at: number) => katakana.test(text.charAt(at - 1)) && katakana.test(text.charAt(at));
  while (joins(first.index)) first = segments.containing(first.index - 1)!;
  while (joins(endOf(last))) last = segments.containing(endOf(last))!;
  const [from, to] = [first.index, endOf(last)];
  const word = text.slice(from, to);
  return (from === start && to === end) || !letters.test(word) ? undefined : word;
}

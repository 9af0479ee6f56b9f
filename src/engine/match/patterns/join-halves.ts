/**
 * Characters beyond U+FFFF in patterns for JavaScript without its flag `u`: pairs of surrogates,
 * `\ud83d[\ude00-\ude4f]`. RE2 matches code points, of which no text has such halves, so the pairs
 * are rewritten as classes of characters.
 */

/**
 * A surrogate, or a class of surrogates only; some classes of low surrogates begin earlier, as
 * `[\ud000-\udfff]`.
 */
const half = String.raw`\\u[dD][\da-fA-F]{3}`;
const set = `${half}|\\[(?:${half}(?:-${half})?)+\\]`;
const halves = new RegExp(`(${set})(${set})`, 'y');
/** Above what hand-written patterns have; each range takes 20 characters. */
const MAX_RANGES = 64;

type Range = readonly [from: number, to: number];

/**
 * Rewrites a high surrogate followed by a low one, at least one of them a class, at an offset of a
 * pattern as a class of characters; `undefined` when there is no such pair. A repetition after the
 * pair then applies to the whole character.
 */
export function joinHalves(pattern: string, at: number) {
  halves.lastIndex = at;
  const [all, before, behind] = halves.exec(pattern) ?? [];
  // Two single surrogates are handled, in classes too, by `translate.ts`.
  if (all === undefined || !all.includes('[')) return undefined;
  const first = rangesOf(before!);
  const second = rangesOf(behind!).map(([from, to]): Range => [Math.max(from, 0xdc00), to]);
  const areFirst = first.every(([from, to]) => from >= 0xd800 && from <= to && to <= 0xdbff);
  const areSecond = second.every(([from, to]) => from <= to && to <= 0xdfff);
  if (!areFirst || !areSecond || countOf(first, second) > MAX_RANGES) return undefined;
  const ranges = first.flatMap((high) => second.flatMap((low) => charactersOf(high, low)));
  return { text: `[${ranges.map(written).join('')}]`, length: all.length };
}

function rangesOf(halvesOrHalf: string): Range[] {
  const numbers = /\\u([\da-fA-F]{4})(?:-\\u([\da-fA-F]{4}))?/g;
  return Array.from(halvesOrHalf.matchAll(numbers), ([, from, to]) => [
    Number.parseInt(from!, 16),
    Number.parseInt(to ?? from!, 16),
  ]);
}

const isAll = ([from, to]: Range) => from === 0xdc00 && to === 0xdfff;

/** Returns the number of ranges of the resulting class. */
function countOf(first: readonly Range[], second: readonly Range[]): number {
  const all = second.filter(isAll).length;
  const halves = first.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  return all * first.length + (second.length - all) * halves;
}

function charactersOf([first, last]: Range, second: Range): Range[] {
  const [from, to] = second;
  const character = (high: number, low: number) => 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  if (isAll(second)) return [[character(first, from), character(last, to)]];
  return Array.from({ length: last - first + 1 }, (_, index) => [
    character(first + index, from),
    character(first + index, to),
  ]);
}

const hex = (character: number) => `\\x{${character.toString(16)}}`;
const written = ([from, to]: Range) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`);

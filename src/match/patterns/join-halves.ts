/**
 * Characters beyond U+FFFF as JavaScript writes them without its flag `u`, half by half: `\ud83d[\ude00-\ude4f]`. RE2 reads
 * characters, and would find nothing.
 */

/** A half, or a class of nothing but halves; of second halves some begin their ranges earlier, as `[\ud000-\udfff]`. */
const half = String.raw`\\ud[\da-f]{3}`;
const set = `${half}|\\[(?:${half}(?:-${half})?)+\\]`;
const halves = new RegExp(`(${set})(${set})`, 'iy');
/** More ranges are no pattern that somebody wrote, and take 20 characters each. */
const MAX_RANGES = 64;

type Range = readonly [from: number, to: number];

/**
 * Writes first halves and the second ones behind them, classes of them or a half and a class, at an offset of a pattern as a
 * class of characters; undefined where there are none.
 * What counts repetitions behind them counts characters then.
 */
export function joinHalves(pattern: string, at: number) {
  halves.lastIndex = at;
  const [all, before, behind] = halves.exec(pattern) ?? [];
  // Two halves by themselves are a pair, in classes too: see `translate-pattern.ts`.
  if (all === undefined || !all.includes('[')) return undefined;
  const first = rangesOf(before!);
  const second = rangesOf(behind!).map(([from, to]): Range => [Math.max(from, 0xdc00), to]);
  const areFirst = first.every(([from, to]) => from >= 0xd800 && from <= to && to <= 0xdbff);
  const areSecond = second.every(([from, to]) => from <= to && to <= 0xdfff);
  if (!areFirst || !areSecond || countOf(first, second) > MAX_RANGES) return undefined;
  const ranges = first.flatMap((one) => second.flatMap((other) => charactersOf(one, other)));
  return { text: `[${ranges.map(written).join('')}]`, length: all.length };
}

function rangesOf(halvesOrHalf: string): Range[] {
  const numbers = /\\u([\da-f]{4})(?:-\\u([\da-f]{4}))?/gi;
  return Array.from(halvesOrHalf.matchAll(numbers), ([, from, to]) => [
    Number.parseInt(from!, 16),
    Number.parseInt(to ?? from!, 16),
  ]);
}

const isAll = ([from, to]: Range) => from === 0xdc00 && to === 0xdfff;

/** How many ranges of characters there are. */
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

/**
 * Edges of words. A word character is a letter, number or mark, but no variation selector and no
 * U+20E3: `❤️kill` has two words. A run of `_` between two word characters joins them
 * (`snake_case`); elsewhere it is an edge, as Markdown has it: `_kill_` is a word in italics.
 * Scripts written without spaces have no edges that could be seen, so each of their characters is
 * an edge on either side. Script extensions are what counts: the prolonged sound mark `ー` is Kana
 * to its readers, though its own script is Common. Characters that Latin has too are left out: in
 * newer data the tilde of a decomposed `ñ` is Thai too, and the dot below of `ạ` Kana.
 */

/**
 * How a term is read: as a whole `word`, as a `substring` of the text, as the `prefix` of a word
 * (the term begins at a word edge), or as the `suffix` of one (it ends at a word edge).
 */
export type WordReading = 'word' | 'substring' | 'prefix' | 'suffix';

/** Bits: no word edge is required where an occurrence begins, or where it ends. */
export const FREE_START = 1;
export const FREE_END = 2;

const freeSides: Readonly<Record<WordReading, number>> = {
  word: 0,
  suffix: FREE_START,
  prefix: FREE_END,
  substring: FREE_START | FREE_END,
};

/** Returns sides that need no word edge, by term. One reading is that of all terms. */
export function freeSidesOf(readings: WordReading | readonly WordReading[], count: number): Uint8Array {
  const free = new Uint8Array(count);
  if (typeof readings === 'string') return free.fill(freeSides[readings]);
  for (let term = 0; term < count; term++) free[term] = freeSides[readings[term]!];
  return free;
}

/**
 * A lone surrogate is none. Variation selectors and the enclosing keycap choose how the character
 * before them is displayed.
 */
const wordCharacter = /^(?![\ufe00-\ufe0f\u20e3\u{e0100}-\u{e01ef}])[\p{L}\p{N}\p{M}]$/u;
/** A character of a script that is written without spaces. */
export const spaceless =
  /^(?!\p{scx=Latin})[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u;

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

const UNKNOWN = 0;
const BREAKS = 1;
const JOINS = 2;

/**
 * Whether a code point joins, tested by the regular expressions once and then kept: 64 KB for each
 * plane that occurs.
 */
const known: (Uint8Array | undefined)[] = [];

/**
 * Whether a code point joins with a joining neighbour to one word; `_`, which joins what is on both
 * sides of it, is left out.
 */
export function joinsWords(code: number): boolean {
  known[code >>> 16] ??= new Uint8Array(0x10000);
  const plane = known[code >>> 16]!;
  const answer = plane[code & 0xffff]!;
  if (answer !== UNKNOWN) return answer === JOINS;
  const character = String.fromCodePoint(code);
  const joins = wordCharacter.test(character) && !spaceless.test(character);
  plane[code & 0xffff] = joins ? JOINS : BREAKS;
  return joins;
}

/** The character that joins words where a run of it stands between two characters that join. */
const LINK = 0x5f;

/** Reports whether a code point links words. */
export const linksWords = (code: number): boolean => code === LINK;

/** Reports whether the character that ends at `at` joins words; `at` is more than 0. */
export function joinsBefore(text: string, at: number): boolean {
  const unit = charCodeAt.call(text, at - 1);
  if ((unit & 0xfc00) !== 0xdc00 || at < 2) return joinsWords(unit);
  const previous = charCodeAt.call(text, at - 2);
  return joinsWords((previous & 0xfc00) === 0xd800 ? codePointAt.call(text, at - 2)! : unit);
}

/**
 * Whether a word may begin or end at offset `at`: not between two characters that join, nor in or
 * beside a run of `_` between two such. An end of a term that is not a word character needs no
 * edge, which is the same test, since such a character joins with nothing.
 */
export function isWordEdge(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (charCodeAt.call(text, at - 1) === LINK || charCodeAt.call(text, at) === LINK) return !joinsAcross(text, at);
  return !joinsBefore(text, at) || !joinsWords(codePointAt.call(text, at)!);
}

/**
 * Runs of `_` that are longer on one side of an offset are looked up: a term of `_` would read them
 * again at each of its places.
 */
const FEW = 16;

/** Whether the run of `_` at an offset, or that ends there, stands between two word characters. */
function joinsAcross(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && at - from < FEW && charCodeAt.call(text, from - 1) === LINK) from--;
  let to = at;
  while (to < text.length && to - at < FEW && charCodeAt.call(text, to) === LINK) to++;
  const isLong = at - from === FEW || to - at === FEW;
  return isLong ? longRuns(text)[at] === 1 : joinsBetween(text, from, to);
}

function joinsBetween(text: string, from: number, to: number): boolean {
  return from > 0 && to < text.length && joinsBefore(text, from) && joinsWords(codePointAt.call(text, to)!);
}

/**
 * Long runs of the text looked up last, by offset: 1 in and beside such a run where it joins words.
 */
let looked: { readonly text: string; readonly joins: Uint8Array } = { text: '', joins: new Uint8Array(0) };

function longRuns(text: string): Uint8Array {
  if (looked.text === text) return looked.joins;
  const joins = new Uint8Array(text.length + 1);
  for (let from = text.indexOf(String.fromCharCode(LINK)); from >= 0; ) {
    let to = from + 1;
    while (charCodeAt.call(text, to) === LINK) to++;
    if (to - from >= FEW && joinsBetween(text, from, to)) joins.fill(1, from, to + 1);
    from = text.indexOf(String.fromCharCode(LINK), to);
  }
  looked = { text, joins };
  return joins;
}

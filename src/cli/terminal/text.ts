/**
 * Matches characters that a terminal interprets or does not show: control characters (C0, DEL, C1),
 * format characters (bidirectional controls, zero-width characters, tags), line and paragraph
 * separators, private use, lone surrogates, and the few letters without a glyph.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u{115f}\u{1160}\u{3164}\u{ffa0}]|\u{34f}|\u{17b4}|\u{17b5}/gu;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const joiner = '\u{200d}';

/**
 * Matches emoji that consist of several joined by U+200D, such as 👩‍🚀: only those in Unicode's
 * list, so that joiners elsewhere stay visible. Created when needed, which takes 8 ms.
 */
let joinedEmoji: RegExp | undefined;

/**
 * Returns an untrusted text as one line that is safe on a terminal. Invisible characters become
 * escapes, joined emoji are kept.
 */
export function escapeText(text: string): string {
  if (!text.includes(joiner)) return escapeInvisible(text);
  let escaped = '';
  let at = 0;
  // biome-ignore lint/complexity/useRegexLiterals: a literal with this flag needs a later target
  joinedEmoji ??= new RegExp('\\p{RGI_Emoji_ZWJ_Sequence}', 'gv');
  for (const { 0: emoji, index } of text.matchAll(joinedEmoji)) {
    escaped += escapeInvisible(text.slice(at, index)) + emoji;
    at = index + emoji.length;
  }
  return escaped + escapeInvisible(text.slice(at));
}

function escapeInvisible(text: string): string {
  return text.replace(invisible, (found) => {
    const code = found.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return shortEscapes[found] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`);
  });
}

/** Created when needed. ASCII texts do not need it. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Matches characters that are two columns wide: the blocks that EastAsianWidth.txt calls wide or
 * fullwidth, and characters with emoji presentation by default.
 */
const wide =
  /^[\u{1100}-\u{115f}\u{2329}\u{232a}\u{2e80}-\u{303e}\u{3041}-\u{a4c6}\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe10}-\u{fe19}\u{fe30}-\u{fe6b}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const letters = /\p{L}/gu;
const hasEmojiForm = /^\p{Emoji}/u;
/** Matches combining marks without a base letter. */
export const onlyMarks = /^\p{M}+$/u;

/** Returns the grapheme clusters of a text, in order. */
export function graphemesOf(text: string): Iterable<{ readonly segment: string }> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

/** Returns the width, in terminal columns, of a text that `escapeText` has escaped. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (onlyMarks.test(grapheme)) return 0;
  // U+FE0F selects the emoji form of a character that also has a text form.
  if (grapheme.includes('\u{fe0f}') && hasEmojiForm.test(grapheme)) return 2;
  if (wide.test(grapheme)) return 2;
  // Terminals give every letter of a Devanagari conjunct or a Thai syllable its own column.
  return Math.max(1, grapheme.match(letters)?.length ?? 0);
}

/** Scripts that are written from right to left. */
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\u{fb1d}-\u{fdff}\u{fe70}-\u{feff}]/u;

/**
 * Reports whether a text has letters that terminals reorder, so that their columns are not known.
 */
export function isReordered(text: string): boolean {
  return rightToLeft.test(text);
}

/**
 * Reports whether all terminals use the same columns for an escaped text that is not reordered:
 * each grapheme has one column, or is a single character with two. Terminals differ for joined
 * graphemes: emoji of several characters, and conjuncts.
 */
export function hasSteadyColumns(text: string): boolean {
  if (/^[ -~]*$/.test(text)) return true;
  for (const { segment } of graphemesOf(text)) {
    const isOne = segment.length === (segment.codePointAt(0)! > 0xffff ? 2 : 1);
    if (graphemeWidth(segment) !== 1 && !isOne) return false;
  }
  return true;
}

/** Number of UTF-16 units that are kept for each column. Further ones are cut off. */
const mostPerColumn = 64;

/** Cuts a text to `columns` columns, with an ellipsis in the last one if something was cut. */
export function fitText(text: string, columns: number): string {
  // A text may be as long as a message, but the columns show only few of its characters, unless it
  // consists of combining marks.
  const head = text.slice(0, columns * mostPerColumn);
  let kept = '';
  let width = 0;
  for (const { segment } of graphemesOf(head)) {
    width += graphemeWidth(segment);
    if (width > columns) return `${kept}…`;
    if (width < columns) kept += segment;
  }
  return head === text ? text : `${kept}…`;
}

/**
 * Breaks a text into pieces of at most `columns` columns. A wider character is a piece by itself.
 */
function breakText(text: string, columns: number): string[] {
  const pieces = [''];
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    const segmentWidth = graphemeWidth(segment);
    if (width + segmentWidth > columns && pieces.at(-1) !== '') {
      pieces.push('');
      width = 0;
    }
    pieces[pieces.length - 1] += segment;
    width += segmentWidth;
  }
  return pieces;
}

/**
 * Joins pieces on as few lines as the width allows. A piece that is too wide has a line of its own.
 * Separators are at the ends of lines, unless they begin with a blank.
 */
export function wrapParts(pieces: readonly string[], width: number, separator = ', '): string[] {
  const end = separator.startsWith(' ') ? '' : separator.trimEnd();
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    const joined = last === undefined ? piece : last + separator + piece;
    if (last !== undefined && textWidth(joined + end) <= width) lines[lines.length - 1] = joined;
    else lines.push(piece);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? line + end : line));
}

/** Wraps a text between words. */
export function wrapWords(text: string, width: number): string[] {
  return wrapParts(text.split(' '), width, ' ');
}

/**
 * Wraps a text between words, and within words that are wider than a line. Lines after the first
 * begin with `hang`.
 */
export function wrapHanging(text: string, width: number, hang: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (textWidth(joined) <= width) lines.splice(-1, 1, joined);
    else
      for (const piece of breakText(word, width - hang.length)) lines.push(lines.length === 0 ? piece : hang + piece);
  }
  return lines;
}

/** Returns a number with thousands separators. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** Returns a number and its noun: `1 rule`, `1,204 terms`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Returns a share in percent with one decimal, or `<0.1 %` for a share that is not zero but would
 * be rounded to it.
 */
export function formatPercent(count: number, whole: number): string {
  if (whole === 0) return '';
  const percent = (count / whole) * 100;
  return count > 0 && percent < 0.05 ? '<0.1 %' : `${percent.toFixed(1)} %`;
}

/** Returns a duration in milliseconds, or in seconds from one second on. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const [seconds, tenth] = (milliseconds / 1000).toFixed(1).split('.');
  return `${formatCount(Number(seconds))}.${tenth} s`;
}

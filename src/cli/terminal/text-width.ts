const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Scripts whose characters take two columns, fullwidth forms, and pictures that are drawn as emoji by themselves. */
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u{3000}-\u{303e}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}]/u;
const halfwidth = /^[\u{ff61}-\u{ffdc}]/u;
const letters = /\p{L}/gu;
const hasEmojiForm = /^\p{Emoji}/u;
/** Marks that belong to no letter. */
export const onlyMarks = /^\p{M}+$/u;

/** Columns of a terminal that a text takes once `escapeText` has been over it. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Cuts a text to so many columns, with an ellipsis in the last one when something was cut. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Breaks a text into pieces of at most so many columns; a character that is wider than that stands alone. */
export function breakText(text: string, columns: number): string[] {
  if (textWidth(text) <= columns) return [text];
  const pieces: string[] = [];
  let piece = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    const own = graphemeWidth(segment);
    if (width + own > columns && piece !== '') {
      pieces.push(piece);
      piece = '';
      width = 0;
    }
    piece += segment;
    width += own;
  }
  return [...pieces, piece];
}

/** The characters of a text as a person sees them, with where each begins. */
export function graphemesOf(text: string): Iterable<{ readonly segment: string; readonly index: number }> {
  return graphemes.segment(text);
}

function graphemeWidth(grapheme: string): number {
  if (onlyMarks.test(grapheme)) return 0;
  // U+FE0F asks for the emoji form of a character that has both.
  if (grapheme.includes('\u{fe0f}') && hasEmojiForm.test(grapheme)) return 2;
  if (wide.test(grapheme)) return halfwidth.test(grapheme) ? 1 : 2;
  // Terminals give every letter of a Devanagari conjunct or a Thai syllable its own column.
  return Math.max(1, grapheme.match(letters)?.length ?? 0);
}

/**
 * Parses patterns as far as checks of their form need it: quantifiers, and commas between patterns.
 */

/**
 * One piece of a pattern: an escape, a class, a quantifier, or a character. `depth` is the number
 * of groups that are open before it.
 */
interface Piece {
  readonly text: string;
  readonly at: number;
  readonly depth: number;
}

const piece =
  /\\Q[\s\S]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|\(\?[a-zA-Z^-]*[:)]|\(\?P?<\w*>|\(\?(?:<[=!]|[=!>|])|[\s\S]/g;

export function* piecesOf(pattern: string): Generator<Piece> {
  let depth = 0;
  for (const { 0: text, index: at } of pattern.matchAll(piece)) {
    if (text.endsWith(')') && !text.startsWith('\\') && !text.startsWith('(') && !text.startsWith('[')) depth--;
    yield { text, at, depth };
    if (text.startsWith('(') && !text.endsWith(')')) depth++;
  }
}

/** Splits a pattern at the commas that are outside of groups and classes. */
export function partsAtCommas(pattern: string): string[] {
  const patterns: string[] = [];
  let from = 0;
  for (const { text, at, depth } of piecesOf(pattern)) {
    if (text !== ',' || depth !== 0) continue;
    patterns.push(pattern.slice(from, at));
    from = at + 1;
  }
  return [...patterns, pattern.slice(from)];
}

/** A letter that is not ASCII, or a class or script that has only such letters. */
const foreign =
  /\\p\{(?!Latin|Common|Inherited|Any)[A-Z][a-z_]{2,}\}|\[(?!\^)[^\w[\]\\]*[^\0-\x7f][^\w[\]\\]*\]|(?![\0-\x7f])[\p{L}\p{M}\p{N}]/u
    .source;
/**
 * A `\b` before such a letter, which may be the first in groups, and a `\b` after such a letter,
 * which may be the last in groups.
 */
const edges = {
  start: new RegExp(
    String.raw`(?<!\\)((?:\\\\)*\\b)(?:(?:\(\?[a-zA-Z]*[:)]|\((?!\?))(?:[^()]*\|)?)*(${foreign})(?![?*]|\{0)`,
    'u',
  ),
  end: new RegExp(String.raw`(${foreign})(?:\+|\{[1-9][^}]*\})?(?:(?:\|[^()]*)?\))*(\\b)`, 'u'),
} as const;

/**
 * Returns a letter that is not ASCII beside a `\b`, also if it is one of several alternatives, and
 * the pattern with word edges that work there. Undefined if there is no such letter.
 */
export function edgeBesideForeignLetter(
  pattern: string,
): { readonly letter: string; readonly mended: string } | undefined {
  const letter = edges.start.exec(pattern)?.[2] ?? edges.end.exec(pattern)?.[1];
  if (letter === undefined) return undefined;
  const replaced = (side: keyof typeof edges, text: string) =>
    text.replace(new RegExp(edges[side], 'gu'), (found) => found.replace(/\\b/, () => realEdge[side]));
  return { letter, mended: replaced('end', replaced('start', pattern)) };
}

/**
 * Word edges that RE2 itself lacks: between letters, marks and digits of all scripts and anything
 * else.
 */
export const realEdge = {
  start: '(?:^|[^\\p{L}\\p{M}\\p{N}_])',
  end: '(?:$|[^\\p{L}\\p{M}\\p{N}_])',
} as const;

/** The syntax of patterns as far as checks of their form need it: what is a quantifier, and where a comma separates. */

/** One piece of a pattern: an escape, a class, a quantifier, or a character. `depth`: how many groups are open before it. */
interface Piece {
  readonly text: string;
  readonly at: number;
  readonly depth: number;
}

const piece =
  /\\Q[\s\S]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|\(\?[^:)<P]*[:)]|[\s\S]/g;

function* piecesOf(pattern: string): Generator<Piece> {
  let depth = 0;
  for (const { 0: text, index: at } of pattern.matchAll(piece)) {
    if (text.endsWith(')') && !text.startsWith('\\') && !text.startsWith('(') && !text.startsWith('[')) depth--;
    yield { text, at, depth };
    if (text.startsWith('(') && !text.endsWith(')')) depth++;
  }
}

/** The first repetition without a bound, with what it repeats; `undefined` when there is none. */
export function unboundedIn(pattern: string): string | undefined {
  let before = '';
  for (const { text } of piecesOf(pattern)) {
    if (text === '*' || text === '+' || /^\{\d+,\}$/.test(text)) return (before === ')' ? '(…)' : before) + text;
    before = text;
  }
  return undefined;
}

/** The parts of a pattern between the commas that stand in no group and no class; one part where there are none. */
export function partsAtCommas(pattern: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { text, at, depth } of piecesOf(pattern)) {
    if (text !== ',' || depth !== 0) continue;
    parts.push(pattern.slice(from, at));
    from = at + 1;
  }
  return [...parts, pattern.slice(from)];
}

const word = /^(?:\(\?i\))?(?:\\b)?([\p{L}\p{N}][\p{L}\p{M}\p{N}' -]*)(?:\\b)?$/u;

/** The word that a pattern is, perhaps with word edges or `(?i)`; `undefined` for any other pattern. */
export function wordOf(pattern: string): string | undefined {
  const found = word.exec(pattern)?.[1];
  return found !== undefined && /\p{L}/u.test(found) ? found : undefined;
}

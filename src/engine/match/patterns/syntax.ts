/**
 * The syntax of patterns as far as checks of their form need it: what is a quantifier, and where a
 * comma separates.
 */

/**
 * One piece of a pattern: an escape, a class, a quantifier, or a character. `depth`: how many
 * groups are open before it.
 */
export interface Piece {
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

/**
 * Returns the first repetition without a bound, with what it repeats; `undefined` when there is
 * none.
 */
export function unboundedIn(pattern: string): string | undefined {
  let before = '';
  for (const { text } of piecesOf(pattern)) {
    if (text === '*' || text === '+' || /^\{\d+,\}$/.test(text)) return (before === ')' ? '(…)' : before) + text;
    before = text;
  }
  return undefined;
}

/**
 * Returns the parts of a pattern between the commas that stand in no group and no class; one part
 * where there are none.
 */
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

/**
 * Returns the word that a pattern is, perhaps with word edges or `(?i)`; `undefined` for any other
 * pattern.
 */
export function wordOf(pattern: string): string | undefined {
  const found = word.exec(pattern)?.[1];
  return found !== undefined && /\p{L}/u.test(found) ? found : undefined;
}

/** On which side of a word an edge stands. */
export type EdgeSide = 'start' | 'end';

/** A `\b`, and the letter beside it. */
interface ForeignEdge {
  readonly at: number;
  readonly side: EdgeSide;
  readonly letter: string;
}

/**
 * Returns the `\b` beside which a letter stands, perhaps as one of several alternatives, that is
 * not ASCII: a literal, a class or a script. Work is in proportion to the pattern; edges of one
 * that is nested too deeply for that are left out.
 */
export function edgesBesideForeignLetters(pattern: string): ForeignEdge[] {
  const pieces = [...piecesOf(pattern)];
  const besides = createNeighbours(pieces);
  return pieces.flatMap(({ text, at }, index): ForeignEdge[] => {
    if (text !== '\\b') return [];
    const first = besides(index + 1, 1).find(isForeign);
    const last = besides(index - 1, -1).find(isForeign);
    const side = first === undefined ? 'end' : 'start';
    return first === undefined && last === undefined ? [] : [{ at, side, letter: first ?? last! }];
  });
}

const isOptional = (text: string | undefined) => text === '?' || text === '*' || /^\{0[,}]/.test(text ?? '');

/**
 * Makes the function of the pieces that may stand first from a place on, forwards or backwards;
 * none where that cannot be said.
 */
function createNeighbours(pieces: readonly Piece[]) {
  let steps = 20 * pieces.length;
  const besides = (from: number, step: 1 | -1, nesting = 0): readonly string[] => {
    const here = pieces[from];
    if (here === undefined || nesting > 100) return [];
    const { text, depth } = here;
    const isFlags = text.startsWith('(?') && text.endsWith(')');
    // Behind its pieces a repetition says whether they must be there.
    const isRepetition = step < 0 && (text === '+' || /^\{[1-9]/.test(text));
    if (isFlags || isRepetition) return besides(from + step, step, nesting + 1);
    if (isOptional(step < 0 ? text : pieces[from + 1]?.text)) return [];
    if (step > 0 ? !text.startsWith('(') : text !== ')') return [text];
    const found = [...besides(from + step, step, nesting + 1)];
    for (let at = from + step; steps-- > 0; at += step) {
      const inside = pieces[at];
      if (inside === undefined || inside.depth <= depth) break;
      const isOr = inside.text === '|' && inside.depth === depth + 1;
      if (isOr) for (const beside of besides(at + step, step, nesting + 1)) found.push(beside);
    }
    return found;
  };
  return besides;
}

/** Returns a letter that is not ASCII, or a class or script of such letters alone. */
function isForeign(text: string): boolean {
  if (text.startsWith('\\p{')) return /^\\p\{(?!Latin|Common|Inherited|Any)[A-Z][a-z_]{2,}/.test(text);
  if (text.startsWith('[')) return !/^\[\^|[\w[\\]/.test(text.slice(1)) && /[^\0-\x7f]/.test(text);
  return /^[\p{L}\p{M}\p{N}]$/u.test(text) && text > '\x7f';
}

/** Finds constructs of other regular expressions that RE2 reads as plain characters. */
import { piecesOf } from './pattern-syntax.js';

/**
 * A construct of another dialect that RE2 reads as plain characters, and what to write in its
 * place.
 */
interface ForeignSyntax {
  readonly construct: string;
  readonly fix: string;
}

/** A pattern without any of these signs contains no such construct, and is not parsed. */
const suspicious = /\\[bB]\{|\\<|&&|--|~~|\|\||\{[ ,]|\{\d+ |\{\d*, |\[:/;

/** The name in a named class or edge, such as `\b{start}`. */
const namedEdge = /^\\([bB])\{([\w-]+)\}/;
/** A repetition with blanks, or without its lower bound. */
const looseRepetition = /^\{ *(\d*) *(?:(,) *(\d*) *)?\}/;
/** An operation on two classes, each written out or in brackets. */
const classOperation = /(?<=[^[^])&&(?=[^\]])|(?:--|~~|\|\|)(?=\[|\\[pPdDsSwW])/;
const bareClass = /^\[(:\^?[a-z]+:)\]$/;
/** A word edge as GNU writes it, before a letter, a class or a group. */
const openingEdge = /^\\<[\p{L}\p{N}([.\\]/u;
const closingEdge = /[\p{L}\p{N})\].*+?}]\\>/u;

/**
 * Returns the first construct of another dialect that RE2 reads as plain characters, or
 * `undefined`. A pattern with it compiles, but does not match what it was written for.
 */
export function foreignSyntaxIn(pattern: string): ForeignSyntax | undefined {
  if (!suspicious.test(pattern)) return undefined;
  const hasClosingEdge = closingEdge.test(pattern);
  let before = '(';
  for (const { text, at } of piecesOf(pattern)) {
    const mayBeForeign = text === '\\<' ? hasClosingEdge : text !== '{' || !/^[(|^]/.test(before);
    const found = mayBeForeign ? foreignPiece(pattern, text, at) : undefined;
    if (found !== undefined) return found;
    before = text;
  }
  return undefined;
}

function foreignPiece(pattern: string, text: string, at: number): ForeignSyntax | undefined {
  if (text.startsWith('[')) return foreignClass(text);
  if (text === '\\b' || text === '\\B') {
    const [construct, letter] = namedEdge.exec(pattern.slice(at, at + 40)) ?? [];
    return construct === undefined ? undefined : { construct, fix: `write \`\\${letter}\`` };
  }
  if (text === '\\<') {
    if (!openingEdge.test(pattern.slice(at, at + 4))) return undefined;
    return { construct: '\\<…\\>', fix: 'write `\\b` for the edge of a word, or `<` and `>` for the signs themselves' };
  }
  if (text !== '{') return undefined;
  const [construct, least = '', comma = '', most = ''] = looseRepetition.exec(pattern.slice(at, at + 40)) ?? [];
  if (construct === undefined || (least === '' && most === '')) return undefined;
  return { construct, fix: `write \`{${least || '0'}${comma}${most}}\`` };
}

function foreignClass(text: string): ForeignSyntax | undefined {
  const named = bareClass.exec(text)?.[1];
  if (named !== undefined) return { construct: text, fix: `write \`[[${named}]]\`` };
  const operation = classOperation.exec(text.replace(/\\[\\\][]/g, '..'))?.[0];
  if (operation === undefined) return undefined;
  return { construct: operation, fix: 'write out the characters of the class; RE2 cannot combine classes' };
}

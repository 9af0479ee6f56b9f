/** Searches for terms and patterns with what JavaScript brings. */

/**
 * Reports whether all contenders fold a text in the same way: simple folding, `toLowerCase` and
 * `RegExp` with `i` differ in a few characters (`İ`, final `ς`, `ſ`, the Kelvin sign), for which
 * more than one count is right.
 */
export function isComparable(text: string): boolean {
  return !/\u0345|[\u0130\u0131\u017f\u1e9e\u212a\u212b\u2126\u03c2\u1c80-\u1c88\u{10400}-\u{104ff}]/u.test(text);
}

/**
 * Returns a text with white space as single spaces: runs of it are equal in our matcher and differ
 * elsewhere, which is not measured.
 */
export function tidy(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim();
}

/** Returns a regular expression that matches a term literally, in every dialect. */
export function escapeTerm(term: string): string {
  return term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Returns whether a text has a hit. */
export type Search = (text: string) => boolean;

/** Tests expressions one after the other, up to the first that matches. */
export function anyOf(expressions: readonly { test(text: string): boolean }[]): Search {
  const [only] = expressions;
  if (only !== undefined && expressions.length === 1) return (text) => only.test(text);
  return (text) => {
    for (const expression of expressions) if (expression.test(text)) return true;
    return false;
  };
}

/** Searches for terms by `includes`; the text is put into lower case once for all of them. */
export function anyIncluded(terms: readonly string[]): Search {
  if (terms.length === 0) return () => false;
  const lower = terms.map((term) => term.toLowerCase());
  return (text) => {
    const folded = text.toLowerCase();
    for (const term of lower) if (folded.includes(term)) return true;
    return false;
  };
}

/**
 * Length of source up to which V8 optimises an expression, and the length of parts that was fastest
 * beyond it.
 */
const optimisedUpTo = 19_500;
const partSize = 8_000;

/**
 * Searches for any of the terms, without regard to case, by alternation: one expression, or several
 * where V8 would not optimise one. The flag `u` would make it twenty times slower and changes
 * nothing for literals.
 */
export function alternation(terms: readonly string[]): Search {
  const sources = terms.map(escapeTerm);
  const isShort = sources.join('|').length <= optimisedUpTo;
  const parts: string[] = [];
  for (const source of sources) {
    const last = parts.at(-1);
    const fits = last !== undefined && (isShort || last.length + source.length < partSize);
    if (fits) parts[parts.length - 1] = `${last}|${source}`;
    else parts.push(source);
  }
  return anyOf(parts.map((source) => new RegExp(source, 'i')));
}

/**
 * Compiles a pattern of RE2 syntax as `RegExp`: a leading `(?i)` becomes a flag, `u` is set where
 * it is needed.
 */
export function nativePattern(text: string): RegExp {
  const insensitive = text.startsWith('(?i)');
  const source = (insensitive ? text.slice(4) : text)
    .replace(/\\x\{/g, '\\u{')
    .replace(/\\p\{(?=[A-Z][a-z]{2,}\})/g, '\\p{Script=');
  return new RegExp(source, `${insensitive ? 'i' : ''}${/\\p\{|\\u\{|[^\0-\x7f]/iu.test(source) ? 'u' : ''}`);
}

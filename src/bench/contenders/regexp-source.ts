import type { Needle } from '../model.js';

/** A term as a regular expression that matches it literally, in every dialect that takes part. */
export function escapeTerm(term: string): string {
  return term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Characters of source up to which V8 optimises an expression; and of the parts that were fastest beyond that. */
const optimisedUpTo = 19_500;
const partSize = 8_000;

/**
 * A search for any of the terms by alternation, caseless. Without `u`, which makes it twenty times slower and changes nothing
 * for literals. In one expression, or in several when one would be so long that V8 no longer optimises it.
 */
export function alternation(terms: readonly Needle[]): (text: string) => boolean {
  const sources = terms.map(({ text }) => escapeTerm(text));
  const whole = sources.join('|');
  const parts = whole.length <= optimisedUpTo ? [whole] : partsOf(sources);
  const expressions = parts.map((source) => new RegExp(source, 'i'));
  const [only] = expressions;
  if (only !== undefined && expressions.length === 1) return (text) => only.test(text);
  return (text) => {
    for (const expression of expressions) if (expression.test(text)) return true;
    return false;
  };
}

function partsOf(sources: readonly string[]): string[] {
  const parts: string[] = [];
  for (const source of sources) {
    const last = parts.at(-1);
    if (last === undefined || last.length + source.length >= partSize) parts.push(source);
    else parts[parts.length - 1] = `${last}|${source}`;
  }
  return parts;
}

/** A pattern of RE2 syntax as `RegExp` takes it: a leading `(?i)` becomes a flag, `u` is given where it is needed. */
export function nativePattern({ text }: Needle): RegExp {
  const insensitive = text.startsWith('(?i)');
  const source = (insensitive ? text.slice(4) : text)
    .replace(/\\x\{/g, '\\u{')
    .replace(/\\p\{(?=[A-Z][a-z]{2,}\})/g, '\\p{Script=');
  return new RegExp(source, `${insensitive ? 'i' : ''}${/\\p\{|\\u\{|[^\0-\x7f]/iu.test(source) ? 'u' : ''}`);
}

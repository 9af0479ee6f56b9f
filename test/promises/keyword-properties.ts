/** Keywords against brute force: every term tried at every character, as a regular expression of V8. */
import fc from 'fast-check';
import { wordFinder } from '../support/oracle-text.js';
import { defaultReadings, type Readings } from '../support/oracle-world.js';
import { wordReadings } from '../support/readings.js';
import { simpleFold } from '../support/simple-fold.js';
import { engineOf, findsOf } from './engines.js';

/** Characters that make terms overlap, fold, nest and end in odd places. */
const character = fc.constantFrom(
  ...['a', 'a', 'a', 'b', 'A', 'é', 'e\u0301', '\u0301', 'ß', 'ſ', 's', '\u212a', 'k', 'σ', 'ς', 'д', 'Д', '1', '_'],
  ...[' ', '\t', '\n', '\u00a0', '-', '*', '中', 'ー', 'ไ', '😀', '𐐀', '𐐨', '\ud83d', '\ude00', '\u0000', '\u200d'],
);
const join = (parts: readonly string[]) => parts.join('');

/** A text and terms: pieces of it, their beginnings and ends, single letters, and some that are not in it. */
const textAndTerms = fc.array(character, { minLength: 1, maxLength: 60 }).chain((parts) => {
  const piece = fc
    .tuple(fc.nat(parts.length - 1), fc.integer({ min: 1, max: 8 }))
    .map(([from, length]) => join(parts.slice(from, from + length)));
  const family = piece.map((term) => [term, ...[...term].map((_, at) => [...term].slice(at).join('')), [...term][0]!]);
  const strange = fc.array(character, { minLength: 1, maxLength: 4 }).map((other) => [join(other)]);
  return fc.tuple(fc.constant(join(parts)), fc.array(fc.oneof(family, strange), { minLength: 1, maxLength: 4 }));
});

/** What brute force finds; V8 takes a lone surrogate as a character of its own under the flag `u`, as is right. */
export function bruteForce(terms: readonly string[], text: string, changes: Partial<Readings>): string[] {
  // Terms that are read alike and differ by case where it does not count, by blanks at their ends, or by the kind of white space within are one, as first written.
  const { folding = 'case', words = 'word', wildcards = 'off' } = changes;
  const form = (written: string) => {
    const [, before = '', inner = written.trim(), after = ''] =
      (wildcards === 'off' ? null : /^(\*?)(.*?)(\*?)$/s.exec(written.trim())) ?? [];
    // An asterisk keeps a blank beside it.
    const bare = inner.replace(/\s+/g, ' ');
    const open =
      before + after === ''
        ? [words !== 'word' && words !== 'prefix', words !== 'word' && words !== 'suffix']
        : [before !== '', after !== ''];
    return JSON.stringify([folding === 'exact' ? bare : simpleFold(bare), open]);
  };
  const first = terms.filter((term, at) => terms.findIndex((other) => form(other) === form(term)) === at);
  const finders = first.map((term) => ({
    term,
    find: wordFinder(term, 'contains', { ...defaultReadings, ...changes }, '')!,
  }));
  return finders.flatMap(({ term, find }) => find(text).map(([start, end]) => `${start} ${end} ${term}`)).sort();
}

function withAsterisks(term: string, where: string): string {
  return `${where === 'begins' || where === 'both' ? '*' : ''}${term}${where === 'ends' || where === 'both' ? '*' : ''}`;
}

/** Terms that are beginnings, ends and parts of each other, in texts of few characters. */
export const keywordsEqualBruteForce = fc.property(
  textAndTerms,
  fc.constantFrom(...wordReadings),
  fc.constantFrom('case' as const, 'exact' as const),
  fc.array(fc.constantFrom('', 'begins', 'ends', 'both'), { minLength: 1, maxLength: 5 }),
  ([text, families], words, folding, asterisks) => {
    const whole = [...new Set(families.flat())].filter((term) => term.trim() !== '');
    const wild = whole.map((term, at) => withAsterisks(term, asterisks[at % asterisks.length]!));
    const wildcards = asterisks.some((where) => where !== '') ? 'asterisk' : 'off';
    const terms = [...new Set(wild)];
    const found = findsOf(engineOf(terms, { words, folding, wildcards }), text);
    const expected = bruteForce(terms, text, { words, folding, wildcards });
    if (found.join('\n') !== expected.join('\n'))
      throw new Error(`found ${JSON.stringify(found)}, brute force ${JSON.stringify(expected)}`);
  },
);

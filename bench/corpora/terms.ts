import { createRandom, type Random } from '../../fixtures/random.js';
import type { Definition } from '../definition.js';
import { isComparable } from '../rules/searches.js';
import { fixtureTerms, fixtureTexts } from './fixture-data.js';

/**
 * Terms as in the lists of a moderator. Those of the fixtures come first; the rest is made of the
 * vocabulary of the messages of the fixtures: a word with a letter changed, two words, two half
 * words. So terms have prefixes of words of the messages, as real ones do, and an automaton reaches
 * deep states in clean text too, which random syllables would not cause. `english` is ASCII only,
 * `mixed` draws from all scripts alike. The same arguments give the same list, and a longer list
 * begins with the shorter one.
 */
export function createTerms(language: Definition['ruleSet']['language'], count: number): string[] {
  const random = createRandom(4_711, `terms/${language}`);
  const wanted = language === 'english' ? isAscii : () => true;
  const terms = new Set(fixtureTerms().filter((term) => wanted(term) && isComparable(term)));
  const vocabulary = vocabularyOf(language);
  const rare = rareness();
  for (let tries = 0; terms.size < count && tries < count * 200; tries++) {
    const term = makeTerm(random.pick(vocabulary), random);
    if (term.length >= 3 && term.length <= 40 && wanted(term) && isComparable(term) && rare(term)) terms.add(term);
  }
  if (terms.size < count) throw new RangeError(`only ${terms.size} of ${count} terms could be made`);
  return [...terms].slice(0, count);
}

const isAscii = (text: string) => /^[ -~]+$/.test(text);

/**
 * Words of the fixtures' messages by script, scripts without spaces cut into pieces; scripts count
 * alike.
 */
function vocabularyOf(language: Definition['ruleSet']['language']): readonly (readonly string[])[] {
  const scripts =
    language === 'english' ? ['Latin'] : ['Latin', 'Cyrillic', 'Arabic', 'Devanagari', 'Han', 'Hiragana', 'Hangul'];
  const all = fixtureTexts().join('\n').toLowerCase();
  return scripts
    .map((script) => {
      const words = all.match(new RegExp(`\\p{Script=${script}}[\\p{Script=${script}}\\p{M}]{1,13}`, 'gu')) ?? [];
      return [...new Set(words)].filter((word) => language === 'mixed' || isAscii(word)).sort();
    })
    .filter((words) => words.length > 20);
}

function makeTerm(words: readonly string[], random: Random): string {
  const one = [...random.pick(words)];
  const other = [...random.pick(words)];
  const kind = random.int(1, 10);
  if (kind <= 2) return `${one.join('')} ${other.join('')}`;
  if (kind <= 5)
    return one
      .slice(0, Math.ceil(one.length / 2))
      .concat(other.slice(Math.floor(other.length / 2)))
      .join('');
  if (kind <= 6) return one.concat(other).join('');
  const place = random.int(0, one.length - 1);
  const changed = [...one];
  changed[place] = random.pick(other);
  if (kind <= 8) changed.push(...other.slice(0, 2));
  return changed.join('');
}

/**
 * A test that a made term occurs in none of the fixtures' messages: one of its runs of three or
 * four characters does not. Otherwise the rate of hits would follow from the number of terms, and
 * could not be chosen.
 */
function rareness(): (term: string) => boolean {
  const seen = new Set<string>();
  for (const text of fixtureTexts()) {
    const folded = ` ${text.toLowerCase()} `;
    for (let at = 0; at + 3 <= folded.length; at++) {
      seen.add(folded.slice(at, at + 3));
      seen.add(folded.slice(at, at + 4));
    }
  }
  const isRare = (term: string) => {
    for (const length of [3, 4])
      for (let at = 0; at + length <= term.length; at++) if (!seen.has(term.slice(at, at + length))) return true;
    return false;
  };
  return (term) => isRare(term) && isRare(inLatin(term));
}

const cyrillic = [...'авгекмнорстухьіј'];
const latin = [...'abrekmhopctyxbij'];

/**
 * A term with the Latin letters that are confusable with its Cyrillic ones: folding of confusables
 * finds `моге` in `more`.
 */
function inLatin(term: string): string {
  return [...term].map((letter) => latin[cyrillic.indexOf(letter)] ?? letter).join('');
}

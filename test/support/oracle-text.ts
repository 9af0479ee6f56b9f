/**
 * How the oracle finds: no automaton, no folding tables, no pattern set, only the regular
 * expressions of V8.
 *
 * V8 reads most patterns as RE2 does. It does not where these occur, so cases with them skip the
 * oracle: `\s` (RE2 knows ASCII white space, and no `\v`); `.` next to `\r` or U+2028; `\w`, `\b`
 * under `(?i)`; `[[:alpha:]]`, `\pL`, `\p{Greek}`; `\A`, `\z`, `\Q`, `\C`, `(?P<`; flags inside a
 * pattern; needless escapes such as `\-` outside a class; repeats over 1,000; a `]` that opens a
 * class; lone surrogates.
 */
import type { WordReading } from '../../src/index.js';
import { bareForm } from './oracle-accents.js';
import { type Place, withFormatting } from './oracle-formatting.js';
import { type HardenedMatch, hardenedMatches } from './oracle-hardened.js';
import { defangedPlaces, linkPlaces, linkTerm } from './oracle-links.js';
import { withSeparators } from './oracle-separated.js';
import { foldingOf, type Readings } from './oracle-world.js';

/** Where something occurs in a text. */
export type Finder = (text: string) => readonly Place[];

/**
 * A term that is longer is rejected. How many terms there may be is not the oracle's business: it
 * would never end.
 */
export const LONGEST_TERM = 100_000;

/**
 * Every occurrence of a term; nothing for a term that is rejected, or that must be a domain and is
 * not. `from` is its list, if any.
 */
export function wordFinder(term: string, operator: string, readings: Readings, from: string): Finder | undefined {
  if (term.length > LONGEST_TERM) return undefined;
  const isLink = operator !== 'equals' && readTerm(term, readings, from)[1] === 'links';
  return isLink && linkTerm(term) === undefined ? undefined : termFinder(term, operator, readings, from);
}

/** Every occurrence of a term that is not too long. */
export function termFinder(
  written: string,
  operator: string,
  all: Readings,
  from: string,
  isExcepting = false,
): Finder {
  const readings = { ...all, folding: foldingOf(all, from) };
  if (operator !== 'equals') {
    const [term, reading] = readTerm(written, readings, from);
    if (reading === 'links') {
      const link = linkTerm(written);
      const placesOf = readings.folding === 'hardened' ? defangedPlaces : linkPlaces;
      return (text) => (link === undefined ? [] : placesOf(link, text, undefined, isExcepting));
    }
    const find = contained(term, reading, readings);
    if (readings.folding === 'exact') return find;
    const plain = readings.folding === 'hardened' ? everywhere(term, reading, readings) : find;
    const formatted = withFormatting(find, joins, plain);
    return readings.folding === 'hardened' ? withSeparators(term, formatted) : formatted;
  }
  const find = wholeText(written, readings);
  if (readings.folding !== 'hardened') return find;
  const hardened = disguised(find, (text) => hardenedMatches(written.trim(), text, 'whole'));
  return withSeparators(written.trim(), hardened);
}

function contained(term: string, reading: WordReading, readings: Readings): Finder {
  const find = everywhere(term, reading, readings);
  return readings.folding === 'hardened' ? disguised(find, (text) => hardenedMatches(term, text, reading)) : find;
}

/** What case alone finds and, of other starts, what is disguised there. */
function disguised(find: Finder, matchesIn: (text: string) => readonly HardenedMatch[]): Finder {
  return (text) => {
    const ends = new Map(matchesIn(text).map(({ start, end }) => [start, end]));
    for (const [start, end] of find(text)) ends.set(start, end);
    return [...ends];
  };
}

/**
 * A term without the asterisks that say how it is read, and how: as they say, or else as its list
 * is, or else by default.
 */
export function readTerm(
  written: string,
  readings: Readings,
  from: string,
): [term: string, reading: WordReading | 'links'] {
  const { words, wildcards } = readings;
  const byList = typeof words === 'string' ? { default: words, lists: {} } : words;
  const own = new Map(Object.entries(byList.lists)).get(from);
  const reading = (typeof own === 'object' ? own.reading : own) ?? byList.default ?? 'word';
  const whole = written.trim();
  if (reading === 'links') return [whole, reading];
  const [, before = '', term = '', after = ''] = /^(\*?)(.*?)(\*?)$/s.exec(whole) ?? [];
  if (wildcards === 'off' || before + after === '' || /^[\s*]*$/.test(whole)) return [whole, reading];
  return [term, before === '' ? 'prefix' : after === '' ? 'suffix' : 'substring'];
}

/** The term as a regular expression: any white space matches any run of it. */
const literal = (term: string) => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
const flags = ({ folding }: Readings) => (folding === 'exact' ? 'u' : 'iu');

/**
 * A text with plain apostrophes, hyphens and dots, and where each of its units, and its end, stands
 * in the text; -1 within a character.
 */
function plainForm(text: string, { folding }: Pick<Readings, 'folding'>) {
  const plain = (unit: string) =>
    folding === 'exact' ? unit : ({ '…': '...' }[unit] ?? unit.replace(/[‘’ʼ′]/, "'").replace(/[‐‑–−]/, '-'));
  const units = text.split('').map(plain);
  const places = units.flatMap((written, at) => [...written].map((_, index) => (index === 0 ? at : -1)));
  return { text: units.join(''), places: [...places, text.length] };
}

function wholeText(term: string, readings: Readings): Finder {
  if (readings.folding === 'accents') {
    const bare = bareForm(term.trim()).text;
    const find = wholeText(bare, { ...readings, folding: 'case' });
    return (text) => {
      const start = text.length - text.trimStart().length;
      const isEqual = bare !== '' && find(bareForm(text.trim()).text).length > 0;
      return isEqual ? [[start, start + text.trim().length]] : [];
    };
  }
  const regex = new RegExp(`^${literal(plainForm(term.trim(), readings).text)}$`, flags(readings));
  return (text) => {
    const start = text.length - text.trimStart().length;
    return regex.test(plainForm(text.trim(), readings).text) ? [[start, start + text.trim().length]] : [];
  };
}

/**
 * Tries the term at every character; one that begins with white space begins where a run of it
 * does.
 */
function everywhere(term: string, reading: WordReading, readings: Readings): Finder {
  if (readings.folding === 'accents') {
    const find = everywhere(bareForm(term).text, reading, { ...readings, folding: 'case' });
    return (text) => {
      const bare = bareForm(text);
      const sent = find(bare.text).map(([start, end]) => [bare.places[start]!, bare.places[end]!] as const);
      return sent.filter(([start, end]) => start >= 0 && end >= 0);
    };
  }
  const source = literal(plainForm(term, readings).text).replace(/^\\s/, '(?<!\\s)\\s');
  const regex = new RegExp(source, `${flags(readings)}y`);
  return (text) => {
    const { text: plain, places } = plainForm(text, readings);
    return [...plain.matchAll(/./gsu)].flatMap(({ index }) => {
      regex.lastIndex = index;
      const length = regex.exec(plain)?.[0].length ?? 0;
      const [start, end] = [places[index]!, places[index + length]!];
      if (length === 0 || start < 0 || end < 0) return [];
      const begins = ['substring', 'suffix'].includes(reading) || isEdge(text, start);
      const ends = ['substring', 'prefix'].includes(reading) || isEdge(text, end);
      return begins && ends ? [[start, end] as const] : [];
    });
  };
}

/**
 * A word may begin or end anywhere but between two characters that join, with or without a run of
 * `_` between them.
 */
function isEdge(text: string, at: number): boolean {
  const before = text.slice(0, at).replace(/_+$/, '');
  const behind = text.slice(at).replace(/^_+/, '');
  return !joins([...before].at(-1) ?? '') || !joins([...behind][0] ?? '');
}

const wordCharacter = /(?![\ufe00-\ufe0f\u20e3\u{e0100}-\u{e01ef}])[\p{L}\p{N}\p{M}]/u;
const spaceless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ーｰﾞﾟ\u3099\u309a]/u;
const joins = (character: string) => wordCharacter.test(character) && !spaceless.test(character);

/** Successive matches of a pattern; nothing at all when RE2 would reject it. */
export function patternFinder(pattern: string, operator: string, readings: Readings): Finder | undefined {
  const [, inline = '', body = ''] = /^(?:\(\?([is]+)\))?(.*)$/s.exec(pattern)!;
  if (/\(\?<?[=!]|\\[1-9k]/.test(body)) return undefined;
  // Halves of characters in classes are what V8 finds without `u`.
  const hasHalves = /\\ud[89ab][\da-f]{2}\]?\[\\ud/i.test(body);
  const letters = new Set(`g${hasHalves ? '' : 'u'}${inline}${readings.patterns === 'insensitive' ? 'i' : ''}`);
  try {
    const bare = new RegExp(body, 'u').source;
    const regex = new RegExp(operator === 'equals' ? `^(?:${bare})$` : bare, [...letters].join(''));
    return (text) => [...text.matchAll(regex)].map((match) => [match.index, match.index + match[0].length]);
  } catch {
    return undefined;
  }
}

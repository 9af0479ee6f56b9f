/**
 * How people write a word so that a list does not find it: one function for each way, each keeping
 * to what the reading `folding: 'hardened'` documents as found. Words are of small ASCII letters; a
 * phrase has one space between its words.
 */
import type { Random } from '../../fixtures/random.js';

/** Writes a word otherwise. Answers the word itself when this way has nothing to offer for it. */
export type Evasion = (word: string, random: Random) => string;

const small = 'abcdefghijklmnopqrstuvwxyz';
const alphabet = (first: number) => (letter: string) =>
  small.includes(letter) ? String.fromCodePoint(first + small.indexOf(letter)) : letter;
const dresses = [0xff41, 0x1d41a, 0x1d586, 0x1d68a, 0x24d0, 0x1f130, 0x1f150, 0x1f170].map(alphabet);

/** Letters of Cyrillic, Greek and Armenian that are drawn as Latin ones. */
const lookAlikes: Readonly<Record<string, string>> = {
  ...{ a: 'аα', c: 'сϲ', d: 'ԁ', e: 'е', g: 'ɡ', h: 'һ', i: 'іı', j: 'ј', n: 'ո', o: 'оοօ', p: 'рρ', q: 'ԛ' },
  ...{ r: 'г', s: 'ѕ', u: 'սυ', v: 'νѵ', w: 'ԝ', x: 'х', y: 'уү' },
};
const digits: Readonly<Record<string, string>> = {
  ...{ a: '4@', b: '8', e: '3€', g: '69', i: '1!|', l: '1|', o: '0', s: '5$', t: '7+', z: '2' },
};
const accents: Readonly<Record<string, string>> = {
  ...{ a: 'áàâäãå', c: 'çč', e: 'éèêë', i: 'íìîï', n: 'ñń', o: 'óòôöõ', s: 'šś', u: 'úùûü', y: 'ýÿ', z: 'žż' },
};
const marks = ['\u0301', '\u0302', '\u0308', '\u0323', '\u0336', '\u20dd', '\u0489', '\u05b8'];
const unseen = ['\u200b', '\u200c', '\u200d', '\u2060', '\u00ad', '\ufeff', '\ufe0f', '\u202d', '\u2066', '\u{e0041}'];
const separators = [' ', '.', '-', '_', '*', ',', '/', '~', '·', '•'];

const letters = (word: string, change: (letter: string, at: number, all: readonly string[]) => string) =>
  [...word].map(change).join('');
/** Changes each letter with even odds, and one at the least. */
function some(word: string, random: Random, change: (letter: string) => string): string {
  const able = [...word].flatMap((letter, at) => (change(letter) === letter ? [] : [at]));
  if (able.length === 0) return word;
  const always = random.pick(able);
  return letters(word, (letter, at) => (at === always || random.chance(500) ? change(letter) : letter));
}
/** From a table; a letter that is not in it stays. */
const fromTable = (table: Readonly<Record<string, string>>, random: Random) => (letter: string) =>
  random.pick([...(table[letter] ?? letter)]);

/**
 * Signs for letters, but never all of those of a word, and no `!` but between letters and digits.
 */
function leet(phrase: string, random: Random): string {
  return phrase
    .split(' ')
    .map((word) => {
      const signs = some(word, random, fromTable(digits, random));
      const written = signs.replace(/(?<![a-z0-9])!|!(?![a-z0-9])/g, '1');
      const kept = random.int(0, word.length - 1);
      return /[a-z]/.test(written) ? written : written.slice(0, kept) + word[kept] + written.slice(kept + 1);
    })
    .join(' ');
}

/** Draws one run of equal letters out to three letters or more. */
function stretch(word: string, random: Random): string {
  const runs = word.match(/(\w)\1*|\W/g) ?? [];
  const chosen = random.pick(runs.flatMap((run, at) => (/\w/.test(run) ? [at] : [])));
  return runs.map((run, at) => (at === chosen ? run[0]!.repeat(random.int(3, 9)) : run)).join('');
}

/** Between two letters, with even odds, and once at the least. */
function between(word: string, random: Random, what: () => string): string {
  const once = random.int(0, Math.max(0, word.length - 2));
  return letters(word, (letter, at) =>
    at < word.length - 1 && (at === once || random.chance(500)) ? letter + what() : letter,
  );
}

/** Every letter by itself; only words of one piece and three letters or more have it. */
function space(word: string, random: Random): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  const separator = random.pick(separators);
  return letters(word, (letter, at) => (at < word.length - 1 ? letter + separator.repeat(random.int(1, 3)) : letter));
}

const signs = '. - _ * , / ~ · )( ][ & = : ^ @ $ # + | " ? ! 🔥'.split(' ');

/**
 * Signs in one place of a word or more, and none beside it; only words of one piece and three
 * letters or more have it.
 */
function interrupt(word: string, random: Random): string {
  return /^[a-z]{3,}$/.test(word) ? between(word, random, () => random.pick(signs)) : word;
}

/**
 * Letters masked, but for the first one and half of all; only words of one piece and three letters
 * or more have it.
 */
function mask(word: string, random: Random): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  const sign = word.length === 3 ? '*' : random.pick(['*', '#']);
  const places = [...word.slice(2)].map((_, at) => at + 1);
  const masked = random.sample(
    places,
    random.int(1, Math.max(1, Math.min(places.length, Math.floor(word.length / 2)))),
  );
  return letters(word, (letter, at) => (masked.includes(at) ? sign : letter));
}

/** Signs between the words of a phrase. */
const join = (phrase: string, random: Random) => phrase.replaceAll(' ', () => random.pick([...'.-_*,/~·+&:']));

export const evasions: Readonly<Record<string, Evasion>> = {
  'capitals here and there': (word, random) => some(word, random, (letter) => letter.toUpperCase()),
  'another alphabet of the same letters': (word, random) => letters(word, random.pick(dresses)),
  'mixed alphabets': (word, random) => some(word, random, (letter) => random.pick(dresses)(letter)),
  'look-alike letters': (word, random) => some(word, random, fromTable(lookAlikes, random)),
  'digits and signs': leet,
  'accented letters': (word, random) => some(word, random, fromTable(accents, random)),
  'combining marks': (word, random) => between(word, random, () => random.pick(marks)),
  'heaps of marks': (word, random) =>
    letters(word, (letter) => (letter === ' ' ? letter : letter + random.sample(marks, random.int(2, 6)).join(''))),
  'unseen characters': (word, random) => between(word, random, () => random.pick(unseen)),
  'unseen characters in heaps': (word, random) => between(word, random, () => random.sample(unseen, 5).join('')),
  'drawn out letters': stretch,
  'letters apart': space,
  'signs in words': interrupt,
  'masked letters': mask,
  'words joined by signs': join,
};

/**
 * Several ways at once: letters in other dress, marks and unseen characters between them, some
 * drawn out or apart.
 */
export function evade(word: string, random: Random): string {
  const ways: Evasion[] = [];
  const apart = /^[a-z]{3,}$/.test(word) && random.chance(200);
  const base = apart || random.chance(600) ? word : stretch(word, random);
  const swaps = [lookAlikes, accents, ...(base === word ? [] : [{}])];
  ways.push((text) => some(text, random, fromTable(random.pick(swaps), random)));
  ways.push((text) => letters(text, (letter) => (random.chance(200) ? random.pick(dresses)(letter) : letter)));
  const dressed = ways.reduce((text, way) => way(text, random), base);
  const separator = random.pick(separators).repeat(random.int(1, 2));
  const parts = [...dressed].map((letter) => letter + (letter !== ' ' && random.chance(150) ? random.pick(marks) : ''));
  return parts.join(apart ? separator : random.chance(300) ? random.pick(unseen) : '');
}

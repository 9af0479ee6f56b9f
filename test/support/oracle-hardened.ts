/**
 * Hardened folding, found the slow way: at every character of the text, every reading of every character after it is
 * tried against the term, letter by letter. Written from the specification alone, so that it may disagree with the matcher.
 */
import type { WordReading } from '../../src/index.js';
import {
  fullFold,
  isIgnorable,
  isMark,
  persian,
  prototypes,
  type Reading,
  readingsOf,
  sameLetter,
  simpleFold,
  type Transform,
  transformOrder,
} from './oracle-readings.js';

/** A stretch of a text that a term may be seen in, and what made them equal beyond case. */
export interface HardenedMatch {
  readonly start: number;
  readonly end: number;
  readonly transforms: readonly Transform[];
}

/** A character of the text, or a run of its white space, and how it was read. */
interface Step extends Reading {
  readonly at: number;
  readonly piece: string;
}

/** Equal letters of the term that follow each other: so many of one. */
interface Run {
  readonly letter: string;
  readonly count: number;
  /** Another number of letters may stand for it. */
  readonly stretches: boolean;
  /** Two letters may stand for one. */
  readonly doubles: boolean;
}

type Way = readonly Step[];

/** How it is looked for; of a whole text nothing but white space and hidden characters may be left. */
export type Manner = WordReading | 'whole';

/** Whether it need not begin, or end, where a word does. */
const beginsAnywhere = (words: Manner) => words === 'substring' || words === 'suffix';
const endsAnywhere = (words: Manner) => words === 'substring' || words === 'prefix';

/** Every stretch of the text that the term may be seen in; several of one start, and several ways to one stretch, too. */
export function hardenedMatches(term: string, text: string, words: Manner): HardenedMatch[] {
  const spaced = text.replace(/[\u115f\u1160\u2800\u3164\uffa0]/g, ' ');
  const found = matchesAsSent(term, text, words);
  if (spaced === text) return found;
  const more = matchesAsSent(term, spaced, words).map((match): HardenedMatch => {
    const { start, end } = match;
    const isSame = text.slice(Math.max(0, start - 1), end + 1) === spaced.slice(Math.max(0, start - 1), end + 1);
    const used = new Set<string>([...match.transforms, ...(isSame ? [] : ['ignorable'])]);
    return { start, end, transforms: transformOrder.filter((name) => used.has(name)) };
  });
  return [...new Map([...found, ...more].map((match) => [JSON.stringify(match), match])).values()];
}

function matchesAsSent(term: string, text: string, words: Manner): HardenedMatch[] {
  const whole = putTogether(term).text;
  const joined = putTogether(text);
  const asPut = (matches: readonly HardenedMatch[]) =>
    whole === term
      ? matches
      : matches.flatMap((match) => [match, { ...match, transforms: ['compatibility' as const] }]);
  const found = asPut(matchesIn(whole, text, words));
  const isWithin = (at: number) => at > 0 && at < joined.text.length && joined.from[at] === joined.from[at - 1];
  const more = asPut(
    (joined.text === text ? [] : matchesIn(whole, joined.text, words)).filter(
      ({ start, end }) => !isWithin(start) && !isWithin(end),
    ),
  ).map(({ start, end, transforms }): HardenedMatch => {
    const sent = { start: joined.from[start]!, end: joined.to[end - 1]! };
    const isSame = joined.text.slice(start, end).length === sent.end - sent.start;
    const used = new Set<string>([...transforms, ...(isSame ? [] : ['compatibility'])]);
    return { ...sent, transforms: transformOrder.filter((name) => used.has(name)) };
  });
  // For case alone nothing need be put together.
  const written = [...found, ...more]
    .filter(({ start, end }) => simpleFold(text.slice(start, end)) === simpleFold(term))
    .map(({ start, end }): HardenedMatch => ({ start, end, transforms: joinedBy(text, start, end, words) }));
  return [...new Map([...found, ...more, ...written].map((match) => [JSON.stringify(match), match])).values()];
}

const madeOfParts = /\u0345|[\u1100-\u115f\ua960-\ua97f][\u1160-\u11ff]|[\uac00-\ud7a3][\u11a8-\u11c2]/;

/** A text with syllables and letters in parts put together, and where each of its units stands in what was sent. */
export function putTogether(text: string) {
  let out = '';
  const from: number[] = [];
  const to: number[] = [];
  const clusters = text.matchAll(
    /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7][\u11a8-\u11ff]?|[\uac00-\ud7a3][\u11a8-\u11c2]|.\p{M}*/gsu,
  );
  for (const { 0: cluster, index } of clusters) {
    const joined = madeOfParts.test(cluster) ? cluster.normalize('NFC') : cluster;
    const read = joined.replaceAll('\u0345', '\u0325');
    for (let unit = 0; unit < read.length; unit++) {
      const isSame = joined.length === cluster.length;
      from.push(isSame ? index + unit : index);
      to.push(isSame ? index + unit + 1 : index + cluster.length);
    }
    out += read;
  }
  return { text: out, from, to };
}

/** An iota below is an iota behind its letter in all of a text, or a mark in all of it. */
function matchesIn(term: string, text: string, words: Manner): HardenedMatch[] {
  const withoutIota = (letter: string) =>
    letter
      .normalize('NFD')
      .replace(/(?<=.)\u0345/u, '')
      .normalize('NFC');
  const bare = text.replace(/\p{Script=Greek}/gu, withoutIota).replaceAll('\u0345', '\u0325');
  const found = matchesRead(term, text, words);
  if (bare === text) return found;
  const more = matchesRead(term, bare, words).map((match): HardenedMatch => {
    const { start, end } = match;
    const used = new Set<string>([
      ...match.transforms,
      ...(text.slice(start, end) === bare.slice(start, end) ? [] : ['mark']),
    ]);
    return { start, end, transforms: transformOrder.filter((name) => used.has(name)) };
  });
  return [...found, ...more];
}

function matchesRead(term: string, text: string, words: Manner): HardenedMatch[] {
  const starts = [...text.matchAll(/[^\S\ufeff]+|./gsu)].map(({ index }) => index);
  // What is hidden in a term need not be in a text.
  const seen = [...term].filter((one) => !isIgnorable(one)).join('');
  const spelled = [
    ...spellings(term).map((spelling) => ({ ...spelling, isBare: false })),
    ...(seen === term || seen.trim() === '' ? [] : spellings(seen).map((spelling) => ({ ...spelling, isBare: true }))),
  ];
  const count = lettersOf(term);
  const ways = spelled.flatMap(({ letters, via, isBare }) => [
    ...starts.flatMap((start) =>
      [...together(text, start, runsOf(letters, words))].map((way) => ({ way, via, isBare })),
    ),
    ...starts.flatMap((start) =>
      [...apart(text, start, runsOf(letters, 'word'))]
        .filter(isNotDoubled)
        .filter((way) => words === 'whole' || isOfMore(letters, way) || isAllApart(text, way, words))
        .map((way) => ({ way, via: [...via, 'spaced'], isBare })),
    ),
    ...[...(count < 3 ? [] : interrupted(text, letters))]
      .filter(isNotDoubled)
      .map((way) => ({ way, via: [...via, 'interrupted'], isBare })),
    ...[...(count < 3 || isOfSeveral(term) ? [] : masked(text, letters))].map((way) => ({
      way,
      via: [...via, 'masked'],
      isBare,
    })),
  ]);
  const matches = ways
    .filter(({ way, via }) => hasLetters(way, isOneWord(via)))
    .filter(({ way }) => !/^[\u{1f1e6}-\u{1f1ff}]{2}$/u.test(text.slice(way[0]!.at, endOf(way))))
    .filter(({ way, via }) => (words !== 'whole' && isOneWord(via) ? true : endsWell(text, way, words)))
    .map(({ way, via, isBare }): HardenedMatch => {
      const beside = words === 'whole' && hidesBeside(text, way) ? ['ignorable'] : [];
      const used = new Set<string>([...via, ...beside, ...way.flatMap((step) => step.via)]);
      if (isBare && used.size === 0) used.add('ignorable');
      // Equal, but joined to what is beside it for case alone: that was seen through.
      if (words !== 'whole' && used.size === 0)
        for (const name of joinedBy(text, way[0]!.at, endOf(way), words)) used.add(name);
      return { start: way[0]!.at, end: endOf(way), transforms: transformOrder.filter((name) => used.has(name)) };
    });
  return [...new Map(matches.map((match) => [JSON.stringify(match), match])).values()];
}

/** A term as it is written, with its letters folded to several, and with its marks apart. */
function spellings(term: string): Reading[] {
  const choices = [...simpleFold(term.replace(/\s+/g, ' '))].map((letter): Reading[] => [
    { letters: letter, via: [] },
    ...(isMark(letter) ? [{ letters: '', via: ['mark' as const] }] : []),
    ...(persian.has(letter) ? [{ letters: persian.get(letter)!, via: ['compatibility' as const] }] : []),
    // In Turkish the dot is the small letter's own.
    ...(letter === 'İ' ? [{ letters: 'i', via: ['full-folding' as const] }] : []),
    ...(letter.normalize('NFD').includes('\u0345')
      ? [
          {
            letters: letter.normalize('NFD').replace('\u0345', 'ι'),
            via: ['full-folding' as const, 'compatibility' as const],
          },
          { letters: letter.normalize('NFD').replace('\u0345', '').normalize('NFC'), via: ['mark' as const] },
        ]
      : []),
    ...prototypes(letter)
      .filter((look) => look.length > 1)
      .map((letters): Reading => ({ letters, via: ['homoglyph'] })),
    ...(fullFold(letter) === letter ? [] : [{ letters: fullFold(letter), via: ['full-folding' as const] }]),
    ...(letter.normalize('NFD') === letter || /[가-힣]/.test(letter)
      ? []
      : [{ letters: letter.normalize('NFD'), via: ['compatibility' as const] }]),
  ]);
  const none: Reading[] = [{ letters: '', via: [] }];
  const ways = choices.reduce(
    (before, next) =>
      before.flatMap((way) =>
        next.map(({ letters, via }) => ({ letters: way.letters + letters, via: [...way.via, ...via] })),
      ),
    none,
  );
  return ways.filter(({ letters }) => letters !== '');
}

/** Where no word need begin or end the outer run is as long as it is: the term is found within a longer one anyway. */
const runsOf = (letters: string, words: Manner): Run[] => {
  const isLong = [...fullFold(letters)].filter((one) => !isMark(one) && !isIgnorable(one) && one !== ' ').length > 3;
  return (letters.match(/(\p{L})\1*|./gsu) ?? []).map((run, place, all) => {
    const stretches =
      /\p{L}/u.test(run) &&
      !(beginsAnywhere(words) && place === 0) &&
      !(endsAnywhere(words) && place === all.length - 1);
    return {
      letter: [...run][0]!,
      count: [...run].length,
      stretches,
      doubles: stretches && isLong && !beginsAnywhere(words) && !endsAnywhere(words),
    };
  });
};

/** How far a term is read: `seen` letters of run `place`, and whether it may be one that is drawn out. */
interface Progress {
  readonly place: number;
  readonly seen: number;
  readonly free: boolean;
  /** The letters of the run so far are one and the same, each a character, and no sign. */
  readonly alike: boolean;
  readonly via: readonly Transform[];
}

/** What makes so many letters stand for the run: nothing when they are as many, their being two or many, or not at all. */
function holds({ count, stretches, doubles }: Run, { seen, free, alike }: Progress): readonly Transform[] | undefined {
  if (seen === count) return [];
  if (seen === 2 && count === 1 && doubles && free && alike) return ['doubled'];
  return seen >= 3 && stretches && free ? ['stretched'] : undefined;
}

const nothing: Progress = { place: 0, seen: 0, free: false, alike: false, via: [] };

/** The ways to read the term from `at` on, with `done` behind. */
function* together(text: string, at: number, runs: readonly Run[], done: Way = [], from = nothing): Generator<Way> {
  for (const { piece, reading, begins } of unitsAt(text, at)) {
    const after = at + piece.length;
    if (reading.letters === '' && done.length > 0)
      yield* together(text, after, runs, [...done, { ...reading, at, piece }], from);
    if (reading.letters === '') continue;
    for (const to of spell(reading, begins, runs, from)) {
      const way = [...done, { letters: reading.letters, via: [...reading.via, ...to.via], at, piece }];
      const last = to.place === runs.length - 1 ? holds(runs[to.place]!, to) : undefined;
      if (last !== undefined) yield withMarks(text, after, way, last);
      yield* together(text, after, runs, way, to);
    }
  }
}

/** What stands at `at`, by itself and with its marks as one composed letter, and whether a run of the text begins with it. */
function unitsAt(text: string, at: number) {
  const piece = pieceAt(text, at);
  const alone = readingsAt(text, at).map((reading) => ({ piece, reading, begins: !isAlike(before(text, at), piece) }));
  const cluster = /^\p{L}(?:[\p{M}\p{Default_Ignorable_Code_Point}]*\p{M})?/u.exec(text.slice(at))?.[0] ?? '';
  const seen = [...cluster].filter((one) => !isIgnorable(one)).join('');
  const composed = seen.normalize('NFC');
  if (cluster === piece || [...composed].length !== 1 || composed === seen) return alone;
  const hidden: Transform[] = seen === cluster ? [] : ['ignorable'];
  const previous = /\P{M}\p{M}*$/u.exec(text.slice(0, at).replace(/\p{Default_Ignorable_Code_Point}/gu, ''))?.[0] ?? '';
  const begins = !isAlike(previous.normalize('NFC'), composed);
  const together = readingsOf(composed).map(
    ({ letters, via }): Reading => ({ letters, via: [...via, ...hidden, 'compatibility'] }),
  );
  return [...alone, ...together.map((reading) => ({ piece: cluster, reading, begins }))];
}

/** How far letters lead that a piece of the text stands for; whether a run of the text begins with the first one. */
function spell({ letters, via }: Reading, begins: boolean, runs: readonly Run[], from: Progress): Progress[] {
  const [letter, ...rest] = [...letters];
  if (letter === undefined) return [{ ...from, via: [] }];
  const isOne = rest.length === 0 && !via.includes('leet');
  const go = (to: Omit<Progress, 'via'>, through: readonly Transform[] | undefined): Progress[] =>
    through === undefined
      ? []
      : spell({ letters: rest.join(''), via: [...via, 'leet'] }, rest[0] !== letter, runs, { ...to, via: through }).map(
          (end) => ({ ...end, via: [...through, ...end.via] }),
        );
  const { place, seen } = from;
  const next = runs[place + 1];
  const left = seen === 0 ? undefined : holds(runs[place]!, from);
  const moved = next === undefined || left === undefined ? undefined : sameLetter(letter, next.letter);
  const alike = isOne && (seen === 0 || (from.alike && !begins));
  return [
    ...go(
      { place, seen: seen + 1, free: seen === 0 ? begins : from.free, alike },
      sameLetter(letter, runs[place]!.letter),
    ),
    ...go({ place: place + 1, seen: 1, free: begins, alike: isOne }, moved && left && [...left, ...moved]),
  ];
}

/** Whether two pieces are of one run: they are one letter, whatever they look like. */
function isAlike(one: string, other: string): boolean {
  const readings = (piece: string) =>
    piece === ''
      ? []
      : readingsOf(piece).filter(
          ({ via, letters }) => letters !== '' && !via.includes('leet') && !via.includes('homoglyph'),
        );
  const marksOf = (piece: string) => [...piece.normalize('NFD')].filter(isMark).join('');
  if (marksOf(one) !== marksOf(other)) return false;
  return readings(one).some((left) =>
    readings(other).some((right) => [...left.letters].at(-1) === [...right.letters][0]),
  );
}

const joiner = /^[-._*,/\\|~+=:;#&·•‧∙・—]$/u;

/** Letters are doubled only where they stand together. */
const isNotDoubled = (way: Way) => !way.some(({ via }) => via.includes('doubled'));

/** Read as one word, whose ends were looked at. */
const isOneWord = (via: readonly string[]) => ['spaced', 'interrupted', 'masked'].some((name) => via.includes(name));

const separator = /^(?:[^\S\ufeff]+|[-._*,/\\|~+=:;'"^#&·•‧∙・…‐‑–—−‘’′])$/u;

/** Of a word whose letters stand apart: the way so far, how much of the term that is, and the sign between each two letters. */
const nothingApart = { done: [] as Way, from: nothing, kind: '' };

/** The ways to read a word of three letters or more from `at` on, each letter by itself and the same between each two. */
function* apart(text: string, at: number, runs: readonly Run[], soFar = nothingApart): Generator<Way> {
  const { done, from, kind } = soFar;
  const letters = runs.reduce((sum, { count }) => sum + count, 0);
  if (done.length === 0 && (letters < 3 || !runs.every(({ letter }) => /[\p{L}\p{N}]/u.test(letter)))) return;
  if (done.length === 0 && !isAlone(before(text, at))) return;
  const piece = pieceAt(text, at);
  for (const reading of readingsAt(text, at)) {
    if ([...reading.letters].length !== 1 && !(joins(piece) && /^\p{L}{2,}$/u.test(reading.letters))) continue;
    // A bar between the cells of a table is not a letter.
    if (/^[|+]$/.test(piece) && /^\s?$/.test(text.charAt(at - 1)) && /^\s?$/.test(text.charAt(at + 1))) continue;
    const previous = done.findLast((step) => step.letters !== '')?.piece ?? loneBefore(text, at);
    for (const to of spell(reading, !isAlike(previous, piece), runs, from)) {
      const way = [...done, { letters: reading.letters, via: [...reading.via, ...to.via], at, piece }];
      const isLong = way.filter(({ letters }) => letters !== '').length >= 3;
      const last = isLong && to.place === runs.length - 1 ? holds(runs[to.place]!, to) : undefined;
      if (last !== undefined && isAlone(beyond(text, at + piece.length)))
        yield withMarks(text, at + piece.length, way, last);
      for (const { end, sign, hidden } of gaps(text, [...way, ...skip(text, at + piece.length)])) {
        if (kind === '' || kind === sign) yield* apart(text, end, runs, { done: hidden, from: to, kind: sign });
      }
    }
  }
}

const apostrophes = /['`´‘’‛′＇]/u;
const isSign = (one: string) =>
  !/[\p{L}\p{N}\p{M}\s]/u.test(one.replace('\ufeff', 'x')) &&
  !isIgnorable(one) &&
  !touches(one) &&
  !apostrophes.test(one);

/** How many letters a term is read as: two of `ß`, none of a mark, one of a Korean syllable. */
const lettersOf = (term: string) =>
  [...term.normalize('NFC')]
    .filter((one) => !isIgnorable(one))
    .map((one) => (/[가-힣]/.test(one) ? [one] : readingsOf(one).map(({ letters }) => letters)))
    .map((letters) => letters.map((read) => [...read].filter((letter) => !isMark(letter)).length))
    .reduce((sum, counts) => sum + Math.max(...counts), 0);

/** What stands between white space: its characters with their places, and which of them are the first and the last of its word. */
interface Token {
  readonly pieces: readonly { readonly one: string; readonly at: number }[];
  readonly first: number;
  readonly last: number;
  /** Where it ends. */
  readonly end: number;
}

const isOuter = (one: string) => isSign(one) || apostrophes.test(one) || isIgnorable(one) || isMark(one);

function tokensOf(text: string): Token[] {
  return [...text.matchAll(/(?:\S|\ufeff)+/gu)].map(({ 0: token, index }) => {
    const pieces = [...token.matchAll(/./gsu)].map(({ 0: one, index: at }) => ({ one, at: index + at }));
    const isInner = ({ one }: { readonly one: string }) => !isOuter(one);
    return { pieces, first: pieces.findIndex(isInner), last: pieces.findLastIndex(isInner), end: index + token.length };
  });
}

/** All runs of as many tokens as a term has words. */
function windowsOf(text: string, letters: string): Token[][] {
  const tokens = tokensOf(text);
  const count = letters.split(' ').length;
  return tokens.map((_, at) => tokens.slice(at, at + count)).filter(({ length }) => length === count);
}

const isBreakable = (letters: string) =>
  /^[\p{L}\p{N} ]+$/u.test([...letters].filter((letter) => !isMark(letter)).join(''));

type Places = { readonly one: string; readonly at: number }[];

/** The characters of an interrupted word without its signs, and the marks behind it; undefined when it is none. */
function withoutSigns({ pieces, first, last }: Token): Places | undefined {
  const inner = pieces.slice(first, last + 1);
  const visible = inner.filter(({ one }) => !isIgnorable(one));
  const runs = visible
    .map(({ one }) =>
      one === '…' ? '...' : isSign(one) ? (one === '<' ? '<' : one === '/' ? '/' : '.') : isMark(one) ? '\u0301' : 'x',
    )
    .join('');
  if (first < 0 || !/[./<]/.test(runs) || /[./<]{3}|[./<]\u0301|<\//.test(runs)) return undefined;
  const kept = inner.filter(({ one }) => !isSign(one));
  const count = kept.reduce((sum, { one }) => sum + lettersOf(one), 0);
  return count < 3 ? undefined : [...kept, ...marksBehind({ pieces, last })];
}

function marksBehind({ pieces, last }: Pick<Token, 'pieces' | 'last'>): Places {
  const rest = pieces.slice(last + 1);
  const borne = rest.slice(0, rest.findIndex(({ one }) => !isMark(one) && !isIgnorable(one)) >>> 0);
  return borne.slice(0, borne.findLastIndex(({ one }) => isMark(one)) + 1);
}

/** The ways in which words are all that stands between white space, one of them or more with one sign or two here and there. */
function* interrupted(text: string, letters: string): Generator<Way> {
  if (!isBreakable(letters)) return;
  for (const window of windowsOf(text, letters)) {
    const broken = window.map(withoutSigns);
    if (broken.every((one) => one === undefined)) continue;
    const kept = window.flatMap((token, at): Places => {
      const from = at === 0 ? token.first : 0;
      const isLast = at === window.length - 1;
      const plain = [
        ...token.pieces.slice(from, isLast ? token.last + 1 : undefined),
        ...(isLast ? marksBehind(token) : []),
      ];
      const gap = isLast ? [] : [...text.slice(token.end, window[at + 1]!.pieces[0]!.at)];
      const outer = token.pieces.slice(token.last + 1).filter(({ one }) => isIgnorable(one));
      const word = broken[at] && [
        ...(at === 0 ? [] : token.pieces.slice(0, token.first).filter(({ one }) => isIgnorable(one))),
        ...broken[at],
        ...(isLast ? [] : outer.filter((one) => !broken[at]!.includes(one))),
      ];
      return [...(word ?? plain), ...gap.map((one, place) => ({ one, at: token.end + place }))];
    });
    const bare = kept.map(({ one }) => one).join('');
    const places = kept.flatMap(({ one, at }) => [...one.split('').keys()].map((unit) => at + unit));
    for (const way of together(bare, 0, runsOf(letters, 'word'))) {
      if (way.some(({ via }) => via.includes('leet') || via.includes('joined'))) continue;
      if ([...bare.slice(endOf(way))].some((one) => !isIgnorable(one))) continue;
      if (haveLetters(way)) yield way.map((step) => ({ ...step, at: places[step.at]! }));
    }
  }
}

/** Whether in every word of a phrase is a letter. */
const haveLetters = (way: Way) =>
  way
    .map(({ letters }) => letters)
    .join('')
    .split(' ')
    .every((word) => /\p{L}/u.test(word));

/** The ways in which words are all that stands between white space, in one of them or more a `*` or `#` for each of some letters. */
function* masked(text: string, letters: string): Generator<Way> {
  if (!isBreakable(letters)) return;
  const words = letters.split(' ');
  for (const window of windowsOf(text, letters)) {
    const found = window.map((token, at) => {
      const [isFirst, isLast] = [at === 0, at === window.length - 1];
      const last = lastMasked(text, token);
      const beside = [
        ...token.pieces.slice(0, isFirst ? 0 : token.first),
        ...token.pieces.slice(isLast ? Infinity : last + 1),
      ];
      // Signs around a word stand at the ends of a phrase alone.
      const isMasked = last >= 0 && beside.every(({ one }) => isIgnorable(one));
      const behind = isMasked ? last : token.last + marksBehind(token).length;
      const read = token.pieces.slice(isFirst ? token.first : 0, isLast ? behind + 1 : undefined);
      const written = read.map(({ one }) => one).join('');
      const ways = token.first < 0 ? [] : [...spelledBy(written, words[at]!, read[0]!.at, isMasked)];
      const gap = isLast ? [] : [readGap(text, token.end)];
      return { ways: ways.map((way) => [...way, ...gap]), isMasked };
    });
    if (!found.some(({ isMasked }) => isMasked)) continue;
    const none: Way[] = [[]];
    const all = found.reduce(
      (before, { ways }) => before.flatMap((way) => ways.map((next) => [...way, ...next])),
      none,
    );
    yield* all.filter(haveLetters);
  }
}

/** White space between two words, as a step. */
function readGap(text: string, at: number): Step {
  const piece = pieceAt(text, at);
  return { letters: ' ', via: [...piece].some(isIgnorable) ? ['ignorable'] : [], at, piece };
}

/** Which piece a masked word ends with that a token is; -1 when it is none. */
function lastMasked(text: string, { pieces, first }: Token): number {
  if (first < 0) return -1;
  const isEmphasis = pieces.slice(0, first).some(({ one }) => /[*#＊＃]/.test(one));
  const last = pieces.findLastIndex(({ one }) => !isOuter(one) || isMark(one) || (!isEmphasis && /[*#＊＃]/.test(one)));
  const written = pieces
    .slice(first, last + 1)
    .map(({ one }) => one)
    .join('');
  const masks = written.match(/[*#＊＃]/g)?.length ?? 0;
  const count = lettersOf(written.replace(/[*#＊＃]/g, 'x'));
  const ending = /[*#＊＃]*$/.exec(written.replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, ''))![0].length;
  if (masks === 0 || count < 3 || 2 * masks > count || (count === 3 && /[#＃]/.test(written))) return -1;
  if (/[*#＊＃]\p{M}/u.test(written)) return -1;
  if (ending > 0 && ((ending === 1 && count < 5) || text.search(/[*#＊＃]/) < pieces[first]!.at)) return -1;
  return last;
}

/** Whether a letter of a term is read as several. */
const isOfSeveral = (term: string) =>
  [...term].some((one) => readingsOf(one).some(({ letters }) => /\p{L}.*\p{L}/u.test(letters)));

/** The ways to read all of a word, in which there are masks or not, as these letters, one for one. */
function* spelledBy(written: string, letters: string, at: number, hasMasks: boolean, done: Way = []): Generator<Way> {
  if (written === '') {
    if (letters === '') yield done;
    return;
  }
  const piece = String.fromCodePoint(written.codePointAt(0)!);
  const rest = written.slice(piece.length);
  const next = String.fromCodePoint(letters.codePointAt(0) ?? 0);
  if (hasMasks && /[*#＊＃]/.test(piece)) {
    if (letters !== '' && !isMark(next))
      yield* spelledBy(rest, letters.slice(next.length), at + 1, hasMasks, [
        ...done,
        { letters: '', via: [], at, piece },
      ]);
    return;
  }
  for (const reading of readingsOf(piece)) {
    if (reading.via.includes('leet')) continue;
    const wanted = [...letters].slice(0, [...reading.letters].length);
    const via = [...reading.letters].map((letter, place) => sameLetter(letter, wanted[place] ?? ''));
    if (wanted.length < via.length || via.includes(undefined)) continue;
    const step = { letters: reading.letters, via: [...reading.via, ...via.flatMap((one) => one ?? [])], at, piece };
    yield* spelledBy(rest, letters.slice(wanted.join('').length), at + piece.length, hasMasks, [...done, step]);
  }
}

/** The letter that stands apart before one that stands apart. */
const loneBefore = (text: string, at: number) =>
  [...text.slice(0, at)].findLast((one) => !isIgnorable(one) && !isMark(one) && !separator.test(one)) ?? '';

/** More than three letters, and more than three characters that are read as them. */
const isOfMore = (letters: string, way: Way) =>
  [...letters].length > 3 && way.filter((step) => step.letters !== '').length > 3;

/** Up to three separators of one kind, with what is hidden between them. */
function gaps(text: string, way: Way) {
  const found: { end: number; sign: string; hidden: Way }[] = [];
  let kind = '';
  let hidden = way;
  for (let at = endOf(way), times = 0; times < 3; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
    if (at >= text.length) break;
    if (isIgnorable(character)) hidden = [...hidden, { letters: '', via: ['ignorable'], at, piece: character }];
    else {
      const [sign, ...more] = /^\s$/.test(character) ? ' ' : simpleFold(character);
      if (!separator.test(character) || (kind !== '' && sign !== kind)) break;
      kind = sign!;
      times += 1 + more.length;
      if (times > 3) break;
    }
    at += character.length;
    if (kind !== '') found.push({ end: at, sign: kind, hidden });
  }
  return found;
}

/** Whether no other letter stands apart in the same manner beside those of a match, where its word must begin or end. */
function isAllApart(text: string, way: Way, words: Manner): boolean {
  const [first, ...rest] = way.filter(({ letters }) => letters !== '');
  const sign = gaps(text, [first!, ...skip(text, first!.at + first!.piece.length)])[0]!.sign;
  const isLone = (one: string, neighbour: string) =>
    one !== '' &&
    !separator.test(one) &&
    isAlone(neighbour) &&
    touches(one) &&
    readingsOf(one).some(({ letters }) => isReadable(letters));
  const after = gaps(text, [...way, ...skip(text, endOf(way))]).some(
    ({ end, sign: other }) =>
      other === sign && isLone(pieceAt(text, end), beyond(text, end + pieceAt(text, end).length)),
  );
  const ahead = [...text.slice(0, first!.at)].filter((one) => !isIgnorable(one) && !isMark(one));
  const seen = ahead.findLastIndex((one) => (/^\s$/.test(one) ? ' ' : simpleFold(one)[0]) !== sign);
  const times = ahead.slice(seen + 1).reduce((sum, one) => sum + (one === '…' ? 3 : 1), 0);
  const isBehind = times > 0 && times <= 3 && isLone(ahead[seen] ?? '', ahead[seen - 1] ?? '');
  return rest.length > 0 && (endsAnywhere(words) || !after) && (beginsAnywhere(words) || !isBehind);
}

const isReadable = (letters: string) => /^[\p{L}\p{N}]$/u.test(letters) && joins(letters);

const isAlone = (neighbour: string) => neighbour === '' || separator.test(neighbour) || !touches(neighbour);

/** The readings of what stands at `at`; a run of white space reads as one space. A byte order mark is not seen. */
function readingsAt(text: string, at: number): Reading[] {
  const piece = pieceAt(text, at);
  if (piece === '') return [];
  if (/^[^\S\ufeff]/.test(piece)) return [{ letters: ' ', via: [...piece].some(isIgnorable) ? ['ignorable'] : [] }];
  const [sign, plain] = [simpleFold(piece), simpleFold(piece).normalize('NFKC')];
  const via: Transform[] = joiner.test(sign) ? ['joined'] : ['compatibility', 'joined'];
  const joined: Reading[] = joiner.test(sign) || joiner.test(plain) ? [{ letters: ' ', via }] : [];
  return [...joined, ...readingsOf(piece)].filter(
    ({ via }) => piece !== '!' || !via.includes('leet') || !isPunctuation(text, at),
  );
}

/** A run of signs at the end of what is between white space says nothing, nor does a long one. */
const isPunctuation = (text: string, at: number) => !/^[^\p{L}\p{N}\s]{0,16}[\p{L}\p{N}]/u.test(text.slice(at + 1));

/** A character, or white space with what is hidden in it. */
const pieceAt = (text: string, at: number) =>
  /^(?:[^\S\ufeff]+(?:(?:\p{Default_Ignorable_Code_Point}|\u20e3)+[^\S\ufeff]+)*|.)/su.exec(text.slice(at))?.[0] ?? '';
const endOf = (way: Way) => way.at(-1)!.at + way.at(-1)!.piece.length;

/** Ignorables and marks from `at` on, passed over. */
function skip(text: string, at: number): Step[] {
  const piece = pieceAt(text, at);
  const via: Transform[] | undefined = isIgnorable(piece) ? ['ignorable'] : isMark(piece) ? ['mark'] : undefined;
  return via === undefined ? [] : [{ letters: '', via, at, piece }, ...skip(text, at + piece.length)];
}

/** A way with the marks that its last letter bears, and what else its end was equal by. */
function withMarks(text: string, at: number, way: Way, via: readonly Transform[]): Way {
  const steps = skip(text, at);
  const borne = steps.slice(0, steps.findLastIndex((step) => step.via.includes('mark')) + 1);
  return [...way.slice(0, -1), { ...way.at(-1)!, via: [...way.at(-1)!.via, ...via] }, ...borne];
}

/** A sign is a letter only beside real letters: in every word of a match stands one; digits alone are never spaced. */
function hasLetters(way: Way, asOneWord: boolean): boolean {
  const words: Step[][] = [[]];
  for (const step of way) {
    if (asOneWord || step.letters === '' || joins(step.letters)) words.at(-1)!.push(step);
    else words.push([]);
  }
  const isSign = ({ via }: Step) => via.includes('leet');
  return words.every(
    (steps) => !(asOneWord || steps.some(isSign)) || steps.some((step) => !isSign(step) && /\p{L}/u.test(step.letters)),
  );
}

function endsWell(text: string, way: Way, words: Manner): boolean {
  const [start, end] = [way[0]!.at, endOf(way)];
  if (words === 'whole')
    return [...text.slice(0, start), ...text.slice(end)].every((one) => /\s/.test(one) || isIgnorable(one));
  const last = way.findLast(({ letters }) => letters !== '')!;
  const isJoined = (at: number, piece: string) => (piece === '_' ? isAmidWord(text, at) : touches(piece));
  const isEdge = (at: number, { letters, piece, at: own }: Step) =>
    !isJoined(at, String.fromCodePoint(text.codePointAt(at) ?? 0x20)) ||
    !(joins(letters) || joins(piece) || (piece === '_' && isAmidWord(text, own)));
  return (
    (beginsAnywhere(words) || isEdge(start - lengthOfHidden(text.slice(0, start), -1), way[0]!)) &&
    (endsAnywhere(words) || isEdge(end + lengthOfHidden(text.slice(end), 0), last))
  );
}

/** What joins a match to a word for case alone: a mark beside it, or else something that is hidden. */
function joinedBy(text: string, start: number, end: number, words: Manner): Transform[] {
  const before = beginsAnywhere(words) ? '' : ([...text.slice(0, start)].at(-1) ?? '');
  const after = endsAnywhere(words) ? '' : ([...text.slice(end)][0] ?? '');
  const joinsBefore = joins(before) && joins([...text.slice(start)][0]!);
  const joinsAfter = joins(after) && joins([...text.slice(0, end)].at(-1)!);
  if (!joinsBefore && !joinsAfter) return [];
  return [before, after].some((one) => (isMark(one) && !isIgnorable(one)) || one === '\u0345')
    ? ['mark']
    : ['ignorable'];
}

const hidesBeside = (text: string, way: Way) => (text.slice(0, way[0]!.at) + text.slice(endOf(way))).trim() !== '';

/** How far the nearest visible character is from one end of a text (`-1`: the end, with that character; `0`: the beginning). */
function lengthOfHidden(text: string, from: -1 | 0): number {
  const pieces = from === 0 ? [...text] : [...text].reverse();
  const visible = pieces.findIndex((one) => !isIgnorable(one) && !isMark(one));
  if (visible < 0) return from === 0 ? text.length : text.length + 1;
  return pieces.slice(0, from === 0 ? visible : visible + 1).join('').length;
}

/** The nearest characters outside that are neither ignorable nor marks. */
const before = (text: string, at: number) =>
  [...text.slice(0, at)].findLast((one) => !isIgnorable(one) && !isMark(one)) ?? '';
const beyond = (text: string, at: number) => [...text.slice(at)].find((one) => !isIgnorable(one) && !isMark(one)) ?? '';

const spaceless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ーｰﾞﾟ\u3099\u309a]/u;
const word = /(?![\ufe00-\ufe0f\u20e3\u{e0100}-\u{e01ef}])[\p{L}\p{N}\p{M}]/u;
const joins = (characters: string) => word.test(characters) && !spaceless.test(characters);
/** Whether a `_` stands in a run between two characters of words. */
const isAmidWord = (text: string, at: number) =>
  joins([...text.slice(0, at).replace(/_+$/, '')].at(-1) ?? '') &&
  joins([...text.slice(at).replace(/^_+/, '')][0] ?? '');
/** A letter in a circle joins others of its kind. */
const touches = (character: string) =>
  joins(character) ||
  readingsOf(character).some(
    ({ letters, via }) => via.includes('compatibility') && [...letters].every(joins) && letters !== '',
  );

/**
 * Hardened folding, found the slow way: at every character of the text, every reading of every character after it is
 * tried against the term, letter by letter. Written from the specification alone, so that it may disagree with the matcher.
 */
import {
  fullFold,
  isIgnorable,
  isMark,
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
}

type Way = readonly Step[];

/** Every stretch of the text that the term may be seen in; several of one start, and several ways to one stretch, too. */
export function hardenedMatches(term: string, text: string, words: 'word' | 'substring' | 'whole'): HardenedMatch[] {
  const starts = [...text.matchAll(/[^\S\ufeff]+|./gsu)].map(({ index }) => index);
  const ways = spellings(term).flatMap(({ letters, via }) => [
    ...starts.flatMap((start) => [...together(text, start, runsOf(letters))].map((way) => ({ way, via }))),
    ...starts.flatMap((start) =>
      [...apart(text, start, [...letters])].map((way) => ({ way, via: [...via, 'spaced'] })),
    ),
  ]);
  const matches = ways
    .filter(({ way, via }) => hasLetters(way, via.includes('spaced')) && endsWell(text, way, words))
    .map(({ way, via }): HardenedMatch => {
      const used = new Set<string>([...via, ...way.flatMap((step) => step.via)]);
      return { start: way[0]!.at, end: endOf(way), transforms: transformOrder.filter((name) => used.has(name)) };
    });
  return [...new Map(matches.map((match) => [JSON.stringify(match), match])).values()];
}

/** A term as it is written, with its letters folded to several, and with its marks apart. */
function spellings(term: string): Reading[] {
  const choices = [...simpleFold(term.replace(/\s+/g, ' '))].map((letter): Reading[] => [
    { letters: letter, via: [] },
    ...(fullFold(letter) === letter ? [] : [{ letters: fullFold(letter), via: ['full-folding' as const] }]),
    ...(letter.normalize('NFD') === letter ? [] : [{ letters: letter.normalize('NFD'), via: [] }]),
  ]);
  const none: Reading[] = [{ letters: '', via: [] }];
  return choices.reduce(
    (ways, next) =>
      ways.flatMap((way) =>
        next.map(({ letters, via }) => ({ letters: way.letters + letters, via: [...way.via, ...via] })),
      ),
    none,
  );
}

const runsOf = (letters: string): Run[] =>
  (letters.match(/(\p{L})\1*|./gsu) ?? []).map((run) => ({ letter: [...run][0]!, count: [...run].length }));

/** What makes so many letters stand for the run: nothing when they are as many, their being many, or not at all. */
function holds({ letter, count }: Run, seen: number): readonly Transform[] | undefined {
  if (seen === count) return [];
  return seen >= 3 && /\p{L}/u.test(letter) ? ['stretched'] : undefined;
}

/** The ways to read the term from `at` on, with `done` behind and `seen` letters of run `place` read. */
function* together(
  text: string,
  at: number,
  runs: readonly Run[],
  done: Way = [],
  place = 0,
  seen = 0,
): Generator<Way> {
  const piece = pieceAt(text, at);
  const after = at + piece.length;
  for (const reading of readingsAt(text, at)) {
    if (reading.letters === '' && done.length > 0)
      yield* together(text, after, runs, [...done, { ...reading, at, piece }], place, seen);
    if (reading.letters === '') continue;
    for (const [next, count, via] of spell([...reading.letters], runs, place, seen)) {
      const way = [...done, { letters: reading.letters, via: [...reading.via, ...via], at, piece }];
      const last = next === runs.length - 1 ? holds(runs[next]!, count) : undefined;
      if (last !== undefined) yield withMarks(text, after, way, last);
      yield* together(text, after, runs, way, next, count);
    }
  }
}

type Progress = readonly [place: number, seen: number, via: readonly Transform[]];

/** How far letters lead that stand for a piece of the term. */
function spell([letter, ...rest]: readonly string[], runs: readonly Run[], place: number, seen: number): Progress[] {
  if (letter === undefined) return [[place, seen, []]];
  const go = (to: number, count: number, via: readonly Transform[] | undefined): Progress[] =>
    via === undefined ? [] : spell(rest, runs, to, count).map(([a, b, more]) => [a, b, [...via, ...more]]);
  const next = runs[place + 1];
  const left = seen === 0 ? undefined : holds(runs[place]!, seen);
  const moved = next === undefined || left === undefined ? undefined : sameLetter(letter, next.letter);
  return [
    ...go(place, seen + 1, sameLetter(letter, runs[place]!.letter)),
    ...go(place + 1, 1, moved && left && [...left, ...moved]),
  ];
}

const separator = /^(?:[^\S\ufeff]+|[-._*,/|~+·•])$/u;

/** The ways to read a word of three letters or more from `at` on, each letter by itself and the same between each two. */
function* apart(text: string, at: number, wanted: readonly string[], done: Way = [], kind = ''): Generator<Way> {
  const letter = wanted[0]!;
  if (done.length === 0 && (wanted.length < 3 || !wanted.every((one) => /[\p{L}\p{N}]/u.test(one)))) return;
  if (done.length === 0 && !isAlone(before(text, at))) return;
  for (const reading of readingsAt(text, at)) {
    const via = [...reading.letters].length === 1 ? sameLetter(reading.letters, letter) : undefined;
    if (via === undefined) continue;
    const piece = pieceAt(text, at);
    const way = [...done, { letters: reading.letters, via: [...reading.via, ...via], at, piece }];
    if (wanted.length === 1) {
      if (isAlone(beyond(text, at + piece.length))) yield withMarks(text, at + piece.length, way, []);
      continue;
    }
    const skipped = skip(text, at + piece.length);
    const first = pieceAt(text, endOf([...way, ...skipped]));
    const sign = /^\s/.test(first) ? ' ' : first;
    if (!separator.test(first) || (kind !== '' && sign !== kind)) continue;
    for (let times = 1, from = endOf([...way, ...skipped]); times <= 3; times++) {
      if (sign === ' ' ? !/^\s$/.test(text[from] ?? '') : text[from] !== sign) break;
      from += 1;
      yield* apart(text, from, wanted.slice(1), [...way, ...skipped], sign);
    }
  }
}

const isAlone = (neighbour: string) => neighbour === '' || separator.test(neighbour) || !joins(neighbour);

/** The readings of what stands at `at`; a run of white space reads as one space. A byte order mark is not seen. */
function readingsAt(text: string, at: number): Reading[] {
  const piece = pieceAt(text, at);
  if (piece === '') return [];
  if (/^[^\S\ufeff]/.test(piece)) return [{ letters: ' ', via: [] }];
  return readingsOf(piece).filter(({ via }) => piece !== '!' || !via.includes('leet') || !isPunctuation(text, at));
}

/** A run of signs at the beginning or end of what is between white space says nothing. */
const isPunctuation = (text: string, at: number) =>
  /(?:^|\s)[^\p{L}\p{N}\s]*$/u.test(text.slice(0, at)) || /^[^\p{L}\p{N}\s]*(?:\s|$)/u.test(text.slice(at + 1));

const pieceAt = (text: string, at: number) => /^(?:[^\S\ufeff]+|.)/su.exec(text.slice(at))?.[0] ?? '';
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

/** A sign is a letter only beside real letters: in every word of a match stands one. */
function hasLetters(way: Way, asOneWord: boolean): boolean {
  const words: Step[][] = [[]];
  for (const step of way) {
    if (asOneWord || step.letters === '' || joins(step.letters)) words.at(-1)!.push(step);
    else words.push([]);
  }
  const isSign = ({ via }: Step) => via.includes('leet');
  return words.every(
    (steps) => !steps.some(isSign) || steps.some((step) => !isSign(step) && /\p{L}/u.test(step.letters)),
  );
}

function endsWell(text: string, way: Way, words: 'word' | 'substring' | 'whole'): boolean {
  const [start, end] = [way[0]!.at, endOf(way)];
  if (words === 'whole') return text.slice(0, start).trim() === '' && text.slice(end).trim() === '';
  const last = way.findLast(({ letters }) => letters !== '')!;
  const isEdge = (outside: string, { letters, piece }: Step) => !joins(outside) || !(joins(letters) || joins(piece));
  return words === 'substring' || (isEdge(before(text, start), way[0]!) && isEdge(beyond(text, end), last));
}

/** The nearest characters outside that are neither ignorable nor marks. */
const before = (text: string, at: number) =>
  [...text.slice(0, at)].findLast((one) => !isIgnorable(one) && !isMark(one)) ?? '';
const beyond = (text: string, at: number) => [...text.slice(at)].find((one) => !isIgnorable(one) && !isMark(one)) ?? '';

const spaceless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ーｰ\u3099\u309a]/u;
const joins = (characters: string) => /[\p{L}\p{N}\p{M}_]/u.test(characters) && !spaceless.test(characters);

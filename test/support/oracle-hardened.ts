/**
 * Hardened folding, found the slow way: a term is tried at every letter of a text, forwards and run
 * by run, without an automaton. It shares tables of characters with the engine (what a character
 * decomposes into, what looks like what, which signs separate, where words have edges) and nothing
 * else: it has its own reader of letters, and reads all of a text at once.
 *
 * Letters are aligned three times: all of them, those that stand apart, and those of words with
 * signs in them or for their letters. A text with Korean consonants and vowels, or with blanks that
 * look empty, is read in each of its forms.
 */
import { foldText, WHITE } from '../../src/engine/match/folding.js';
import { confusableBy } from '../../src/engine/match/hardened/confusables.js';
import { type Decomposition, decompositionOf } from '../../src/engine/match/hardened/decompositions.js';
import { apostrophes, isMaskCode, isSeparator, isSign } from '../../src/engine/match/hardened/roles.js';
import { composeSyllables } from '../../src/engine/match/hardened/text-forms.js';
import * as by from '../../src/engine/match/hardened/transforms.js';
import { isWordEdge, joinsWords, type WordReading } from '../../src/engine/match/word-edges.js';

/**
 * A stretch of a text that a term may be seen in, and each set of transforms by which the two are
 * equal.
 */
export interface HardenedMatch {
  readonly start: number;
  readonly end: number;
  readonly ways: readonly (readonly by.TransformName[])[];
}

/**
 * How a term is looked for. Beside a `whole` text nothing but white space and hidden characters may
 * stand.
 */
type Manner = WordReading | 'whole';

/**
 * A letter of a text or a term. A character has one, several or none, a run of white space has one.
 */
interface Letter {
  /** A code point, `WHITE`, or `ANY` for a mask. */
  readonly base: number;
  readonly character: Decomposition;
  readonly index: number;
  readonly from: number;
  readonly to: number;
  /** Its own marks and those behind it, where the last of these ends, and whether there are any. */
  readonly marks: number[];
  end: number;
  isMarked: boolean;
  readonly isHiddenBefore: boolean;
  isHiddenWithin: boolean;
  /** Whether it is an exclamation mark with no word behind it. */
  readonly isPunctuation: boolean;
}

const ANY = -2;
const DOTTED_I = 0x130;
const pieces = /[^\S\ufeff](?:(?:\p{Default_Ignorable_Code_Point}|\u20e3|\u0640|\u2800)*[^\S\ufeff])*|./gsu;

function read(text: string): Letter[] {
  const letters: Letter[] = [];
  let isHidden = false;
  for (const { 0: piece, index: from } of text.matchAll(pieces)) {
    const to = from + piece.length;
    const last = letters.at(-1);
    const isLink = piece === '_' && !isWordEdge(text, from);
    const plain = decompositionOf(piece.codePointAt(0)!);
    const character: Decomposition = isLink ? { ...plain, kind: 'letter', joins: true } : plain;
    if (character.kind === 'mark' && last !== undefined) {
      last.marks.push(...character.marks);
      Object.assign(last, { end: to, isMarked: true, isHiddenWithin: last.isHiddenWithin || isHidden });
    }
    for (const [index, base] of character.letters.entries())
      letters.push({
        ...{ base, character, index, from, to, end: to, isMarked: false, isHiddenBefore: isHidden && index === 0 },
        marks: index === character.bearer ? [...character.marks] : [],
        isHiddenWithin: base === WHITE && /\S|\ufeff/.test(piece),
        isPunctuation: piece === '!' && !/^[^\p{L}\p{N}\s]{0,16}[\p{L}\p{N}]/u.test(text.slice(to)),
      });
    isHidden = character.kind === 'ignorable' || (isHidden && letters.length === 0);
  }
  return letters;
}

/** A letter of a term. It has the marks that a letter of a text must have. */
type TermLetter = Letter & { readonly joins: boolean; readonly isAlphabetic: boolean };

/** What is looked for. `runs`: equal letters that follow each other. */
type Term = ReturnType<typeof readTerm>;

const isOfKind = (base: number, kind: RegExp) => base >= 0 && kind.test(String.fromCodePoint(base));
const isInner = ({ base }: Letter) => base !== WHITE;
const sorted = (marks: readonly number[]) => [...marks].sort((left, right) => left - right).join();

function readTerm(written: string) {
  const all = read(composeSyllables(written)?.text ?? written);
  const inner = all.slice(Math.max(all.findIndex(isInner), 0), all.findLastIndex(isInner) + 1);
  const letters = inner.map((letter): TermLetter => {
    // In Turkish the dot is the small letter's own.
    const marks = letter.marks.slice(letter.character.code === DOTTED_I ? letter.character.marks.length : 0);
    const joins = isInner(letter) && joinsWords(letter.base);
    return { ...letter, marks, joins, isAlphabetic: isOfKind(letter.base, /^\p{L}$/u) };
  });
  const runs: TermLetter[][] = [];
  for (const letter of letters) {
    const last = runs.at(-1)?.[0];
    const isSame = last?.base === letter.base && sorted(last.marks) === sorted(letter.marks) && isInner(letter);
    if (isSame) runs.at(-1)!.push(letter);
    else runs.push([letter]);
  }
  const isOfSymbols = !/[\p{L}\p{N}]/u.test(written) && letters.some(({ isAlphabetic }) => isAlphabetic);
  const kinds = [...written].map((one) => decompositionOf(one.codePointAt(0)!).kind);
  const beginsWithMark = kinds.find((kind) => kind !== 'ignorable') === 'mark';
  const isTrimmed = letters.length === all.length && written === written.trim();
  const isOfWords = letters.every(({ base, joins }) => base === WHITE || (joins && isOfKind(base, /^[\p{L}\p{N}]$/u)));
  return {
    folded: foldText(written, 'case'),
    runs,
    isOfCaseAlone: letters.length === 0 || letters.length > 200 || !isTrimmed || isOfSymbols || beginsWithMark,
    hasHidden: kinds.includes('ignorable'),
    isShort: letters.filter(isInner).length <= 3,
    isBreakable: letters.length >= 3 && isOfWords,
  };
}

/**
 * An occurrence. Of those that begin at one place the one of the lowest `rank` counts, and then the
 * one that ends first.
 */
type Found = Readonly<Record<'start' | 'end' | 'rank' | 'transforms', number>>;
const [PLAIN, TOGETHER, APART, IN_TOKENS] = [0, 1, 2, 3] as const;

/** The sides of a term that need no word edge. */
type Free = Readonly<Record<'start' | 'end', boolean>>;

/** The occurrences of a term in a text, one for each start. */
export function hardenedMatches(written: string, text: string, manner: Manner): HardenedMatch[] {
  const term = readTerm(written);
  const free = { start: /^su/.test(manner), end: /^(?:pre|sub)/.test(manner) };
  const all = [...inForms(text, (form) => [...plainly(term, form, free), ...disguised(term, form, free)])];
  const first = all.sort((one, other) => one.start - other.start || one.rank - other.rank || one.end - other.end);
  return first.flatMap(({ start, end, rank }, at): HardenedMatch[] => {
    if (at > 0 && first[at - 1]!.start === start) return [];
    const beside = [...text.slice(0, start), ...text.slice(end)].filter((one) => !/\s/.test(one));
    const isHidden = (one: string) => decompositionOf(one.codePointAt(0)!).kind === 'ignorable';
    if (manner === 'whole' && !beside.every(isHidden)) return [];
    const hidden = manner === 'whole' && beside.length > 0 ? by.IGNORABLE : 0;
    const same = all.filter((one) => one.start === start && one.rank === rank && one.end === end);
    return [{ start, end, ways: same.map(({ transforms }) => by.namesOf(transforms | hidden)) }];
  });
}

/** What is found in each form of a text, where it stands in the text as it was sent. */
function* inForms(text: string, find: (form: string) => readonly Found[]): Generator<Found> {
  yield* find(text);
  const composed = composeSyllables(text);
  for (const found of composed === undefined ? [] : find(composed.text)) {
    const [start, end] = [composed!.sentOf(found.start), composed!.sentOf(found.end)];
    const isChanged = start >= 0 && end >= 0 && composed!.isChanged(start, end);
    const rank = isChanged ? Math.max(found.rank, TOGETHER) : found.rank;
    const transforms = found.transforms | (isChanged ? by.COMPATIBILITY : 0);
    if (start >= 0 && end >= 0) yield { start, end, rank, transforms };
  }
  const shown = text.replace(/[\u115f\u1160\u2800\u3164\uffa0]/g, ' ');
  for (const { start, end, rank, transforms } of shown === text ? [] : find(shown)) {
    const last = read(text).findLast(({ to }) => to <= end);
    const through = { rank: Math.max(rank, TOGETHER), transforms: transforms | by.IGNORABLE };
    yield { start, end: Math.max(end, last?.end ?? 0), ...through };
  }
}

/** Where a term ends that begins at an offset by case alone, or -1. */
function plainEnd({ folded }: Term, text: string, start: number): number {
  let at = start;
  for (let index = 0; index < folded.length; ) {
    const piece = /^(?:\s+|.)/su.exec(text.slice(at))?.[0] ?? '';
    const symbols = foldText(piece, 'case');
    if (piece === '' || symbols.some((symbol, place) => folded[index + place] !== symbol)) return -1;
    index += symbols.length;
    at += piece.length;
  }
  return folded.length === 0 ? -1 : at;
}

function plainly(term: Term, text: string, free: Free): Found[] {
  return [...text.matchAll(/./gsu)].flatMap(({ index: start }) => {
    const end = plainEnd(term, text, start);
    const isFound = end >= 0 && (free.start || isWordEdge(text, start)) && (free.end || isWordEdge(text, end));
    return isFound ? [{ start, end, rank: PLAIN, transforms: 0 }] : [];
  });
}

function disguised(term: Term, text: string, free: Free): Found[] {
  if (term.isOfCaseAlone) return [];
  const letters = read(text);
  const found = [...together(term, text, letters, free)];
  return term.isBreakable ? [...found, ...spaced(term, text, letters, free), ...inTokens(term, text, letters)] : found;
}

/**
 * Whether a letter at the end of a match needs a word edge beside it, as a sign does that is read
 * as a letter.
 */
const isOfWord = ({ character: { kind, code } }: Letter, wanted: TermLetter) =>
  kind === 'letter' || (kind === 'symbol' && code !== wanted.character.code);
const isLast = ({ index, character }: Letter) => index === character.letters.length - 1;

function* together(term: Term, text: string, letters: readonly Letter[], free: Free): Generator<Found> {
  const wanted = term.runs.flat();
  const isMark = (at: number) => at >= 0 && at < text.length && decompositionOf(text.charCodeAt(at)).kind === 'mark';
  for (const [at, first] of letters.entries()) {
    const isJoined = letters[at - 1]?.character.joins === true && isOfWord(first, wanted[0]!);
    if (first.index > 0 || (isJoined && !free.start)) continue;
    for (const { behind, transforms } of align({ term, letters, free, mode: 'text' }, at)) {
      const last = letters[behind - 1]!;
      const goesOn = letters[behind]?.character.joins === true && isOfWord(last, wanted.at(-1)!);
      const [start, end] = [first.from, last.end];
      const isFlag = /^[\u{1f1e6}-\u{1f1ff}]{2}$/u.test(text.slice(start, end));
      if (!isLast(last) || (goesOn && !free.end) || isFlag) continue;
      // Equal, but joined by what stands beside it; or the term has more than its letters show.
      const isBesideMark = (!free.start && isMark(start - 1)) || (!free.end && isMark(end));
      const beside = isBesideMark ? by.MARK : by.IGNORABLE;
      const missing = term.hasHidden ? by.IGNORABLE : by.COMPATIBILITY;
      const isPlain = plainEnd(term, text, start) === end;
      yield { start, end, rank: TOGETHER, transforms: isPlain ? beside : transforms || missing };
    }
  }
}

/** Transforms by which a letter of a text is one of a term, or -1. */
function compare(letter: Letter, wanted: TermLetter): number {
  if (letter.base === ANY) return wanted.joins ? by.MASKED : -1;
  const like = letter.base === wanted.base ? 0 : isInner(letter) ? confusableBy(letter.base, wanted.base) : -1;
  const isSame = letter.character.code === wanted.character.code && letter.index === wanted.index;
  if (like < 0 || (!isSame && letter.isPunctuation && (like & by.LEET) !== 0)) return -1;
  const through = isSame ? 0 : like | letter.character.transforms | wanted.character.transforms;
  const marks = sorted(letter.marks) === sorted(wanted.marks) ? 0 : by.MARK;
  return through | marks | (letter.isHiddenWithin ? by.IGNORABLE : 0);
}

/** Whether a run of one letter ends between two letters of a text. */
const isChange = (one: Letter | undefined, other: Letter | undefined) =>
  one?.base !== other?.base || one?.marks.join() !== other?.marks.join();

/**
 * What is compared. On `free` sides a run is read as it is, for a longer one holds the term anyway.
 */
type Mode = 'text' | 'apart' | 'masked';
type Attempt = Readonly<{ term: Term; letters: readonly Letter[]; free: Free; mode: Mode }>;
/**
 * How runs of a term were read: up to which letter, by what, and what the word holds so far that is
 * read.
 */
type Way = Readonly<Record<'behind' | 'transforms' | 'word', number>>;
const [NOTHING, SIGNS, LETTERS] = [0, 1, 2] as const;

/** The ways to read a term from a letter on, or its runs from one on from where a way has come. */
function* align(attempt: Attempt, from: number, place = 0, way?: Way): Generator<Way> {
  const { term, letters, free, mode } = attempt;
  const done = way ?? { behind: from, transforms: 0, word: NOTHING };
  const run = term.runs[place];
  if (run === undefined) return yield done;
  const { joins, isAlphabetic } = run[0]!;
  const isOuter = (free.start && place === 0) || (free.end && place === term.runs.length - 1);
  const begins = done.behind === 0 || isChange(letters[done.behind - 1], letters[done.behind]);
  const mayStretch = isAlphabetic && !isOuter && mode !== 'masked' && begins;
  const mayDouble = mayStretch && mode === 'text' && run.length === 1 && !term.isShort && !free.start && !free.end;
  const endsWord = joins && term.runs[place + 1]?.[0]?.joins !== true;
  let { word } = done;
  let changes = 0;
  for (let behind = done.behind + 1; behind <= letters.length; behind++) {
    const taken = letters.slice(done.behind, behind);
    const letter = taken.at(-1)!;
    // Of more letters or fewer than the term has, the last ones are compared with each other.
    const steps = taken.map((one, at) => compare(one, run[Math.max(run.length - taken.length + at, 0)]!));
    const step = steps.at(-1)!;
    if (step < 0 || (taken.length > run.length && !mayStretch)) return;
    const isSign = (step & by.LEET) !== 0;
    if (!joins) word = NOTHING;
    else if ((step & by.MASKED) === 0 && (isSign || isAlphabetic)) word = Math.max(word, isSign ? SIGNS : LETTERS);
    const ends = isChange(letter, letters[behind]);
    const areTwo = taken.length === 2 && changes === 0 && taken.every((one) => one.character.letters.length === 1);
    const more =
      ends && mayStretch && taken.length >= 3 ? by.STRETCHED : ends && mayDouble && areTwo && !isSign ? by.DOUBLED : -1;
    const through = taken.length === run.length ? 0 : more;
    const isWord = !endsWord || (mode === 'text' ? word !== SIGNS : word === LETTERS);
    const isHidden = taken.some((one, at) => one.isHiddenBefore && done.behind + at > from);
    const transforms = steps.reduce((all, one) => all | one, done.transforms | through | (isHidden ? by.IGNORABLE : 0));
    if (through >= 0 && isWord) yield* align(attempt, from, place + 1, { behind, transforms, word });
    // A change to or from a digit or a sign counts as two.
    const next = letters[behind];
    const wanted = next && compare(next, run[0]!);
    if (ends) changes += next?.base !== letter.base && ((step | (wanted ?? 0)) & by.LEET) !== 0 ? 2 : 1;
    if (changes > 8) return;
  }
}

const nowhere: Free = { start: false, end: false };

/**
 * Occurrences in isolated letters. One of three letters is all that stands isolated, but on a free
 * side.
 */
function* spaced(term: Term, text: string, letters: readonly Letter[], free: Free): Generator<Found> {
  if (term.runs.some(([letter]) => letter!.base === WHITE)) return;
  for (const run of isolatedRuns(text, letters))
    for (const [at, { index, from: start }] of run.entries())
      for (const { behind, transforms } of align({ term, letters: run, free: nowhere, mode: 'apart' }, at)) {
        const characters = run.slice(at, behind).filter((letter) => letter.index === 0).length;
        if (index > 0 || characters < 3 || !isLast(run[behind - 1]!)) continue;
        const isFirst = free.start || run[at - 1]?.character.joins !== true;
        const isAll = isFirst && (free.end || run[behind]?.character.joins !== true);
        if ((term.isShort || characters === 3) && !isAll) continue;
        yield { start, end: run[behind - 1]!.end, rank: APART, transforms: transforms | by.SPACED };
      }
}

/**
 * Letters that no other one touches, in runs with one to three separators of one kind between each
 * two.
 */
function isolatedRuns(text: string, letters: readonly Letter[]): Letter[][] {
  const runs: Letter[][] = [[]];
  let gap: number[] = [];
  let separator: number | undefined;
  let isHidden = false;
  const separates = ({ base, from }: Letter) => base === WHITE || isSeparator(text.codePointAt(from)!);
  const touches = (letter: Letter | undefined) => letter?.character.joins === true && !separates(letter);
  for (const [at, letter] of letters.entries()) {
    const { base, index, from, to, isMarked, isHiddenBefore, isHiddenWithin, character } = letter;
    const run = runs.at(-1)!;
    if (separates(letter)) {
      for (const unit of text.slice(from, to)) if (base !== WHITE || /\s/.test(unit)) gap.push(base);
      if (isMarked) gap.push(ANY);
      isHidden ||= isHiddenBefore || isHiddenWithin;
    } else if (index > 0) {
      if (run.length > 0) run.push(letter);
    } else {
      const isAlone = !touches(letters[at - 1]) && !touches(letters[at + character.letters.length]);
      const isRead = character.kind === 'letter' || (character.kind === 'symbol' && character.letters.length === 1);
      const isSeparated = gap.length > 0 && gap.length <= 3 && new Set(gap).size === 1;
      const goesOn = run.length > 0 && isSeparated && isAlone && isRead;
      // The last letter of a run begins the next one if another separator stands between the two.
      if (goesOn && separator !== undefined && gap[0] !== separator)
        runs.push(run.slice(run.findLastIndex((one) => one.index === 0)));
      else if (!goesOn) runs.push([]);
      separator = goesOn ? gap[0] : undefined;
      if (isAlone && isRead) runs.at(-1)!.push(isHidden ? { ...letter, isHiddenBefore: true } : letter);
      gap = [];
      isHidden = false;
    }
  }
  return runs;
}

const isMask = ({ character: { code } }: Letter) => isMaskCode(code);
const isOuter = ({ base, character: { code } }: Letter) => isSign(code) || apostrophes.has(base);

/** Letters of a text as they are read in tokens, and where the words of these begin and end. */
class Tokens {
  readonly letters: Letter[] = [];
  readonly words: { readonly first: number; readonly behind: number; readonly isChanged: boolean }[] = [];

  add(letters: readonly Letter[], first: number, behind: number, isChanged: boolean): void {
    const before = this.letters.length;
    this.letters.push(...letters);
    if (first >= 0 && behind > first) this.words.push({ first: before + first, behind: before + behind, isChanged });
  }

  /** Occurrences that are words as a whole, of which one at least is not read as it is written. */
  *find(term: Term, mode: Mode, transform: number): Generator<Found> {
    const { letters, words } = this;
    for (const [at, { first }] of words.entries())
      for (const { behind, transforms } of align({ term, letters, free: nowhere, mode }, first)) {
        const last = words.findIndex((word) => word.behind === behind);
        if (!words.slice(at, last + 1).some(({ isChanged }) => isChanged)) continue;
        const [start, end] = [letters[first]!.from, letters[behind - 1]!.end];
        if ((transforms & (by.LEET | by.JOINED)) === 0)
          yield { start, end, rank: IN_TOKENS, transforms: transforms | transform };
      }
  }
}

/**
 * Occurrences in tokens, of which some have signs in them or masks for letters. White space bounds
 * a token.
 */
function* inTokens(term: Term, text: string, letters: readonly Letter[]): Generator<Found> {
  const [interrupted, masked] = [new Tokens(), new Tokens()];
  for (let at = 0; at < letters.length; ) {
    const white = letters.findIndex((letter, place) => place >= at && !isInner(letter));
    const token = letters.slice(at, white < 0 ? undefined : white);
    const first = token.findIndex((letter) => !isOuter(letter));
    const last = token.findLastIndex((letter) => !isOuter(letter));
    const kept = withoutSigns(token, first, last);
    if (kept !== undefined) interrupted.add(kept, 0, kept.length, true);
    else interrupted.add(token, first, last + 1, false);
    // A mask before the word is emphasis.
    const isEmphasis = token.slice(0, Math.max(first, 0)).some(isMask);
    const lastMask = isEmphasis ? last : token.findLastIndex((letter) => !isOuter(letter) || isMask(letter));
    const isMasked = first >= 0 && areMasksInBounds(text, token.slice(first, lastMask + 1));
    const isAny = (letter: Letter, place: number) => isMasked && isMask(letter) && place > first && place <= lastMask;
    const guessed = token.map((letter, place) => (isAny(letter, place) ? { ...letter, base: ANY } : letter));
    masked.add(guessed, first, (isMasked ? lastMask : last) + 1, isMasked);
    at += token.length + 1;
    for (const tokens of white < 0 ? [] : [interrupted, masked]) tokens.add([letters[white]!], 0, 0, false);
  }
  yield* interrupted.find(term, 'apart', by.INTERRUPTED);
  const isOfSingle = term.runs.flat().every(({ character }) => character.letters.length === 1);
  if (isOfSingle) yield* masked.find(term, 'masked', by.MASKED);
}

/**
 * The letters of a word with one sign or two in one place or more, without signs; undefined if it
 * is none.
 */
function withoutSigns(token: readonly Letter[], first: number, last: number): Letter[] | undefined {
  const kept: Letter[] = [];
  let isHidden = false;
  for (const [at, letter] of token.entries()) {
    isHidden ||= letter.isHiddenBefore;
    if (at < first || at > last || isSign(letter.character.code)) continue;
    kept.push({ ...letter, isHiddenBefore: isHidden });
    isHidden = false;
  }
  const word = token.slice(Math.max(first, 0), last + 1);
  const signs = word.filter(({ character }) => isSign(character.code));
  const isTooMuch = word.some((letter, at) => {
    const [next, third] = [word[at + 1], word[at + 2]];
    const isRow = [letter, next, third].every((one) => one !== undefined && isSign(one.character.code));
    return isRow || (letter.base === 0x3c && next?.base === 0x2f) || (isSign(letter.character.code) && letter.isMarked);
  });
  return signs.length > 0 && kept.length >= 3 && !isTooMuch ? kept : undefined;
}

/**
 * Whether a word has masks for half of its letters at most, and at its end only where these are no
 * emphasis.
 */
function areMasksInBounds(text: string, word: readonly Letter[]): boolean {
  const masks = word.filter(isMask);
  const ending = word.length - 1 - word.findLastIndex((letter) => !isMask(letter));
  if (masks.length === 0 || word.length < 3 || 2 * masks.length > word.length) return false;
  if (masks.some(({ isMarked }) => isMarked) || (word.length === 3 && masks[0]!.base === 0x23)) return false;
  return ending === 0 || ((ending > 1 || word.length >= 5) && text.search(/[*#＊＃]/) >= word[0]!.from);
}

/**
 * Compares one term with the letters before one end, exactly: where it begins, and by which
 * transforms text and term are equal.
 *
 * An instance of: dynamic programming, run by run of the term, from its last one to its first. A
 * *way* is how a part of the term from some run on was read: up to which letter, by which
 * transforms, and what its word holds so far. Each run of the term takes, from where a way has
 * come:
 *
 * - as many letters as it has;
 * - three letters or more for any number (*stretched*), if they are whole runs of the text, and the
 *   side of the term is not a free one;
 * - two equal letters for one (*doubled*), if they are a whole run, in terms of more than three
 *   letters.
 *
 * Ways that have come to the same letter are one, that of fewest transforms. So the work is in
 * proportion to the letters that are read.
 */
import { WHITE } from '../folding.js';
import { FREE_END, FREE_START } from '../word-edges.js';
import { confusableBy } from './confusables.js';
import { haveSameMarks, type Letter, marksOf, type Work } from './letters.js';
import { SHORT, type TermLetter, type Terms } from './terms.js';
import { DOUBLED, IGNORABLE, isSimpler, LEET, MARK, MASKED, STRETCHED } from './transforms.js';

/**
 * Letters before an end: `before(0)` is the last one, `before(1)` the one before that, and
 * `before(-1)` the one after the end.
 */
export interface LettersBefore {
  before(index: number): Letter | undefined;
}

/**
 * How letters are compared. `text`: with free sides, on which the outer run is neither stretched
 * nor doubled. `apart`: letters of which some in between were left out. `masked`: of which some
 * stand for any letter, none of them stretched.
 */
export type AlignmentMode = 'text' | 'apart' | 'masked';

/** The base of a mask, which stands for any letter. */
export const ANY = -2;
/** In place of transforms: the letters differ. */
const DIFFERENT = -1;
/**
 * So often letters or their marks may change in a stretched run. A change to or from a digit or a
 * sign counts as two (`a4a4`): those may be several letters, and texts of them take longest.
 */
const MOST_CHANGES = 8;
const SIGN_CHANGE = 2;
const FEWEST_STRETCHED = 3;

/**
 * The contents of a word of a match so far. A sign counts as a letter only in a word that has a
 * real one as well: `a55`, never `455`.
 */
const NOTHING = 0;
const SIGNS_ONLY = 1;
const LETTERS = 2;

interface Way {
  /** The number of letters that were read, back from the end. */
  readonly length: number;
  readonly transforms: number;
  readonly contents: number;
}

/**
 * A start of a term: how many letters before the end, and the transforms that text and term take.
 */
export type AlignedStart = Pick<Way, 'length' | 'transforms'>;

/** A run of a term: letters from `begin` up to `end`, and what it may stand for. */
interface Run {
  readonly begin: number;
  readonly end: number;
  readonly isFirst: boolean;
  readonly mayStretch: boolean;
  readonly mayDouble: boolean;
}

const startingWays: readonly Way[] = [{ length: 0, transforms: 0, contents: NOTHING }];

export class Aligner {
  readonly #terms: Terms;
  readonly #work: Work;

  constructor(terms: Terms, work: Work) {
    this.#terms = terms;
    this.#work = work;
  }

  /** Returns where a term may begin that ends after the first of some letters. */
  starts(term: number, letters: LettersBefore, mode: AlignmentMode): readonly AlignedStart[] {
    const { numbers, from, letters: table } = this.#terms;
    let ways: readonly Way[] = startingWays;
    for (let end = from[term + 1]!; end > from[term]! && ways.length > 0; ) {
      const run = this.#runBefore(term, end, mode);
      const taken: Way[] = [];
      for (const way of ways) this.#take(way, run, letters, taken);
      const beginsWord = run.isFirst || !table[numbers[run.begin - 1]!]!.joins;
      const isWord = beginsWord && table[numbers[run.begin]!]!.joins;
      ways = isWord ? taken.filter(({ contents }) => isWholeWord(contents, mode)) : taken;
      end = run.begin;
    }
    return ways;
  }

  /** Returns the run of a term that ends before one of its letters. */
  #runBefore(term: number, end: number, mode: AlignmentMode): Run {
    const { numbers, from, runOf, letters, free } = this.#terms;
    let begin = end - 1;
    const last = letters[numbers[begin]!]!;
    const run = runOf[numbers[begin]!]!;
    if (last.base !== WHITE) while (begin > from[term]! && runOf[numbers[begin - 1]!] === run) begin--;
    const isFirst = begin === from[term];
    const isLast = end === from[term + 1];
    const sides = mode === 'text' ? free[term]! : 0;
    const isOuter = (isFirst && (sides & FREE_START) !== 0) || (isLast && (sides & FREE_END) !== 0);
    const mayStretch = last.isAlphabetic && !isOuter && mode !== 'masked';
    const mayDouble = mayStretch && mode === 'text' && sides === 0 && end - begin === 1 && !this.#terms.is(term, SHORT);
    return { begin, end, isFirst, mayStretch, mayDouble };
  }

  /** Adds the ways that a run may be read from where a way has come. */
  #take(way: Way, run: Run, letters: LettersBefore, taken: Way[]): void {
    const { numbers, letters: table } = this.#terms;
    const wanted = run.end - run.begin;
    let { transforms, contents } = way;
    let ofRun = 0;
    let hasParts = false;
    let changes = 0;
    let behind = 0;
    let sign = 0;
    let mayStretch = run.mayStretch;
    let letter = letters.before(way.length);
    // A run is whole that ends where the letter or its marks change, and begins there.
    let isChange = letter === undefined || !isRepeated(letters.before(way.length - 1), letter);
    for (let count = 0; letter !== undefined && (count < wanted || mayStretch); ) {
      this.#work.steps++;
      const step = compare(letter, table[numbers[Math.max(run.begin, run.end - 1 - count)]!]!);
      if (step === DIFFERENT) return;
      if (count === 0) mayStretch &&= isChange;
      else if (isChange) changes += letter.base !== behind && ((step | sign) & LEET) !== 0 ? SIGN_CHANGE : 1;
      if (changes > MOST_CHANGES) mayStretch = false;
      behind = letter.base;
      sign = step & LEET;
      count++;
      contents = contentsAfter(table[numbers[run.begin]!]!, step, contents);
      transforms |= step;
      ofRun |= step;
      hasParts ||= letter.decomposition.letters.length > 1;
      const length = way.length + count;
      const next = letters.before(length);
      isChange = !isRepeated(letter, next);
      const through = letter.ignoredBefore ? transforms | IGNORABLE : transforms;
      const outside = run.isFirst ? transforms : through;
      if (count === wanted) addWay(taken, length, outside, contents);
      else if (mayStretch && count >= FEWEST_STRETCHED && isChange)
        addWay(taken, length, outside | STRETCHED, contents);
      // Neither a sign nor a part of a character is doubled.
      const isDouble = count === 2 && run.mayDouble && mayStretch && isChange && changes === 0;
      if (isDouble && (ofRun & LEET) === 0 && !hasParts) addWay(taken, length, outside | DOUBLED, contents);
      transforms = through;
      letter = next;
    }
  }
}

/** Reports whether a letter of a text is the same with the same marks as the one before it. */
function isRepeated(letter: Letter | undefined, before: Letter | undefined): boolean {
  return letter !== undefined && before !== undefined && letter.base === before.base && haveSameMarks(letter, before);
}

/**
 * Adds a way, unless one has come to the same letter with the same contents by fewer transforms.
 */
function addWay(ways: Way[], length: number, transforms: number, contents: number): void {
  for (let at = 0; at < ways.length; at++) {
    const known = ways[at]!;
    if (known.length !== length || known.contents !== contents) continue;
    if (isSimpler(transforms, known.transforms)) ways[at] = { length, transforms, contents };
    return;
  }
  ways.push({ length, transforms, contents });
}

/**
 * Reports whether a word may be of these contents: it has a letter if it has signs, and always if
 * letters stand apart.
 */
function isWholeWord(contents: number, mode: AlignmentMode): boolean {
  return mode === 'text' ? contents !== SIGNS_ONLY : contents === LETTERS;
}

/** Returns the transforms by which a letter of a text is one of a term, or `DIFFERENT`. */
function compare(letter: Letter, wanted: TermLetter): number {
  if (letter.base === ANY) return wanted.joins ? MASKED : DIFFERENT;
  const like = letter.base === wanted.base ? 0 : likeness(letter.base, wanted.base);
  if (like < 0) return DIFFERENT;
  const isSame = letter.decomposition.code === wanted.decomposition.code && letter.index === wanted.index;
  if (!isSame && letter.isPunctuation && (like & LEET) !== 0) return DIFFERENT;
  const step = isSame ? 0 : like | letter.decomposition.transforms | wanted.decomposition.transforms;
  return step | (haveWantedMarks(letter, wanted) ? 0 : MARK) | (letter.ignoredWithin ? IGNORABLE : 0);
}

/** Answers of `confusableBy` for two letters, for those that were compared last. */
const knownPairs = new Float64Array(1 << 12).fill(Number.NaN);
const knownAnswers = new Int32Array(knownPairs.length);
const CODES = 0x200000;

function likeness(written: number, wanted: number): number {
  const pair = written * CODES + wanted;
  const slot = (31 * written + wanted) & (knownPairs.length - 1);
  if (knownPairs[slot] !== pair) {
    knownAnswers[slot] = written === WHITE ? DIFFERENT : confusableBy(written, wanted);
    knownPairs[slot] = pair;
  }
  return knownAnswers[slot]!;
}

function haveWantedMarks(letter: Letter, { wantedMarks }: TermLetter): boolean {
  const marks = marksOf(letter);
  if (marks.length !== wantedMarks.length) return false;
  if (marks.length === 0) return true;
  const sorted = [...marks].sort((left, right) => left - right);
  return sorted.every((mark, index) => mark === wantedMarks[index]);
}

/** Returns the contents of a word with one more letter, read by the transforms `step`. */
function contentsAfter({ joins, isAlphabetic }: TermLetter, step: number, contents: number): number {
  if (!joins) return NOTHING;
  if ((step & MASKED) !== 0) return contents;
  if ((step & LEET) !== 0) return Math.max(contents, SIGNS_ONLY);
  return isAlphabetic ? LETTERS : contents;
}

/**
 * Finds terms in letters that stand apart: isolated ones, words with signs in them, and words with
 * signs for their letters. A match counts where no other one of its term begins.
 *
 * - *Isolated* letters (`f u c k`, `f.u.c.k`) are such that no other letter touches, with one to
 *   three separators of one kind between each two. What consists of these alone is a *passage*; it
 *   is cut into runs, within which all gaps hold the same separator.
 * - A *token* is what white space bounds on both sides; signs around it are not a part of its word.
 *   A term has to be one token or several, each as a whole, whatever its sides need, for in a part
 *   of one the signs of clean texts would do the same (`as-soon`). No sign or digit is a letter.
 * - A token is *interrupted* by one sign or two in one place or more. An apostrophe is not such a
 *   sign. In a phrase signs stand around interrupted words alone: `(b)(u)(y) now`.
 * - It is *masked* if `*` or `#` stand for a letter each and it has no other sign. Its first letter
 *   and half of all are there. Only the middle one of three letters is masked, and by `*`: `C#m` is
 *   a chord. Emphasis and footnotes end with masks, too: those at the end count where no mask
 *   stands before in the text, and one alone in words of `LONG` letters or more.
 */
import { isWhite, WHITE } from '../folding.js';
import { childCountOf, failureOf, firstChildOf, outputBelow, outputOf, symbolOf } from '../keyword-automaton.js';
import { Advice, endsTerms } from '../keyword-scan.js';
import { isPairBefore } from '../surrogates.js';
import { FREE_END, FREE_START } from '../word-edges.js';
import { type AlignedStart, type AlignmentMode, ANY, type LettersBefore } from './aligner.js';
import { type Automaton, isTerm } from './automaton.js';
import { type Columns, LABELS } from './columns.js';
import { decompositionOf } from './decompositions.js';
import type { Letter } from './letters.js';
import { apostrophes, isMaskCode, isSeparator, isSign, masks } from './roles.js';
import { BREAKABLE, FEWEST_APART, MASKABLE, SHORT, SPACEABLE, type Terms } from './terms.js';
import { INTERRUPTED, JOINED, LEET, MASKED, SPACED } from './transforms.js';
import type { Verifier } from './verifier.js';

const { CONTINUE } = Advice;
/** So many separators may stand between two isolated letters. */
const MOST_SEPARATORS = 3;
/** In a gap, for marks on a separator: no separator is like it. */
const NO_SEPARATOR = -2;
/** So many signs may stand in one place: as many as between two letters in brackets. */
const MOST_SIGNS = 2;
/** The fewest letters of a word of which the last alone is masked. */
const LONG = 5;
const NUMBER_SIGN = 0x23;
/**
 * The most nodes of which the next letters are tried for a mask, so that the work is bounded.
 */
const MOST_GUESSED = 1_024;

/**
 * A token of a text: where its word begins and ends in letters without signs, and in masked ones.
 */
interface Token {
  readonly interrupted: { readonly first: number; readonly end: number; readonly applies: boolean };
  readonly masked: { readonly first: number; readonly end: number; readonly applies: boolean };
}

export class ApartReader {
  readonly #terms: Terms;
  readonly #columns: Columns;
  readonly #automaton: Automaton;
  readonly #verifier: Verifier;
  /** Whether a term may go on after the tokens that were read last, some of which has masks. */
  mayGoOn = false;

  constructor(terms: Terms, columns: Columns, automaton: Automaton, verifier: Verifier) {
    this.#terms = terms;
    this.#columns = columns;
    this.#automaton = automaton;
    this.#verifier = verifier;
  }

  /** Visits the terms in the isolated letters of a passage. Returns the visitor's advice. */
  visitPassage(text: string, from: number, until: number): number {
    for (const run of cut(text, this.#verifier.letters.between(from, until))) {
      let nodes: readonly number[] = this.#automaton.start.nodes;
      for (let at = 0; at < run.length; at++) {
        nodes = this.#automaton.next(nodes, this.#columns.labelsOf(run[at]!.base), true);
        if (!isLastOfCharacter(run[at]!)) continue;
        for (const term of this.#termsAt(nodes, SPACEABLE))
          for (const { length, transforms } of this.#startsBefore(term, run, at + 1, 'apart')) {
            const first = at + 1 - length;
            if (run[first]!.index !== 0 || !this.#isSpaced(term, run, first, at + 1)) continue;
            const advice = this.#verifier.visit(term, run[first]!.from, run[at]!.end, transforms | SPACED);
            if (endsTerms(advice)) return advice;
          }
      }
    }
    return CONTINUE;
  }

  /**
   * Reports whether a term that was found in a run counts as spaced out: it has three characters or
   * more (`æ` is one). One of three letters or characters has to be the whole run, but for a sign
   * beside it (`k y s !`), and for letters on a free side.
   */
  #isSpaced(term: number, run: readonly Letter[], first: number, end: number): boolean {
    let characters = 0;
    for (let at = first; at < end; at++) if (run[at]!.index === 0) characters++;
    if (characters < FEWEST_APART) return false;
    if (!this.#terms.is(term, SHORT) && characters > FEWEST_APART) return true;
    const free = this.#terms.free[term]!;
    const isFirst = (free & FREE_START) !== 0 || run[first - 1]?.decomposition.joins !== true;
    return isFirst && ((free & FREE_END) !== 0 || run[end]?.decomposition.joins !== true);
  }

  /**
   * Visits the terms that end with the token that ends at an offset. Returns the visitor's advice.
   */
  visitTokens(text: string, from: number, until: number): number {
    this.mayGoOn = false;
    const { tokens, interrupted, masked } = readTokens(text, this.#verifier.letters.between(from, until));
    if (tokens.length === 0) return CONTINUE;
    const advice = this.#visitReading(tokens, 'interrupted', interrupted);
    const hasMasks = !endsTerms(advice) && masked.some(({ base }) => base === ANY);
    return hasMasks ? this.#visitReading(tokens, 'masked', masked) : advice;
  }

  #visitReading(tokens: readonly Token[], kind: keyof Token, letters: readonly Letter[]): number {
    const isMasked = kind === 'masked';
    const { end } = tokens.at(-1)![kind];
    const nodes = this.#nodesBefore(tokens, kind, letters);
    this.mayGoOn = isMasked && isTerm(this.#automaton.next(nodes, this.#columns.labelsOf(WHITE), false));
    for (const term of this.#termsAt(nodes, isMasked ? MASKABLE : BREAKABLE))
      for (const { length, transforms } of this.#startsBefore(term, letters, end, isMasked ? 'masked' : 'apart')) {
        const first = end - length;
        const token = tokens.findIndex((candidate) => candidate[kind].first === first);
        if (token < 0 || letters[first]!.index !== 0 || (transforms & (LEET | JOINED)) !== 0) continue;
        if (!tokens.slice(token).some((candidate) => candidate[kind].applies)) continue;
        const through = transforms | (isMasked ? MASKED : INTERRUPTED);
        const advice = this.#verifier.visit(term, letters[first]!.from, letters[end - 1]!.end, through);
        if (endsTerms(advice)) return advice;
      }
    return CONTINUE;
  }

  /** Returns the nodes that the last of some tokens ends in. */
  #nodesBefore(tokens: readonly Token[], kind: keyof Token, letters: readonly Letter[]): readonly number[] {
    let nodes: readonly number[] = this.#automaton.start.nodes;
    const { end } = tokens.at(-1)![kind];
    let token = 0;
    for (let at = 0; at < end; at++) {
      const begins = tokens[token]?.[kind].first === at;
      if (begins) token++;
      const { base } = letters[at]!;
      if (base === ANY) nodes = this.#afterMask(nodes);
      else nodes = this.#automaton.next(nodes, this.#columns.labelsOf(base), begins);
    }
    return nodes;
  }

  /** Returns the nodes after any letter that joins words. */
  #afterMask(nodes: readonly number[]): readonly number[] {
    const { keywords } = this.#automaton;
    const { table } = keywords;
    const found = new Set<number>();
    for (const node of nodes)
      for (let at = node; at >= keywords.startStates && found.size < MOST_GUESSED; at = failureOf(table, at)) {
        if (symbolOf(table, at) >= LABELS) found.add(at);
        const end = firstChildOf(table, at) + childCountOf(table, at);
        for (let child = firstChildOf(table, at); child < end; child++)
          if (this.#columns.joins[symbolOf(table, child)] === 1) found.add(child);
      }
    return found.size === 0 ? this.#automaton.start.nodes : [...found].sort((left, right) => left - right);
  }

  /** Returns the open terms of which a bit holds that end in nodes. */
  #termsAt(nodes: readonly number[], flag: number): ReadonlySet<number> {
    const { table, ends, duplicate } = this.#automaton.keywords;
    const found = new Set<number>();
    for (const node of nodes)
      for (let output = outputOf(table, node); output >= 0; output = outputBelow(table, output))
        for (let sequence = ends[output]!; sequence >= 0; sequence = duplicate[sequence]!) {
          const term = this.#automaton.termOf(sequence);
          if (this.#terms.is(term, flag) && !this.#verifier.isClosed(term)) found.add(term);
        }
    return found;
  }

  #startsBefore(term: number, letters: readonly Letter[], end: number, mode: AlignmentMode): readonly AlignedStart[] {
    const before: LettersBefore = { before: (index) => letters[end - 1 - index] };
    return this.#verifier.aligner.starts(term, before, mode);
  }
}

function isLastOfCharacter({ index, decomposition }: Letter): boolean {
  return index === decomposition.letters.length - 1;
}

/** Returns where the passage begins that an offset belongs to, at `floor` at the earliest. */
export function passageStart(text: string, at: number, floor: number): number {
  let from = at;
  while (from > floor) {
    const before = from - (isPairBefore(text, from) ? 2 : 1);
    if (!belongsToPassage(text, before)) break;
    from = before;
  }
  return from;
}

/** Returns where the passage ends that an offset belongs to. */
export function passageEnd(text: string, at: number): number {
  let until = at;
  while (until < text.length && belongsToPassage(text, until)) until += text.codePointAt(until)! > 0xffff ? 2 : 1;
  return until;
}

/**
 * Reports whether a character is a separator, a mark, a hidden one, or a letter that no letter
 * touches.
 */
function belongsToPassage(text: string, at: number): boolean {
  const code = text.codePointAt(at)!;
  if (isSeparator(code)) return true;
  const { kind } = decompositionOf(code);
  if (kind === 'mark' || kind === 'ignorable' || kind === 'other') return kind !== 'other';
  const end = at + (code > 0xffff ? 2 : 1);
  return !touches(text, visibleBefore(text, at)) && !touches(text, visibleAfter(text, end));
}

function touches(text: string, neighbour: number): boolean {
  return neighbour >= 0 && neighbour < text.length && decompositionOf(text.codePointAt(neighbour)!).joins;
}

/** Returns the start of the last visible character before an offset, or -1. */
function visibleBefore(text: string, offset: number): number {
  for (let at = offset; at > 0; ) {
    at -= isPairBefore(text, at) ? 2 : 1;
    if (decompositionOf(text.codePointAt(at)!).letters.length > 0) return at;
  }
  return -1;
}

/**
 * Returns the start of the first visible character from an offset on, or the length of the text.
 */
function visibleAfter(text: string, offset: number): number {
  let at = offset;
  for (; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1)
    if (decompositionOf(text.codePointAt(at)!).letters.length > 0) break;
  return at;
}

/**
 * Cuts the letters of a passage into runs of three characters or more with one separator in all
 * gaps.
 */
function cut(text: string, letters: readonly Letter[]): Letter[][] {
  const runs: Letter[][] = [];
  let run: Letter[] = [];
  let separator: number | undefined;
  let gap: number[] = [];
  let hidden = false;
  /** Ends the run. Its last character begins the next one. */
  const close = () => {
    if (run.filter(({ index }) => index === 0).length >= FEWEST_APART) runs.push(run);
    run = run.slice(run.findLastIndex(({ index }) => index === 0));
    separator = undefined;
  };
  for (const letter of letters) {
    const { base, index, from, to, decomposition } = letter;
    if (base === WHITE || isSeparator(text.codePointAt(from)!)) {
      // A run of white space is one letter, but each of its characters counts.
      for (let unit = from; unit < to; unit++) if (base !== WHITE || isWhite(text.charCodeAt(unit))) gap.push(base);
      if (letter.marks.length > 0) gap.push(NO_SEPARATOR);
      hidden ||= letter.ignoredBefore || letter.ignoredWithin;
      continue;
    }
    if (index > 0) {
      // The rest of a character that is read as several letters, as `ß` is.
      if (run.length > 0) run.push(letter);
      continue;
    }
    const between = gap.length <= MOST_SEPARATORS && gap.every((sign) => sign === gap[0]) ? gap[0] : undefined;
    if (run.length > 0 && (between === undefined || (separator !== undefined && between !== separator))) close();
    if (between === undefined) run = [];
    const { kind, letters: bases } = decomposition;
    if (kind === 'letter' || (kind === 'symbol' && bases.length === 1)) {
      if (run.length > 0) separator = between;
      run.push(hidden && !letter.ignoredBefore ? { ...letter, ignoredBefore: true } : letter);
    } else {
      close();
      run = [];
    }
    gap = [];
    hidden = false;
  }
  close();
  return runs;
}

/**
 * Reads the tokens of a stretch of text: their letters without signs, and with masks as any letter.
 */
function readTokens(text: string, letters: readonly Letter[]) {
  const tokens: Token[] = [];
  const interrupted: Letter[] = [];
  const masked: Letter[] = [];
  for (let at = 0; at < letters.length; ) {
    if (letters[at]!.base === WHITE) {
      interrupted.push(letters[at]!);
      masked.push(letters[at++]!);
      continue;
    }
    let end = at;
    while (end < letters.length && letters[end]!.base !== WHITE) end++;
    tokens.push(readToken(text, letters.slice(at, end), interrupted, masked));
    at = end;
  }
  return { tokens, interrupted, masked };
}

/** Reads one token, and adds its letters to those of all. */
function readToken(text: string, letters: readonly Letter[], interrupted: Letter[], masked: Letter[]): Token {
  const first = letters.findIndex((letter) => !isOuter(letter));
  const last = letters.findLastIndex((letter) => !isOuter(letter));
  // A mask at the beginning is emphasis: `**word**`.
  const isEmphasis = letters.slice(0, Math.max(first, 0)).some(isMask);
  const lastMask = isEmphasis ? last : letters.findLastIndex((letter) => !isOuter(letter) || isMask(letter));
  const isMasked = first >= 0 && areMasksInBounds(text, letters.slice(first, lastMask + 1));
  const isInterrupted = first >= 0 && hasSigns(letters.slice(first, last + 1));
  const maskedFrom = masked.length;
  for (const [at, letter] of letters.entries())
    masked.push(isMasked && at > first && at <= lastMask && isMask(letter) ? { ...letter, base: ANY } : letter);
  const from = interrupted.length;
  let hidden = false;
  for (const [at, letter] of letters.entries()) {
    if (isInterrupted && (at < first || at > last || isSign(letter.decomposition.code)))
      hidden ||= letter.ignoredBefore;
    else {
      interrupted.push(hidden ? { ...letter, ignoredBefore: true } : letter);
      hidden = false;
    }
  }
  const ofInterrupted = isInterrupted
    ? { first: from, end: interrupted.length, applies: true }
    : { first: from + first, end: from + last + 1, applies: false };
  const end = maskedFrom + (isMasked ? lastMask : last) + 1;
  return { interrupted: ofInterrupted, masked: { first: maskedFrom + first, end, applies: isMasked } };
}

/** Reports whether letters from the first to the last of a token are an interrupted word. */
function hasSigns(letters: readonly Letter[]): boolean {
  let signs = 0;
  let all = 0;
  let before: Letter | undefined;
  for (const letter of letters) {
    if (isSign(letter.decomposition.code)) {
      all++;
      if (++signs > MOST_SIGNS || letter.marks.length > 0 || isOfTag(before, letter)) return false;
    } else signs = 0;
    before = letter;
  }
  return all > 0 && letters.length - all >= FEWEST_APART;
}

/** Reports whether two signs are where a tag of markup ends something: `Us</a>`. */
function isOfTag(before: Letter | undefined, { base }: Letter): boolean {
  return before?.base === 0x3c && base === 0x2f;
}

/** Reports whether the letters of a word, up to the last mask, have masks as a masked word has. */
function areMasksInBounds(text: string, letters: readonly Letter[]): boolean {
  const count = letters.length;
  const masked = letters.filter(isMask);
  if (masked.length === 0 || count < FEWEST_APART || 2 * masked.length > count) return false;
  if (masked.some(({ marks }) => marks.length > 0)) return false;
  if (count === FEWEST_APART && masked[0]!.base === NUMBER_SIGN) return false;
  const ending = count - 1 - letters.findLastIndex((letter) => !isMask(letter));
  if (ending === 0) return true;
  return (ending > 1 || count >= LONG) && firstMaskIn(text) >= letters[0]!.from;
}

/**
 * The text that was looked at last, and where its first mask stands: many words of it may end with
 * masks.
 */
let lookedAt = '';
let firstMask = -1;

/** Returns where the first sign of a text stands that may be a mask, or -1. */
export function firstMaskIn(text: string): number {
  if (lookedAt === text) return firstMask;
  lookedAt = text;
  firstMask = -1;
  for (const mask of masks) {
    const found = text.indexOf(mask);
    if (found >= 0 && (firstMask < 0 || found < firstMask)) firstMask = found;
  }
  return firstMask;
}

function isMask({ decomposition }: Letter): boolean {
  return isMaskCode(decomposition.code);
}

const [SMALL_A, SMALL_Z] = [0x61, 0x7a];

/** Reports whether a letter as it was read is not a part of a word where it stands beside one. */
function isOuter({ base, decomposition: { code } }: Letter): boolean {
  if (base >= SMALL_A && base <= SMALL_Z) return false;
  return isSign(code) || apostrophes.has(base);
}

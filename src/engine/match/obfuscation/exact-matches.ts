/**
 * Terms that a whole text is to equal under hardened folding: an occurrence that reaches from the first visible
 * character of the text to the last. Hidden characters around a text count as the white space around it does.
 *
 * An instance of: filter and verify. `mayEqual` looks at the first two letters and never rejects a text that equals a
 * term; `find` compares the text with all terms at once, once as letters that stand together, once as isolated ones
 * and once as a word with signs in it or for its letters, and looks it up by case folding alone.
 */
import { PORTION, type Portions } from '../../../foundation/portions.js';
import { DOT, ELLIPSIS, foldCodePoint, foldKey, isWhite } from '../folding.js';
import type { Span } from '../span.js';
import { isPairBefore } from '../surrogates.js';
import { Alignment } from './alignment.js';
import { decompositionOf } from './decompositions.js';
import { passageEnd, runsOfPassage } from './isolated-runs.js';
import { LetterReader } from './letters.js';
import { Lexicon } from './lexicon.js';
import { beginsWithMark, SCANNED_PLAIN, SPACEABLE } from './term-letters.js';
import { type Form, formsOf, hasSeveralForms } from './text-forms.js';
import { TokenScan } from './tokens.js';
import { COMPATIBILITY, IGNORABLE, MARK, SPACED } from './transforms.js';

/** Pattern in every word with signs in it or for its letters. */
const signInWord = /(?:\S|\ufeff)[^\p{L}\p{N}\s](?:\S|\ufeff)|[*#＊＃]/u;

/** A term that a text is, by what transforms. */
export interface ExactTerm {
  readonly term: number;
  readonly span: Span;
  readonly transforms: number;
}

export interface ObfuscationExactTerms {
  /** Whether a text has to be compared: it begins as a term does. */
  mayEqual(text: string): boolean;
  find(text: string): readonly ExactTerm[];
}

/** Compiles terms, in portions. They must be trimmed, and different after simple case folding. */
export function* createObfuscationExactTerms(written: readonly string[]): Portions<ObfuscationExactTerms> {
  const lexicon = yield* Lexicon.of(written);
  const byFold = new Map<string, number>();
  const caseOnly = new Uint8Array(written.length);
  /** First characters, folded, of terms that letters do not tell apart from others, or do not show. */
  const unseen = new Set<number>();
  let left = PORTION;
  for (const [index, term] of written.entries()) {
    byFold.set(foldKey(term, 'case'), index);
    caseOnly[index] = beginsWithMark(term) ? 1 : 0;
    if (term !== '' && lexicon.is(index, SCANNED_PLAIN)) unseen.add(firstSymbol(term, 0));
    left -= term.length + 1;
    if (left < 0) {
      left = PORTION;
      yield;
    }
  }
  const work = { steps: 0 };

  const findIn = (text: string): ExactTerm[] => {
    const trimmed = trimmedSpan(text);
    const same = byFold.get(foldKey(text.slice(trimmed.start, trimmed.end), 'case'));
    const found: ExactTerm[] = same === undefined ? [] : [{ term: same, span: trimmed, transforms: 0 }];
    const span = visibleSpan(text);
    const { start, end } = span;
    const hidden = start === trimmed.start && end === trimmed.end ? 0 : IGNORABLE;
    const add = (one: number, through: number) => {
      const term = lexicon.ownerOf(one);
      const isBare = term !== one && lexicon.plainEnd(one, text, start) === end;
      const transforms = (isBare ? hidden : through) | (term === one ? 0 : MARK);
      if (caseOnly[term] === 0 && !found.some((one) => one.term === term)) found.push({ term, span, transforms });
    };
    const reader = new LetterReader(text, work, start);
    for (const { term, transforms } of new Alignment(lexicon, text, reader, 'whole', { work, mustEnd: end }).from(0))
      add(term, transforms | hidden);
    for (const run of runsOfPassage(text, work, start, passageEnd(text, start))) {
      if (run[0]!.from !== start || run.at(-1)!.end !== end) continue;
      for (const { term, end: last, transforms } of new Alignment(lexicon, text, run, 'spaced', { work }).from(0))
        if (last === end && lexicon.is(term, SPACEABLE)) add(term, transforms | hidden | SPACED);
    }
    if (signInWord.test(text)) {
      const tokens = new TokenScan(lexicon, text, start, { work });
      for (const { term, start: from, end: to, transforms } of tokens.before(start + 1))
        if (from === start && to === end) add(term, transforms | hidden);
    }
    return found;
  };

  return {
    mayEqual: (text) => beginsUnseen(unseen, text) || mayBegin(lexicon, text),
    find: (text) => {
      const found = findIn(text);
      for (const form of formsOf(text)) {
        const known = new Set(found.map(({ term }) => term));
        for (const one of findIn(form.text)) if (!known.has(one.term)) found.push(asSent(one, form));
      }
      return found;
    },
  };
}

/** Reports whether a text begins, white space aside, with one of some folded characters. */
function beginsUnseen(unseen: ReadonlySet<number>, text: string): boolean {
  if (unseen.size === 0) return false;
  let at = 0;
  while (at < text.length && isWhite(text.charCodeAt(at))) at++;
  return at < text.length && unseen.has(firstSymbol(text, at));
}

function firstSymbol(text: string, at: number): number {
  const code = text.codePointAt(at)!;
  return code === ELLIPSIS ? DOT : foldCodePoint(code, 'case');
}

/** Reports whether a term begins with the first two letters of a text, or with the first and a sign. */
function mayBegin(lexicon: Lexicon, text: string): boolean {
  let first = -1;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    at += code > 0xffff ? 2 : 1;
    if (first < 0 && isWhite(code)) continue;
    if (hasSeveralForms(code)) return true;
    const { letters, joins } = decompositionOf(code);
    for (const letter of letters) {
      if (first >= 0) return mayFollow(lexicon, first, joins ? letter : -1);
      first = letter;
    }
  }
  return mayFollow(lexicon, first, -1);
}

/** Reports whether a term begins with a letter, and with another one behind it when that is not -1. */
function mayFollow(lexicon: Lexicon, first: number, second: number): boolean {
  const { firstChild, label } = lexicon.trie;
  for (const { symbol } of lexicon.candidatesFor(first)) {
    const state = lexicon.child(0, symbol);
    if (state < 0) continue;
    if (second < 0) return true;
    for (const { symbol: next } of lexicon.candidatesFor(second)) {
      // The same letter once more may belong to a stretched run.
      if (lexicon.runOf[next] === lexicon.runOf[symbol]) return true;
      for (let child = firstChild[state]!; child < firstChild[state + 1]!; child++)
        if (label[child] === next) return true;
    }
  }
  return false;
}

/** Returns a term that a form of a text equals, as of the text that was sent. */
function asSent({ term, span, transforms }: ExactTerm, { origin, through }: Form): ExactTerm {
  const [start, end] = [origin.sentOf(span.start), origin.sentOf(span.end)];
  const changed = origin.isChanged(start, end) ? COMPATIBILITY : 0;
  return { term, span: { start, end }, transforms: transforms | through | changed };
}

function trimmedSpan(text: string): Span {
  const start = text.length - text.trimStart().length;
  return { start, end: Math.max(start, text.trimEnd().length) };
}

/** Returns the text without the white space and the hidden characters around it. */
function visibleSpan(text: string): Span {
  const isSurrounding = (at: number) =>
    isWhite(text.charCodeAt(at)) || decompositionOf(text.codePointAt(at)!).kind === 'ignorable';
  let start = 0;
  while (start < text.length && isSurrounding(start)) start += text.codePointAt(start)! > 0xffff ? 2 : 1;
  let end = text.length;
  while (end > start) {
    const before = end - (isPairBefore(text, end) ? 2 : 1);
    if (!isSurrounding(before)) break;
    end = before;
  }
  return { start, end };
}

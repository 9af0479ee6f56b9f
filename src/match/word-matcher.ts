/**
 * Finds terms as whole words. A text falls into words: runs of characters that join, runs of white space, and every other
 * character alone. An occurrence begins and ends at word edges exactly when it is a sequence of such words, so it is words
 * that are hashed and looked up, not characters that are walked: 100,000 terms cost what a hundred cost.
 *
 * The hot loop has no branch at the end of a word, where a processor cannot foresee one: with a branch it takes half as
 * long again. It only asks whether a term may begin here; `walk` finds out.
 */
import { type Folding, foldCodePoint, isWhite, WHITE } from './folding.js';
import { buildKeywordAutomaton } from './keyword-automaton.js';
import type { KeywordMatcher, OnTerm } from './keyword-scan.js';
import type { PatternDfa } from './pattern-dfa.js';
import { endPattern, stepPattern, stepPatternTo } from './step-pattern.js';
import { poolTerms } from './term-pool.js';
import { joinsBefore, joinsWords } from './word-edges.js';
import { createWordTable } from './word-table.js';
import { BREAK, createWordUnits, hashOf } from './word-units.js';

/** What a walk answers when its visitor had enough. */
const STOPPED = -1;

/** Compiles terms to be found as whole words. */
export function createWordMatcher(terms: readonly string[], folding: Folding): KeywordMatcher {
  const pool = poolTerms(terms, folding);
  const table = createWordTable(pool);
  const automaton = buildKeywordAutomaton(table.sequences, table.words);
  const { entries, learn } = createWordUnits(folding, table.starts);
  const { filter, shift } = table;

  const visit = (text: string, state: number, end: number, onTerm: OnTerm): boolean => {
    for (let at = automaton.output[state]!; at >= 0; at = automaton.output[automaton.failure[at]!]!) {
      for (let term = automaton.ends[at]!; term >= 0; term = automaton.twin[term]!) {
        const start = pool.startOf(term, text, end);
        if (start >= 0 && onTerm(term, start, end) === true) return true;
      }
    }
    return false;
  };

  /** Hash of the word, run of white space or single character at `from`; `wordEnd` is where it ends. */
  let wordEnd = 0;
  const hashAt = (text: string, from: number): number => {
    let at = from;
    let hash = 0;
    for (let entry = 0; at < text.length; at++) {
      entry = entries[text.charCodeAt(at)]!;
      if (entry < 0) break;
      hash = (Math.imul(hash, 33) + entry) | 0;
    }
    // What looks like the end may be a character that was never seen, or half of one, and join after all.
    while (at < text.length && entries[text.charCodeAt(at)] !== BREAK) {
      const code = text.codePointAt(at)!;
      if (!joinsWords(code)) break;
      hash = (Math.imul(hash, 33) + hashOf(foldCodePoint(code, folding))) | 0;
      at += code > 0xffff ? 2 : 1;
    }
    if (at === from) {
      const code = text.codePointAt(at)!;
      if (isWhite(code)) {
        while (at < text.length && isWhite(text.charCodeAt(at))) at++;
        hash = hashOf(WHITE);
      } else {
        at += code > 0xffff ? 2 : 1;
        hash = hashOf(foldCodePoint(code, folding));
      }
    }
    wordEnd = at;
    return hash;
  };

  /**
   * Walks the automaton from the word before `at`, whose hash is known, or from what stands at `at`, until no term can go
   * on. Answers where that is, at least one character on.
   */
  const walk = (text: string, at: number, pending: number, onTerm: OnTerm): number => {
    let position = at;
    let hash = pending;
    let joined = false;
    if (at < text.length && entries[text.charCodeAt(at)] !== BREAK) {
      learn(text.charCodeAt(at));
      if (isWithinPair(text, at)) return at + 1;
      joined = joinsWords(text.codePointAt(at)!);
    }
    if (pending === 0 || joined) {
      while (position > 0 && joinsBefore(text, position)) position -= isWithinPair(text, position - 1) ? 2 : 1;
      if (position >= text.length) return position;
      hash = hashAt(text, position);
      position = wordEnd;
    }
    for (let state = 0; ; ) {
      const word = table.wordOf(hash);
      state = word < 0 ? 0 : automaton.step(state, word);
      if (state !== 0 && automaton.output[state]! >= 0 && visit(text, state, position, onTerm)) return STOPPED;
      if (position >= text.length || (state === 0 && position > at)) return position;
      hash = hashAt(text, position);
      position = wordEnd;
    }
  };

  const scan = (text: string, onTerm: OnTerm): void => {
    let hash = 0;
    for (let at = 0; at < text.length; at++) {
      const entry = entries[text.charCodeAt(at)]!;
      if (((filter[hash >>> shift]! | entry) & (entry >>> 31)) !== 0) {
        at = walk(text, at, hash, onTerm) - 1;
        if (at < 0) return;
        hash = 0;
      } else hash = ((hash << 5) + hash + entry) & ~(entry >> 31);
    }
    if (filter[hash >>> shift] !== 0) walk(text, text.length, hash, onTerm);
  };

  const scanWith = (text: string, onTerm: OnTerm, dfa: PatternDfa): boolean => {
    let state = dfa.begin();
    let { rows } = dfa;
    const { classes } = dfa;
    let hash = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const to = rows[state + classes[unit]!]!;
      if (to >= 0) state = to;
      else {
        state = stepPattern(dfa, state, text, at);
        if (state < 0) {
          scan(text, onTerm);
          return false;
        }
        rows = dfa.rows;
      }
      const entry = entries[unit]!;
      if (((filter[hash >>> shift]! | entry) & (entry >>> 31)) !== 0) {
        const resumed = walk(text, at, hash, onTerm);
        if (resumed < 0) return true;
        state = stepPatternTo(dfa, state, text, at + 1, resumed);
        if (state < 0) {
          scan(text, onTerm);
          return false;
        }
        rows = dfa.rows;
        at = resumed - 1;
        hash = 0;
      } else hash = ((hash << 5) + hash + entry) & ~(entry >> 31);
    }
    if (filter[hash >>> shift] !== 0 && walk(text, text.length, hash, onTerm) < 0) return true;
    return endPattern(dfa, state);
  };

  return {
    states: automaton.states,
    classes: table.words,
    bytes: automaton.bytes + pool.bytes + table.bytes + entries.byteLength,
    scan,
    scanWith,
  };
}

/** Whether an offset lies between the two halves of an astral character. */
function isWithinPair(text: string, at: number): boolean {
  return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

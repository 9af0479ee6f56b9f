/**
 * Finds terms as parts of words too: the automaton is stepped by characters. Near its root it has dense rows, one read
 * per character; a scan leaves them only for a match, a rare character, or where a text goes along with a term for long.
 */
import { buildAlphabet, OTHER } from './alphabet.js';
import { buildDenseRows, LOOK_CELL } from './dense-rows.js';
import { type Folding, foldCodePoint, isWhite } from './folding.js';
import { buildKeywordAutomaton } from './keyword-automaton.js';
import type { KeywordMatcher, OnTerm } from './keyword-scan.js';
import type { PatternDfa } from './pattern-dfa.js';
import { endPattern, stepPattern, stepPatternTo } from './step-pattern.js';
import { poolTerms } from './term-pool.js';

/** Columns beyond the commonest classes of a list in many languages only make rows colder. */
const MAX_WIDTH = 96;
/** What a walk answers when its visitor had enough. */
const STOPPED = -1;

/** Compiles terms to be found anywhere. */
export function createSubstringMatcher(terms: readonly string[], folding: Folding): KeywordMatcher {
  const pool = poolTerms(terms, folding);
  const alphabet = buildAlphabet(pool, folding, MAX_WIDTH);
  const symbols = pool.symbols.map(alphabet.classOf);
  const automaton = buildKeywordAutomaton({ count: pool.count, symbols, from: pool.from }, alphabet.size);
  const { cells, hot, width } = buildDenseRows(automaton, alphabet);
  const { units, classes, classOf, white } = alphabet;
  const { ends, failure, label, output } = automaton;
  /** Where the walk left the automaton: the offset of a row. */
  let resumed = 0;

  const visit = (text: string, state: number, end: number, onTerm: OnTerm): boolean => {
    const endsInWhite = label[state] === white && white !== OTHER;
    if (endsInWhite && end > 1 && isWhite(text.charCodeAt(end - 2))) return false;
    for (let at = output[state]!; at >= 0; at = output[failure[at]!]!) {
      const term = ends[at]!;
      if (onTerm(term, pool.startOf(term, text, end), endsInWhite ? endOfWhite(text, end) : end) === true) return true;
    }
    return false;
  };

  /** Takes the character at `from` and those after it, until a state with a row. Answers the offset after them. */
  const walk = (text: string, from: number, offset: number, cell: number, onTerm: OnTerm): number => {
    let at = from;
    let state = cell === LOOK_CELL ? offset / width : ~cell;
    let taken = cell !== LOOK_CELL;
    for (;;) {
      const unit = text.charCodeAt(at);
      const code = (unit & 0xf800) === 0xd800 ? text.codePointAt(at)! : unit;
      at += code > 0xffff ? 2 : 1;
      if (!taken) {
        const symbol =
          code === unit && (unit & 0xf800) !== 0xd800 ? classes[unit]! : classOf(foldCodePoint(code, folding));
        if (symbol === OTHER) state = 0;
        else if (symbol !== white || label[state] !== white) state = automaton.step(state, symbol);
      }
      taken = false;
      if (output[state]! >= 0 && visit(text, state, at, onTerm)) return STOPPED;
      if (state < hot || at >= text.length) break;
    }
    resumed = state < hot ? state * width : 0;
    return at;
  };

  const scan = (text: string, onTerm: OnTerm): void => {
    let offset = 0;
    for (let at = 0; at < text.length; at++) {
      const cell = cells[offset + units[text.charCodeAt(at)]!]!;
      if (cell >= 0) offset = cell;
      else {
        at = walk(text, at, offset, cell, onTerm) - 1;
        if (at < 0) return;
        offset = resumed;
      }
    }
  };

  const scanWith = (text: string, onTerm: OnTerm, dfa: PatternDfa): boolean => {
    let state = dfa.begin();
    let { rows } = dfa;
    const patternClasses = dfa.classes;
    let offset = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const to = rows[state + patternClasses[unit]!]!;
      if (to >= 0) state = to;
      else {
        state = stepPattern(dfa, state, text, at);
        rows = dfa.rows;
      }
      const cell = cells[offset + units[unit]!]!;
      if (cell >= 0) offset = cell;
      else {
        const next = walk(text, at, offset, cell, onTerm);
        if (next < 0) return true;
        state = stepPatternTo(dfa, state, text, at + 1, next);
        rows = dfa.rows;
        offset = resumed;
        at = next - 1;
      }
      if (state < 0) {
        scan(text, onTerm);
        return false;
      }
    }
    return endPattern(dfa, state);
  };

  return {
    states: automaton.states,
    classes: alphabet.size,
    bytes: automaton.bytes + pool.bytes + units.byteLength + classes.byteLength + cells.byteLength,
    scan,
    scanWith,
  };
}

function endOfWhite(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhite(text.charCodeAt(at))) at++;
  return at;
}

/**
 * The slow way through the gate, one character after the other: for what its rows do not tell. It stands in a state of the
 * automaton and knows what lone letters ask of what stands before.
 */
import { COLUMN_BITS, OTHER } from '../alphabet.js';
import { type KeywordAutomaton, outputBelow, outputOf } from '../keyword-automaton.js';
import { after, afterSign, Before, mayBeThird } from './before.js';
import { BREAK_BIT, type GateAlphabet, HIDDEN, isIntricate, LOOK, SIGN_BIT, TELLS } from './gate-alphabet.js';
import { mayEndAt } from './gate-evidence.js';
import { mayBeSpaced } from './gate-lone.js';
import { goesOnInWhite } from './gate-rows.js';
import { isDrawnOut } from './gate-runs.js';
import type { GateTraits } from './gate-traits.js';
import type { HardenedTerms } from './hardened-terms.js';
import { isPairBefore } from './letters.js';
import { readingOf } from './readings.js';
import { bars } from './spaced.js';
import { standsAlone, startBefore } from './word-runs.js';

const LAST_COLUMN = (1 << COLUMN_BITS) - 1;

/** Where the walk stands, and how it goes on. One for a gate, since texts are read one after the other. */
export class GateWalk {
  /** The state of the automaton, what stands before the next character, and where that begins. */
  state = 0;
  before: number = Before.BREAK;
  next = 0;
  readonly #alphabet: GateAlphabet;
  readonly #automaton: KeywordAutomaton;
  readonly #terms: HardenedTerms;
  readonly #traits: GateTraits;

  constructor(alphabet: GateAlphabet, automaton: KeywordAutomaton, terms: HardenedTerms, traits: GateTraits) {
    this.#alphabet = alphabet;
    this.#automaton = automaton;
    this.#terms = terms;
    this.#traits = traits;
  }

  /** Takes the character at an offset. Answers whether the gate opens. */
  takes(text: string, at: number): boolean {
    const unit = text.charCodeAt(at);
    let column = this.#alphabet.units[unit]!;
    if (column === LOOK) column = this.#alphabet.learn(unit);
    if (isIntricate(column)) return this.#looks(text, at);
    this.next = at + 1;
    const isBreak = this.#alphabet.breaks[column] === 1;
    return this.#passes(text, at, isBreak, after(this.before, isBreak)) || this.#steps(column, text, at + 1);
  }

  #looks(text: string, at: number): boolean {
    // Behind a first half that was taken for that of a picture.
    if (isPairBefore(text, at + 1)) return true;
    const code = text.codePointAt(at)!;
    this.next = at + (code > 0xffff ? 2 : 1);
    const look = this.#alphabet.lookAt(code);
    if (look === HIDDEN) return false;
    if (look === TELLS) return true;
    const isBreak = (look & BREAK_BIT) !== 0;
    // A sign may end a word as well as be a letter.
    const isSign = (look & SIGN_BIT) !== 0;
    const before = isSign ? afterSign(this.before, bars.has(code)) : after(this.before, isBreak);
    if (this.#passes(text, at, isBreak || isSign, before)) return true;
    if ((look & LAST_COLUMN) !== LOOK) return this.#steps(look & LAST_COLUMN, text, this.next);
    const { kind, letters } = readingOf(code);
    // Of several letters, as `ß`: one of those that stand alone, though each of its letters is counted.
    if (kind === 'letter' && standsAlone(text, at, this.next)) return true;
    for (let index = 0; index < letters.length; index++) {
      if (this.#steps(this.#alphabet.columnOf(letters[index]!), text, this.next)) return true;
    }
    return false;
  }

  /** Notes what stands before the next character. Answers whether three letters that stand alone end before this one. */
  #passes(text: string, at: number, isBreak: boolean, next: number): boolean {
    const isAlone = isBreak && mayBeThird(this.before);
    this.before = next;
    return isAlone && this.isThird(text, at);
  }

  #steps(column: number, text: string, end: number): boolean {
    const { table } = this.#automaton;
    if (column === OTHER) this.state = 0;
    else if (goesOnInWhite(table, this.state, column, this.#alphabet.white)) return false;
    else this.state = this.#automaton.step(this.state, this.#alphabet.symbols[column]!);
    return this.endsIn(this.state, text, end);
  }

  /** Whether the character before an offset is hidden. */
  isHiddenBefore(text: string, at: number): boolean {
    return at > 0 && this.#alphabet.lookAt(text.codePointAt(startBefore(text, at))!) === HIDDEN;
  }

  /** Whether the letter before an offset may be the third of those that stand alone. */
  isThird(text: string, end: number): boolean {
    return mayBeSpaced(text, end, this.#alphabet, this.#traits);
  }

  /** Whether three letters of a column before an offset may be one drawn out. */
  isRun(text: string, end: number): boolean {
    return isDrawnOut(text, end, this.#traits);
  }

  /** Whether a term that ends in a state may end at an offset. */
  endsIn(state: number, text: string, end: number): boolean {
    const { ends, table, twin } = this.#automaton;
    for (let at = outputOf(table, state); at >= 0; at = outputBelow(table, at)) {
      for (let term = ends[at]!; term >= 0; term = twin[term]!) {
        const isTerm = term < this.#terms.count;
        if (isTerm && mayEndAt(this.#terms.at(term), this.#traits.wholeWords, text, end)) return true;
        if (!isTerm && isDrawnOut(text, end, this.#traits)) return true;
      }
    }
    return false;
  }

  /** The state behind one and a column. */
  behind(state: number, column: number): number {
    return this.#automaton.step(state, column);
  }
}

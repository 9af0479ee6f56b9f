/**
 * Looks closer where the automaton stops: finds where a term that ends there may begin, reads the letters from there on,
 * and compares them with all terms.
 *
 * Three readers look at a text: of letters that stand together, of isolated letters (`isolated-runs.ts`), and of whole
 * tokens (`tokens.ts`). The two that leave something out visit a term where the first one does not find it.
 *
 * State: how far each reader has come. Starts before `done`, `isolatedDone` and `tokensDone` were compared. Letters that
 * were read, and their alignment, are kept while stops follow each other closely, so that they share their work.
 *
 * Invariants: stops ascend. An occurrence that begins before a stop, and was not visited at an earlier one, is visited at
 * it, if a term may end there. A start is compared once by each reader. Work is in proportion to the text.
 */
import { BYTE_ORDER_MARK, isWhite } from '../folding.js';
import { Advice, endsTerms, type OnTerm } from '../keyword-scan.js';
import { Alignment } from './alignment.js';
import type { Automaton } from './automaton.js';
import { decompositionOf } from './decompositions.js';
import { ExactWalk } from './exact-walk.js';
import { isSpaced, passageEnd, passageStart, runsOfPassage } from './isolated-runs.js';
import { LetterReader, visibleBefore, type Work } from './letters.js';
import type { Lexicon } from './lexicon.js';
import type { Occurrence } from './occurrence.js';
import type { OpenTerms } from './open-terms.js';
import { SCANNED_PLAIN } from './term-letters.js';
import { TokenScan } from './tokens.js';
import { SPACED } from './transforms.js';

const ROOT = 0;
const nothing = { start: -1, terms: [] };

export class LetterScan {
  readonly #lexicon: Lexicon;
  readonly #work: Work;
  readonly #exactWalk: ExactWalk;
  /** Terms that are still looked for; all of them when undefined. */
  open: OpenTerms | undefined;
  /** The letters that were read last, and what they were compared with. */
  #reader: LetterReader | undefined;
  #alignment: Alignment | undefined;
  #readFrom = 0;
  /** Starts before these offsets are done: of letters that stand together, and of isolated ones. */
  #done = 0;
  #isolatedDone = 0;
  #tokensDone = 0;
  #tokens: TokenScan | undefined;
  /** Terms that were visited with something left out, by start and term. */
  #apart = new Set<number>();
  /** The start that was looked at last, and the terms that are there with nothing left out. */
  #together: { readonly start: number; readonly terms: readonly number[] } = nothing;
  /** Last stop of the automaton, and the earliest start of a term that ends there. */
  #stop = 0;
  #start = 0;

  constructor(lexicon: Lexicon, automaton: Automaton, work: Work) {
    this.#lexicon = lexicon;
    this.#work = work;
    this.#exactWalk = new ExactWalk(lexicon, automaton, work);
  }

  /** Begins a text. */
  begin(): void {
    this.#reader = undefined;
    this.#alignment = undefined;
    this.#done = 0;
    this.#isolatedDone = 0;
    this.#tokensDone = 0;
    this.#tokens = undefined;
    if (this.#apart.size > 0) this.#apart = new Set();
    this.#together = nothing;
    this.#stop = 0;
    this.#start = 0;
    this.#exactWalk.begin();
  }

  /**
   * Visits the occurrences that begin before an offset and were not visited, if a term may end there. Returns the
   * visitor's advice.
   */
  visitTerms(text: string, at: number, onTerm: OnTerm): number {
    const open = this.open;
    if (open?.isBelow(ROOT) === false) return Advice.CONTINUE;
    const from = Math.max(this.#done, this.#startBefore(text, at));
    if (!this.#exactWalk.mayEnd(text, from, at)) return Advice.CONTINUE;
    const reader = this.#readerAt(text, from);
    this.#done = at;
    for (let index = reader.indexOf(from); ; index++) {
      const letter = reader.at(index);
      if (letter === undefined || letter.from >= at) return Advice.CONTINUE;
      this.#work.steps++;
      for (const { term, start, end, transforms, isPlain } of this.#alignment!.from(index)) {
        // The plain matcher reports these.
        if (isPlain && this.#lexicon.is(term, SCANNED_PLAIN)) continue;
        const advice = onTerm(term, start, end, transforms);
        if (endsTerms(advice)) return advice as number;
      }
    }
  }

  /** Returns the earliest start of a term that ends at an offset: no term has more runs of white space than are in between. */
  #startBefore(text: string, offset: number): number {
    let spaces = 0;
    let isSpace = false;
    let at = offset;
    for (; at > this.#stop; at--) {
      this.#work.steps++;
      const unit = text.charCodeAt(at - 1);
      if (isWhite(unit) && unit !== BYTE_ORDER_MARK) {
        if (!isSpace && spaces++ === this.#lexicon.mostSpaces) break;
        isSpace = true;
      } else if (unit < 0x80 || decompositionOf(unit).kind !== 'ignorable') isSpace = false;
    }
    // The result of the last stop holds here, too.
    this.#start = at > this.#stop ? at : this.#start;
    this.#stop = offset;
    return this.#start;
  }

  /** Returns a reader of letters from an offset on, with its alignment at hand: the one of before unless it begins behind or ends before. */
  #readerAt(text: string, from: number): LetterReader {
    if (this.#reader === undefined || from > this.#reader.readTo || from < this.#readFrom) {
      this.#readFrom = from;
      this.#reader = new LetterReader(text, this.#work, from);
      const found = { work: this.#work, open: this.open };
      this.#alignment = new Alignment(this.#lexicon, text, this.#reader, 'text', found);
    }
    return this.#reader;
  }

  /** Visits the terms among the isolated letters around an offset, once for each passage of them. Returns the visitor's advice. */
  visitIsolated(text: string, at: number, onTerm: OnTerm): number {
    const { open } = this;
    if (at < this.#isolatedDone || open?.isBelow(ROOT) === false) return Advice.CONTINUE;
    const from = passageStart(text, at, this.#isolatedDone);
    const until = passageEnd(text, at);
    this.#isolatedDone = Math.max(until, this.#isolatedDone);
    if (!this.#exactWalk.mayHoldIsolated(text, from, until)) return Advice.CONTINUE;
    return this.#visitApart(text, this.#isolatedIn(text, from, until), onTerm);
  }

  *#isolatedIn(text: string, from: number, until: number): Generator<Occurrence> {
    const found = { work: this.#work, open: this.open };
    for (const run of runsOfPassage(text, this.#work, from, until)) {
      const alignment = new Alignment(this.#lexicon, text, run, 'spaced', found);
      for (let first = 0; first < run.length; first++)
        for (const occurrence of alignment.from(first))
          if (isSpaced(this.#lexicon, run, first, occurrence))
            yield { ...occurrence, transforms: occurrence.transforms | SPACED };
    }
  }

  /**
   * Visits the terms that begin in tokens before an offset and have signs in their words or for letters of these, if one may end there.
   * Returns the visitor's advice.
   */
  visitTokens(text: string, at: number, onTerm: OnTerm): number {
    const { open } = this;
    if (open?.isBelow(ROOT) === false) return Advice.CONTINUE;
    const from = Math.max(this.#tokensDone, this.#startBefore(text, at));
    if (this.#tokens === undefined || from > this.#tokens.readTo)
      this.#tokens = new TokenScan(this.#lexicon, text, from, { work: this.#work, open });
    this.#tokensDone = at;
    return this.#visitApart(text, this.#tokens.before(at), onTerm);
  }

  /**
   * Visits terms that were read with something left out, each once for a start, unless it is found there with nothing
   * left out: a bar, for one, may be a letter or stand between letters. Returns the visitor's advice.
   */
  #visitApart(text: string, found: Iterable<Occurrence>, onTerm: OnTerm): number {
    for (const { term, start, end, transforms } of found) {
      const key = start * this.#lexicon.pool.count + term;
      if (this.#apart.has(key) || this.#isTogether(text, start, term)) continue;
      this.#apart.add(key);
      const advice = onTerm(term, start, end, transforms);
      if (endsTerms(advice)) return advice as number;
    }
    return Advice.CONTINUE;
  }

  #isTogether(text: string, start: number, term: number): boolean {
    if (this.#together.start !== start) {
      // From the visible character before, so that letters are read as they are in the whole text.
      const index = this.#readerAt(text, Math.max(0, visibleBefore(text, start))).indexOf(start);
      this.#together = { start, terms: this.#alignment!.from(index).map((one) => one.term) };
    }
    return this.#together.terms.includes(term);
  }
}

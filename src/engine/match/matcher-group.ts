/**
 * Several keyword matchers as one, for terms that are not all compared in the same way. Each scans
 * a text by itself, so that a text costs one read of each unit for every matcher; the first one is
 * stepped beside the automaton of the patterns.
 */

import { type ClosedTerms, endsTerms, type KeywordMatcher, type OnTerm } from './keyword-scan.js';
import type { PatternDfa } from './patterns/lazy-dfa.js';

/**
 * A matcher, and what the group calls its terms: by their index in it, numbers that no other member
 * has, from 0 on without gaps.
 */
export interface GroupMember {
  readonly matcher: KeywordMatcher;
  readonly terms: readonly number[];
}

/**
 * Makes one matcher of several. It visits what the first finds, then what the next finds, each in
 * its own order.
 */
export function groupMatchers(members: readonly GroupMember[]): KeywordMatcher {
  return new MatcherGroup(members);
}

class MatcherGroup implements KeywordMatcher {
  readonly #members: readonly GroupMember[];
  /** Visitors of members: `#onTerm` with numbers of the group. */
  readonly #visitors: readonly OnTerm[];
  #onTerm: OnTerm = () => {};
  #isOver = false;
  /** Steps of the members that scanned the text before the last one that did. */
  #before = 0;
  #last: KeywordMatcher;

  constructor(members: readonly GroupMember[]) {
    const matchers = members.map(({ matcher }) => matcher);
    this.#members = members;
    this.#last = matchers[0]!;
    this.#visitors = members.map(
      ({ terms }): OnTerm =>
        (term, start, end, transforms) => {
          const advice = this.#onTerm(terms[term]!, start, end, transforms);
          if (endsTerms(advice)) this.#isOver = true;
          return advice;
        },
    );
  }

  get steps(): number {
    return this.#before + this.#last.steps;
  }

  createClosedTerms(): ClosedTerms {
    return new ClosedOfMembers(this.#members);
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    this.#begin(onTerm);
    this.#scanFrom(0, text, closed);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    this.#begin(onTerm);
    const isComplete = this.#last.scanWith(text, this.#visitors[0]!, dfa, closedOf(closed, 0));
    this.#scanFrom(1, text, closed);
    return isComplete;
  }

  #begin(onTerm: OnTerm): void {
    this.#onTerm = onTerm;
    this.#isOver = false;
    this.#before = 0;
    this.#last = this.#members[0]!.matcher;
  }

  #scanFrom(first: number, text: string, closed: ClosedTerms | undefined): void {
    for (let at = first; at < this.#members.length && !this.#isOver; at++) {
      if (at > 0) this.#before += this.#last.steps;
      this.#last = this.#members[at]!.matcher;
      this.#last.scan(text, this.#visitors[at]!, closedOf(closed, at));
    }
  }
}

function closedOf(closed: ClosedTerms | undefined, member: number): ClosedTerms | undefined {
  return (closed as ClosedOfMembers | undefined)?.members[member];
}

class ClosedOfMembers implements ClosedTerms {
  readonly members: readonly ClosedTerms[];
  /** Member of each term, by number in the group, and its index there. */
  readonly #memberOf: Uint8Array;
  readonly #indexOf: Int32Array;

  constructor(members: readonly GroupMember[]) {
    this.members = members.map(({ matcher }) => matcher.createClosedTerms());
    const count = members.reduce((sum, { terms }) => sum + terms.length, 0);
    this.#memberOf = new Uint8Array(count);
    this.#indexOf = new Int32Array(count);
    for (const [member, { terms }] of members.entries()) {
      for (const [index, term] of terms.entries()) {
        this.#memberOf[term] = member;
        this.#indexOf[term] = index;
      }
    }
  }

  close(term: number): void {
    this.members[this.#memberOf[term]!]!.close(this.#indexOf[term]!);
  }

  clear(): void {
    for (const closed of this.members) closed.clear();
  }
}

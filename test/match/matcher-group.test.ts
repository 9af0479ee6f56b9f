import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeywordMatcher } from '../../src/engine/match/keyword-matcher.js';
import { Advice, type KeywordMatcher } from '../../src/engine/match/keyword-scan.js';
import { groupMatchers } from '../../src/engine/match/matcher-group.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { runs } from '../support/runs.js';

const terms = ['ab', 'AB', 'b', 'B', 'aab', 'A'];
const matcherOf = (folding: 'exact' | 'case', own: readonly number[]) => ({
  terms: own,
  matcher: runAtOnce(
    createKeywordMatcher(
      own.map((term) => terms[term]!),
      { folding, words: 'substring' },
    ),
  ),
});
/** The terms at even places by case, the others exactly. */
const members = [matcherOf('case', [4, 0, 2]), matcherOf('exact', [1, 3, 5])];
const group = groupMatchers(members);
const { dfa } = re2js.compile([{ source: 'ba', insensitive: false, whole: false }]);

type Hit = readonly [term: number, start: number, end: number];
const anyText = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', ' '), maxLength: 20 });

function bruteForce(text: string, asked: (term: number) => boolean = () => true): Hit[] {
  return terms.flatMap((written, term): Hit[] => {
    const [term1, text1] = term % 2 === 0 ? [written.toLowerCase(), text.toLowerCase()] : [written, text];
    return [...text].flatMap((_, at): Hit[] =>
      asked(term) && text1.startsWith(term1, at) ? [[term, at, at + written.length]] : [],
    );
  });
}

function found(scan: (onTerm: (term: number, start: number, end: number) => undefined) => void): Hit[] {
  const hits: Hit[] = [];
  scan((term, start, end) => {
    hits.push([term, start, end]);
  });
  return hits.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

describe('groupMatchers', () => {
  it('visits what each member finds, by the numbers of the group, alone and beside patterns', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(found((onTerm) => group.scan(text, onTerm))).toEqual(bruteForce(text));
        expect(found((onTerm) => expect(group.scanWith(text, onTerm, dfa!)).toBe(true))).toEqual(bruteForce(text));
        expect(dfa!.matchedCount).toBe(text.includes('ba') ? 1 : 0);
      }),
      { numRuns: runs(100) },
    );
  });

  it('leaves closed terms out, of every member, until all are opened', () => {
    const closed = group.createClosedTerms();
    fc.assert(
      fc.property(anyText, fc.subarray([0, 1, 2, 3, 4, 5]), (text, shut) => {
        for (const term of shut) closed.close(term);
        const open = (term: number) => !shut.includes(term);
        expect(found((onTerm) => group.scan(text, onTerm, closed))).toEqual(bruteForce(text, open));
        closed.clear();
        expect(found((onTerm) => group.scanWith(text, onTerm, dfa!, closed))).toEqual(bruteForce(text));
      }),
      { numRuns: runs(100) },
    );
  });

  it.each([Advice.STOP, Advice.PATTERNS_ONLY])('scans no more after the advice %i, of any member', (advice) => {
    for (const text of ['ab AB ba', 'AB ba', 'A ba']) {
      const hits = bruteForce(text);
      for (const scan of [
        (onTerm: () => number) => group.scan(text, onTerm),
        (onTerm: () => number) => group.scanWith(text, onTerm, dfa!),
      ]) {
        for (let last = 1; last <= hits.length; last++) {
          let count = 0;
          scan(() => (++count === last ? advice : Advice.CONTINUE));
          expect(count).toBe(last);
        }
      }
      group.scanWith(text, () => Advice.PATTERNS_ONLY, dfa!);
      expect(dfa!.matchedCount).toBe(1);
    }
  });

  it('has the steps of all members that scanned, while one scans as well', () => {
    const text = 'ab AB b';
    const of = (matcher: KeywordMatcher) => {
      matcher.scan(text, () => {});
      return matcher.steps;
    };
    const [first, second] = members.map(({ matcher }) => of(matcher)) as [number, number];
    expect(of(group)).toBe(first + second);
    const steps: number[] = [];
    group.scan(text, () => {
      steps.push(group.steps);
    });
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(steps.at(-1)).toBeGreaterThan(first);
    group.scan(text, () => Advice.STOP);
    expect(group.steps).toBeLessThan(first);
  });
});

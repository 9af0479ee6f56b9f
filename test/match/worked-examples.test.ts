/**
 * The examples that stand at the head of files in `src/engine/match`, worked through by the code.
 */
import { RE2Set } from 're2js';
import { describe, expect, it } from 'vitest';
import { buildAlphabet, COLUMNS, OTHER } from '../../src/engine/match/alphabet.js';
import { buildKeywordAutomaton, outputBelow, outputOf } from '../../src/engine/match/keyword-automaton.js';
import { createKeywordMatcher } from '../../src/engine/match/keyword-matcher.js';
import type { KeywordMatcher } from '../../src/engine/match/keyword-scan.js';
import { buildPatternClasses, SURROGATE_CLASS } from '../../src/engine/match/patterns/classes.js';
import { buildFollows } from '../../src/engine/match/patterns/follows.js';
import { createPatternDfa } from '../../src/engine/match/patterns/lazy-dfa.js';
import { NfaSimulation } from '../../src/engine/match/patterns/nfa-simulation.js';
import { Assertion, Op, readPatternProgram } from '../../src/engine/match/patterns/program.js';
import { TransitionBuilder } from '../../src/engine/match/patterns/transitions.js';
import { TermPool } from '../../src/engine/match/term-pool.js';
import { runAtOnce } from '../../src/foundation/portions.js';

/** What a matcher visits, in its order: term, start and end. */
function visited(matcher: KeywordMatcher, text: string): number[][] {
  const found: number[][] = [];
  matcher.scan(text, (term, start, end) => {
    found.push([term, start, end]);
  });
  return found;
}

describe('keyword-matcher.ts: he, she, hers in ushers', () => {
  const terms = ['he', 'she', 'hers'];

  it('visits terms where they end, the longest first', () => {
    const matcher = runAtOnce(createKeywordMatcher(terms, { folding: 'case', words: 'substring' }));
    const found = [
      [1, 1, 4],
      [0, 2, 4],
      [2, 2, 6],
    ];
    expect(visited(matcher, 'ushers')).toEqual(found);
    // With all rows known.
    expect(visited(matcher, 'ushers')).toEqual(found);
  });

  it('goes through the states of its automaton', () => {
    const { units, sequences, unshared } = runAtOnce(
      buildAlphabet(runAtOnce(TermPool.of(terms, 'case')), 'case', false),
    );
    // alphabet.ts
    expect([...'ehsrHx'].map((unit) => units[unit.charCodeAt(0)])).toEqual([1, 2, 3, 4, 2, OTHER]);
    expect([...sequences.symbols.subarray(sequences.from[1], sequences.from[2])]).toEqual([3, 2, 1]);
    expect([...unshared]).toEqual([1, 1, 1]);
    const { step, table } = runAtOnce(buildKeywordAutomaton(sequences, COLUMNS));
    const states = [0];
    for (const unit of 'ushers') states.push(step(states.at(-1)!, units[unit.charCodeAt(0)]!));
    expect(states).toEqual([0, 0, 2, 4, 6, 5, 7]);
    expect([outputOf(table, 6), outputBelow(table, 6), outputBelow(table, 3)]).toEqual([6, 3, -1]);
    expect([outputOf(table, 7), outputBelow(table, 7)]).toEqual([7, -1]);
  });
});

it('keyword-automaton.ts: cat as a word, at as a suffix of words', () => {
  const symbolOf = { '·': 0, a: 1, c: 2, t: 3, ' ': 4 } as const;
  const symbols = (text: string) => [...text].map((letter) => symbolOf[letter as keyof typeof symbolOf]);
  const sequences = { count: 3, symbols: Int32Array.from(symbols('catat·at')), from: Int32Array.of(0, 3, 5, 8) };
  const { step, table, ends } = runAtOnce(buildKeywordAutomaton(sequences, 5, Uint8Array.of(1, 1, 1, 1, 0)));
  const statesOver = (text: string) => {
    const states: number[] = [];
    for (const symbol of symbols(text)) states.push(step(states.at(-1) ?? 0, symbol));
    return states;
  };
  expect(statesOver('cat')).toEqual([3, 6, 8]);
  expect([outputOf(table, 8), outputBelow(table, 8), outputBelow(table, 7)]).toEqual([8, 7, -1]);
  expect([ends[8], ends[7]]).toEqual([0, 2]);
  expect(statesOver('ccat')).toEqual([3, 1, 4, 7]);
  expect(statesOver('c at')).toEqual([3, 0, 2, 5]);
  expect(ends[5]).toBe(1);
});

describe('patterns: ab and a$', () => {
  const set = new RE2Set();
  for (const pattern of ['ab', 'a$']) set.add(pattern);
  set.compile();
  const program = runAtOnce(readPatternProgram([set as never]))!;
  const classes = runAtOnce(buildPatternClasses(program))!;
  const [a, b] = [classes.units[0x61]!, classes.units[0x62]!];

  it('transitions.ts: the active instructions after each step', () => {
    expect([...program.op].slice(1, 7)).toEqual([Op.RUNES, Op.RUNES, Op.MATCH, Op.RUNES, Op.ASSERT, Op.MATCH]);
    expect(program.arg[5]).toBe(Assertion.END_TEXT);
    const transitions = new TransitionBuilder(program, classes);
    let active = new Int32Array(0);
    let context = transitions.startContext;
    const step = (classNumber: number) => {
      transitions.advance(active, 0, active.length, context, classNumber);
      active = transitions.threads.slice(0, transitions.count);
      context = transitions.context;
      return { threads: [...active].sort(), ids: [...transitions.ids.subarray(0, transitions.idCount)] };
    };
    expect(step(a)).toEqual({ threads: [2, 5], ids: [] });
    expect(step(b)).toEqual({ threads: [], ids: [0] });
    expect(step(classes.end)).toEqual({ threads: [], ids: [] });
    step(a);
    expect(step(classes.end)).toEqual({ threads: [], ids: [1] });
  });

  it('nfa-simulation.ts: positions, and what is reported', () => {
    const follows = runAtOnce(buildFollows(program));
    expect([...follows.pcOf]).toEqual([1, 2, 4, 5]);
    const { chained, matching, asserting } = follows;
    expect([chained[0], matching[0], asserting[0]]).toEqual([0b0101, 0b0010, 0b1000]);
    const simulation = new NfaSimulation(program, classes, new TransitionBuilder(program, classes), follows);
    const reported = (text: string) => {
      const found: number[] = [];
      simulation.run(text, (pattern) => found.push(pattern));
      return found;
    };
    expect([reported('ab'), reported('a'), reported('b')]).toEqual([[0], [1], []]);
  });

  it('lazy-dfa.ts: what rows hold before and after each step of aab', () => {
    const dfa = runAtOnce(createPatternDfa(program, Int32Array.from([0, 1])))!;
    expect([SURROGATE_CLASS, a, b, dfa.end, dfa.classCount]).toEqual([0, 2, 3, 4, 5]);
    const read = (text: string) => {
      let state = dfa.begin();
      const steps = [state];
      for (const classNumber of [...text].map((unit) => dfa.classes[unit.charCodeAt(0)]!).concat(dfa.end)) {
        steps.push(dfa.rows[state + classNumber]!);
        state = dfa.next(state, classNumber);
        steps.push(state);
      }
      return { steps, matched: [...dfa.matched.subarray(0, dfa.matchedCount)] };
    };
    expect(read('aab')).toEqual({ steps: [0, -1, 5, -1, 5, -1, 0, -1, 0], matched: [0] });
    expect(read('aab')).toEqual({ steps: [0, 5, 5, 5, 5, -2, 0, 0, 0], matched: [0] });
  });
});

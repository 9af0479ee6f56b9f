/** The default pattern engine: re2js with a lazy automaton. */
import { RE2JS, RE2Set } from 're2js';
import { type Portions, runAtOnce } from '../../../foundation/portions.js';
import type { TakeMatch } from '../span.js';
import type { WorkBudget } from '../work-budget.js';
import { type AdmittedPatterns, admitPatterns } from './complexity-limits.js';
import { type PatternEngine, type PatternSet, type PatternSpec, withFlags } from './engine.js';
import { createPatternDfa, type LazyPatternDfa, runPatternDfa, STALLED } from './lazy-dfa.js';
import { type PatternProgram, readPatternProgram } from './program.js';
import { agreesWithSets } from './verification.js';

/**
 * RE2 in JavaScript, the default: one pass over the text finds which patterns occur; spans are
 * searched pattern by pattern. The pass runs our lazy DFA of the programs that `RE2Set`s compile,
 * or these sets when a program is not as expected. Preferred to `re2-wasm`, which is about nine
 * times slower pattern by pattern, has no sets, and has a heap of 16 MiB whose exhaustion aborts
 * it.
 */
export const re2js: PatternEngine = {
  name: 're2js',
  compile: (patterns) => runAtOnce(compile(patterns)),
  compileInPortions: compile,
};

/** So many instructions are compiled at once, or one pattern of more. */
const INSTRUCTIONS_OF_A_SET = 1000;

function* compile(patterns: readonly PatternSpec[]): Portions<PatternSet> {
  const { admitted, parsed, rejected } = yield* admitPatterns(patterns);
  const sets = yield* compileSets(parsed);
  // The automaton refers to no set; the sets take several times the memory and time.
  const dfa = yield* createDfa(sets, admitted);
  return {
    rejected,
    ...(dfa === undefined
      ? { mark: markWithSets(sets, admitted), find: createFinder(patterns, admitted) }
      : { dfa, mark: markWithDfa(dfa), find: (index, text, budget, take) => dfa.find(index, text, budget, take) }),
    close: () => {},
  };
}

/**
 * Returns the program of one pattern, in portions; `undefined` when it is rejected, or when
 * programs are not as expected.
 */
export function* programOf(spec: PatternSpec): Portions<PatternProgram | undefined> {
  const { parsed } = yield* admitPatterns([spec]);
  return yield* readPatternProgram(yield* compileSets(parsed));
}

/** Sets of neighbouring patterns. */
function* compileSets(parsed: AdmittedPatterns['parsed']): Portions<readonly RE2Set[]> {
  const sets: RE2Set[] = [];
  let room = -1;
  for (const { pattern, cost } of parsed) {
    // With its MATCH, and the fork to its start.
    const needed = cost + 2;
    if (needed > room) {
      sets.at(-1)?.compile();
      sets.push(new RE2Set());
      room = INSTRUCTIONS_OF_A_SET;
      yield;
    }
    room -= needed;
    sets.at(-1)!.regexps.push(pattern);
  }
  sets.at(-1)?.compile();
  yield;
  return sets;
}

function* createDfa(sets: readonly RE2Set[], indices: readonly number[]): Portions<LazyPatternDfa | undefined> {
  const program = yield* readPatternProgram(sets);
  const dfa = program && (yield* createPatternDfa(program, Int32Array.from(indices)));
  if (program === undefined || dfa === undefined) return undefined;
  return (yield* agreesWithSets(dfa, sets, indices, program)) ? dfa : undefined;
}

function markWithSets(sets: readonly RE2Set[], indices: readonly number[]): PatternSet['mark'] {
  return (text, onMatch) => {
    let first = 0;
    for (const set of sets) {
      for (const id of set.match(text)) onMatch(indices[first + id]!);
      first += set.regexps.length;
    }
  };
}

function markWithDfa(dfa: LazyPatternDfa): PatternSet['mark'] {
  return (text, onMatch) => {
    // Stalled already: a caller that stepped the automaton itself passes the text at which it
    // stalled.
    if (dfa.stalled || runPatternDfa(dfa, text) === STALLED) dfa.simulate(text);
    for (let at = 0; at < dfa.matchedCount; at++) onMatch(dfa.matched[at]!);
  };
}

/**
 * Finds spans with patterns that are compiled one by one, each when its spans are first searched.
 */
function createFinder(patterns: readonly PatternSpec[], admitted: readonly number[]): PatternSet['find'] {
  const known = new Set(admitted);
  const singles = new Map<number, RE2JS>();
  return (index, text, budget, take) => {
    if (!known.has(index)) return;
    let single = singles.get(index);
    if (single === undefined) {
      single = RE2JS.compile(withFlags(patterns[index]!));
      singles.set(index, single);
    }
    findSuccessive(single, text, budget, take);
  };
}

function findSuccessive(pattern: RE2JS, text: string, budget: WorkBudget, take: TakeMatch): void {
  const matcher = pattern.matcher(text);
  let from = 0;
  do {
    // re2js does not report how far a search reads: at most to the end.
    budget.spent += text.length - from + 1;
    if (!matcher.find()) return;
    from = matcher.end();
  } while (!take(matcher.start(), from));
}

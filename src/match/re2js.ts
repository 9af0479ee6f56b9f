import { RE2JS, RE2Set } from 're2js';
import { admitPatterns } from './pattern-admission.js';
import { createPatternDfa, type LazyPatternDfa, runPatternDfa, STALLED } from './pattern-dfa.js';
import { type PatternEngine, type PatternSet, type PatternSpec, withFlags } from './pattern-engine.js';
import { readPatternProgram } from './pattern-program.js';
import { agreesWithSet } from './pattern-verification.js';
import type { Span } from './span.js';
import type { WorkBudget } from './work-budget.js';

/**
 * RE2 in JavaScript, the default: one pass over the text says which patterns occur, single patterns say where. The pass is
 * our lazy automaton over the program that `RE2Set` compiles to, or `RE2Set` itself when that program is not as expected.
 * Chosen over `re2-wasm`, which is about nine times slower pattern by pattern, has no set, and a heap of 16 MiB that aborts.
 */
export const re2js: PatternEngine = { name: 're2js', compile };

function compile(patterns: readonly PatternSpec[]): PatternSet {
  const { admitted, parsed, rejected } = admitPatterns(patterns);
  const found = bringUp(parsed, admitted);
  return {
    rejected,
    ...(found instanceof RE2Set
      ? { mark: markWithSet(found, admitted), find: createFinder(patterns, admitted) }
      : {
          dfa: found,
          mark: markWithDfa(found),
          find: (index, text, limit, budget) => found.find(index, text, limit, budget),
        }),
    close: () => {},
  };
}

/** The automaton, after which nothing is kept of the set; or the set, which needs several times the memory and time. */
function bringUp(parsed: readonly unknown[], indices: readonly number[]): LazyPatternDfa | RE2Set {
  const set = new RE2Set();
  for (const pattern of parsed) set.regexps.push(pattern);
  set.compile();
  const program = readPatternProgram(set.prog, parsed.length);
  const dfa = program && createPatternDfa(program, Int32Array.from(indices));
  return program !== undefined && dfa !== undefined && agreesWithSet(dfa, set, indices, program) ? dfa : set;
}

function markWithSet(set: RE2Set, indices: readonly number[]): PatternSet['mark'] {
  return (text, onMatch) => {
    if (indices.length === 0) return;
    for (const id of set.match(text)) onMatch(indices[id]!);
  };
}

function markWithDfa(dfa: LazyPatternDfa): PatternSet['mark'] {
  return (text, onMatch) => {
    // Stalled already: whoever stepped the automaton itself comes here with the text at which it gave up.
    if (dfa.stalled || runPatternDfa(dfa, text) === STALLED) dfa.simulate(text);
    for (let at = 0; at < dfa.matchedCount; at++) onMatch(dfa.matched[at]!);
  };
}

/** Patterns compiled by themselves, when somebody first asks where they match. */
function createFinder(patterns: readonly PatternSpec[], admitted: readonly number[]): PatternSet['find'] {
  const known = new Set(admitted);
  const singles = new Map<number, RE2JS>();
  return (index, text, limit, budget) => {
    if (!known.has(index)) return [];
    let single = singles.get(index);
    if (single === undefined) {
      single = RE2JS.compile(withFlags(patterns[index]!));
      singles.set(index, single);
    }
    return successiveMatches(single, text, limit, budget);
  };
}

function successiveMatches(pattern: RE2JS, text: string, limit: number, budget: WorkBudget): Span[] {
  const spans: Span[] = [];
  const matcher = pattern.matcher(text);
  while (spans.length < limit && (spans.length === 0 || !budget.isUsedUp)) {
    // How far a search reads is not told: to the end, at the most.
    budget.spent += text.length - (spans.at(-1)?.end ?? 0) + 1;
    if (!matcher.find()) break;
    spans.push({ start: matcher.start(), end: matcher.end() });
  }
  return spans;
}

/**
 * Contenders of `words` and `patterns` in both of their questions: those that also search the rules
 * of a user, and engines that are left out there.
 */
import { RE2 } from 're2-wasm';
import { RE2JS, RE2Set } from 're2js';
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { translatePattern } from '../../src/engine/match/patterns/translate.js';
import { wordSearches } from '../rules/bench-rule-set.js';
import {
  automaton,
  type Contender,
  charCodeFloor,
  ours,
  overTexts,
  patternStage,
  type Workload,
} from '../rules/contenders.js';
import { anyOf, nativePattern, type Search } from '../rules/searches.js';

type Ask = Workload['ask'];

/** Counts texts with a hit. */
export function hits(search: Search): (text: string) => number {
  return (text) => (search(text) ? 1 : 0);
}

/** Compiles a pattern by `re2-wasm`, which takes no inline flags and requires `u`. */
export function wasmPattern(text: string): RE2 {
  return text.startsWith('(?i)') ? new RE2(text.slice(4), 'iu') : new RE2(text, 'u');
}

/** Compiles a pattern by re2js. */
export function re2jsPattern(text: string): RE2JS {
  return RE2JS.compile(translatePattern(text));
}

/** Searches for every occurrence of every term. */
const includesLoop = overTexts(
  'includes loop',
  'lower case once per message, then one search per term',
  ({ terms }) => {
    const lower = terms.map((term) => term.toLowerCase());
    return (text) => {
      const folded = text.toLowerCase();
      let found = 0;
      for (const term of lower)
        for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + 1)) found += 1;
      return found;
    };
  },
);

/** Contenders that search for terms without a package that Sluice does not depend on. */
export function wordContenders(ask: Ask): readonly Contender[] {
  return ask === 'first' ? wordSearches : [automaton, includesLoop, charCodeFloor];
}

/** Tests patterns one after the other; for `first`, up to the first that matches. */
function onePerPattern(
  engine: string,
  compile: (text: string) => { test(text: string): boolean },
  note?: string,
): Contender {
  return overTexts(`${engine} per pattern`, note, ({ patterns, ask }) => {
    const compiled = patterns.map(compile);
    if (ask === 'first') return hits(anyOf(compiled));
    return (text) => {
      let found = 0;
      for (const pattern of compiled) if (pattern.test(text)) found += 1;
      return found;
    };
  });
}

const patternEngines: readonly Contender[] = [
  onePerPattern('RegExp', nativePattern, 'backtracking: fast here, without end on hostile input'),
  onePerPattern('re2-wasm', wasmPattern),
  onePerPattern('re2js', re2jsPattern),
  overTexts('re2js RE2Set', 'one pass for all patterns', ({ patterns, ask }) => {
    const set = new RE2Set();
    for (const text of patterns) set.add(translatePattern(text));
    set.compile();
    const most = ask === 'all' ? patterns.length : 1;
    return (text) => Math.min(most, set.match(text).length);
  }),
];

/** For `first`, all patterns of the same flags can be one expression. */
const patternsInOneRegExp = overTexts('one RegExp', 'patterns of equal flags joined', ({ patterns }) => {
  const byFlags = new Map<string, string[]>();
  for (const { source, flags } of patterns.map(nativePattern)) {
    byFlags.set(flags, [...(byFlags.get(flags) ?? []), `(?:${source})`]);
  }
  return hits(anyOf([...byFlags].map(([flags, sources]) => new RegExp(sources.join('|'), flags))));
});

/** Contenders that match patterns without a package that Sluice does not depend on. */
export function patternContenders(ask: Ask): readonly Contender[] {
  const joined = ask === 'first' ? [patternsInOneRegExp] : [];
  const stages = [patternStage(ours, re2js), patternStage(`${ours} on re2-wasm`, re2wasm)];
  return [...stages, ...patternEngines, ...joined, charCodeFloor];
}

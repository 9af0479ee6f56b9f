/** Contenders of `decide` and `compile`: the whole engine, and the same rules written by hand over other engines. */
import { charCodeFloor, wholeEngine } from '../../src/bench/contenders.js';
import { alternation, nativePattern, re2jsPattern, wasmPattern } from '../../src/bench/expressions.js';
import { type Contender, ours, type Runner, type Workload } from '../../src/bench/model.js';
import { localRunner } from '../../src/bench/runner.js';
import { createEngine } from '../../src/engine.js';
import { re2wasm } from '../../src/match/patterns/re2-wasm.js';
import type { Semantics } from '../../src/semantics.js';
import { isDropped } from '../workload.js';

type Search = (text: string) => boolean;
type BuildSearch = (needles: readonly string[]) => Search;

/** Patterns one after the other, up to the first that matches. */
function anyPattern<Pattern extends { test(text: string): boolean }>(compile: (text: string) => Pattern): BuildSearch {
  return (patterns) => {
    const compiled = patterns.map(compile);
    return (text) => {
      for (const pattern of compiled) if (pattern.test(text)) return true;
      return false;
    };
  };
}

/** Terms by `includes`; the text is put into lower case once for all of them. */
function anyIncluded(terms: readonly string[]): Search {
  if (terms.length === 0) return () => false;
  const lower = terms.map((term) => term.toLowerCase());
  return (text) => {
    const folded = text.toLowerCase();
    for (const term of lower) if (folded.includes(term)) return true;
    return false;
  };
}

const native = anyPattern(nativePattern);

type HandWritten = readonly [name: string, note: string, terms: BuildSearch, patterns: BuildSearch];

const handWritten: readonly HandWritten[] = [
  ['one RegExp', 'terms in one alternation, then RegExp per pattern', alternation, native],
  ['includes loop', 'includes per term, then RegExp per pattern', anyIncluded, native],
  ['re2js per pattern', 'terms in one alternation, then re2js per pattern', alternation, anyPattern(re2jsPattern)],
  ['re2-wasm per pattern', 'terms in one alternation, then re2-wasm per pattern', alternation, anyPattern(wasmPattern)],
];

/**
 * A hand-written verdict with no more work than it takes: one search for anything at all, which ends a clean message, and
 * only after a hit another for what the stronger rules refer to.
 */
function byStrength([name, note, terms, patterns]: HandWritten): Contender {
  return {
    name,
    note,
    prepare: (workload) => {
      const search = (isWanted: (_: string, index: number) => boolean): Search => {
        const term = terms(workload.terms.filter(isWanted));
        const pattern = patterns(workload.patterns.filter(isWanted));
        return (text) => term(text) || pattern(text);
      };
      const any = search(() => true);
      const drops = search((_, index) => isDropped(index, workload.ruleSet.rules.length));
      return localRunner(workload.texts, (text) => (any(text) ? (drops(text) ? 2 : 1) : 0));
    },
  };
}

/** Contenders of `decide` without packages that Sluice does not depend on. */
export function decideContenders(): readonly Contender[] {
  const engines = [wholeEngine(ours), wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm })];
  return [...engines, ...handWritten.map(byStrength), charCodeFloor];
}

/** Messages answered after every compilation: an engine that compiles lazily must not look as if it did not compile. */
const probes = 20;

/**
 * One pass is one compilation and the first answers. The count is the number of the first messages with a hit, so that a
 * compilation that left something out is discarded.
 */
function compileRunner({ texts }: Workload, compile: () => { hit: Search; close?: () => void }): Runner {
  const probed = texts.slice(0, probes);
  const once = () => {
    const { hit, close } = compile();
    const count = probed.filter(hit).length;
    close?.();
    return count;
  };
  return {
    pass: (times) => {
      const startedAt = performance.now();
      let count = once();
      for (let time = 1; time < times; time++) count = once();
      return { ns: ((performance.now() - startedAt) * 1e6) / Math.max(1, times), count };
    },
  };
}

function compiledEngine(name: string, options: Partial<Semantics> = {}): Contender {
  return {
    name,
    note: 'rules to engine',
    prepare: (workload) =>
      compileRunner(workload, () => {
        const engine = createEngine(workload.ruleSet, { ...workload.semantics, ...options });
        return { hit: (text) => engine.decide(text) !== 'allow', close: () => engine.close() };
      }),
  };
}

/** Contenders of `compile` without packages that Sluice does not depend on. */
export function compileContenders(): readonly Contender[] {
  return [
    compiledEngine(ours),
    compiledEngine(`${ours} on re2-wasm`, { engine: re2wasm }),
    {
      name: 'one RegExp',
      note: 'one alternation and RegExp per pattern',
      prepare: (workload) =>
        compileRunner(workload, () => {
          const [term, pattern] = [alternation(workload.terms), native(workload.patterns)];
          return { hit: (text) => term(text) || pattern(text) };
        }),
    },
  ];
}

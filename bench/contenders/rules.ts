/**
 * Contenders of `decide` and `compile`: the whole engine, and the same rules written by hand over
 * other engines.
 */

import { createEngine } from '../../src/engine/engine.js';
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import type { Semantics } from '../../src/engine/semantics.js';
import { isDropped } from '../corpora/rule-set.js';
import type { Contender } from '../measure.js';
import { charCodeFloor, localRunner, ours, type Workload, wholeEngine } from '../rules/contenders.js';
import { alternation, anyIncluded, anyOf, nativePattern, type Search } from '../rules/searches.js';
import { re2jsPattern, wasmPattern } from './searches.js';

/** Builds a search for any of some terms or patterns. */
type BuildSearch = (needles: readonly string[]) => Search;

const anyNative: BuildSearch = (patterns) => anyOf(patterns.map(nativePattern));
const anyRe2js: BuildSearch = (patterns) => anyOf(patterns.map(re2jsPattern));
const anyWasm: BuildSearch = (patterns) => anyOf(patterns.map(wasmPattern));

/**
 * A hand-written verdict with no more work than it takes: one search for anything at all, which
 * ends a clean message, and only after a hit another for what the stronger rules refer to.
 */
function byStrength(name: string, note: string, terms: BuildSearch, patterns: BuildSearch): Contender {
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
export const decideContenders: readonly Contender[] = [
  wholeEngine(ours),
  wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm }),
  byStrength('one RegExp', 'terms in one alternation, then RegExp per pattern', alternation, anyNative),
  byStrength('includes loop', 'includes per term, then RegExp per pattern', anyIncluded, anyNative),
  byStrength('re2js per pattern', 'terms in one alternation, then re2js per pattern', alternation, anyRe2js),
  byStrength('re2-wasm per pattern', 'terms in one alternation, then re2-wasm per pattern', alternation, anyWasm),
  charCodeFloor,
];

/**
 * Messages answered after every compilation: an engine that compiles lazily must not look as if it
 * did not compile.
 */
const probes = 20;

/**
 * One pass is one compilation and the first answers. The count is the number of the first messages
 * with a hit, so that a compilation that left something out is discarded.
 */
function compiling(
  name: string,
  note: string,
  compile: (workload: Workload) => { readonly hit: Search; readonly close?: () => void },
): Contender {
  return {
    name,
    note,
    prepare: (workload) => {
      const probed = workload.texts.slice(0, probes);
      const compileAndAnswer = () => {
        const { hit, close } = compile(workload);
        const count = probed.filter(hit).length;
        close?.();
        return count;
      };
      // Times and memory of single messages would be those of whole compilations.
      const { pass } = localRunner([workload], compileAndAnswer);
      return { pass };
    },
  };
}

function compiledEngine(name: string, options: Partial<Semantics> = {}): Contender {
  return compiling(name, 'rules to engine', ({ ruleSet, semantics }) => {
    const engine = createEngine(ruleSet, { ...semantics, ...options });
    return { hit: (text) => engine.decide(text) !== 'allow', close: () => engine.close() };
  });
}

/** Contenders of `compile` without packages that Sluice does not depend on. */
export const compileContenders: readonly Contender[] = [
  compiledEngine(ours),
  compiledEngine(`${ours} on re2-wasm`, { engine: re2wasm }),
  compiling('one RegExp', 'one alternation and RegExp per pattern', ({ terms, patterns }) => {
    const [term, pattern] = [alternation(terms), anyNative(patterns)];
    return { hit: (text) => term(text) || pattern(text) };
  }),
];

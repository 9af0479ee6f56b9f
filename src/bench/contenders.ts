import { RE2Set } from 're2js';
import { byVerdict, verdicts } from '../engine/compile/verdicts.js';
import { createEngine } from '../engine/engine.js';
import { Advice, createKeywordMatcher } from '../engine/match/keyword-matcher.js';
import type { PatternEngine } from '../engine/match/patterns/engine.js';
import { re2wasm } from '../engine/match/patterns/re2-wasm.js';
import { re2js } from '../engine/match/patterns/re2js.js';
import { translatePattern } from '../engine/match/patterns/translate.js';
import type { Semantics } from '../engine/semantics.js';
import { runAtOnce } from '../foundation/portions.js';
import { type Ask, type Contender, ours, type Workload } from './model.js';
import { localRunner } from './runner.js';
import { alternation, anyIncluded, anyOf, nativePattern, re2jsPattern, type Search, wasmPattern } from './searches.js';

type Count = (text: string) => number;

/** A contender over texts, in this process; `compile` returns what it adds to the count for one text. */
export function overTexts(name: string, note: string | undefined, compile: (workload: Workload) => Count): Contender {
  return { name, note, prepare: (workload) => localRunner(workload.texts, compile(workload)) };
}

/** Counts texts with a hit. */
export function hits(search: Search): Count {
  return (text) => (search(text) ? 1 : 0);
}

/** Called on the prototype, so that the floor does not depend on the number of kinds of strings, as our scans do not. */
const { charCodeAt } = String.prototype;

/** Reads every unit of every string and nothing more: the lower bound for anything that reads JavaScript strings. */
export const charCodeFloor = overTexts('floor: charCodeAt', 'reads every unit, answers nothing', () => (text) => {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum + charCodeAt.call(text, at)) | 0;
  return sum & 1;
});

/** What a verdict adds to the count of a model of decisions. */
export const verdictWeights = byVerdict((verdict) => verdicts.indexOf(verdict));

/** The whole engine: messages as they come, every rule, the strongest verdict. */
export function wholeEngine(
  name: string,
  options: Partial<Semantics> = {},
  verb: 'decide' | 'explain' = 'decide',
): Contender {
  return {
    name,
    prepare: ({ messages, ruleSet, semantics }) => {
      const engine = createEngine(ruleSet, { ...semantics, ...options });
      const close = () => engine.close();
      if (verb === 'decide') return localRunner(messages, (message) => verdictWeights[engine.decide(message)], close);
      return localRunner(messages, (message) => verdictWeights[engine.explain(message).verdict], close);
    },
  };
}

/** Our automaton by itself, without rules around it. */
const automaton = overTexts(ours, undefined, ({ terms, ask }) => {
  const matcher = runAtOnce(createKeywordMatcher(terms, { folding: 'case', words: 'substring' }));
  let found = 0;
  const countAll = () => {
    found += 1;
  };
  const countFirst = () => {
    found += 1;
    return Advice.STOP;
  };
  const onTerm = ask === 'all' ? countAll : countFirst;
  return (text) => {
    found = 0;
    matcher.scan(text, onTerm);
    return found;
  };
});

/** What most rule engines do. */
const includesLoop = overTexts(
  'includes loop',
  'lower case once per message, then one search per term',
  ({ terms, ask }) => {
    if (ask === 'first') return hits(anyIncluded(terms));
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

/** Finds only the leftmost of overlapping hits, so it is a contender for `first` alone. */
const termsInOneRegExp = overTexts(
  'one RegExp',
  'all terms in one alternation, caseless; in several once V8 would not optimise it',
  ({ terms }) => hits(alternation(terms)),
);

/** Contenders that search for terms without a package that Sluice does not depend on. */
export function wordContenders(ask: Ask): readonly Contender[] {
  return [automaton, includesLoop, ...(ask === 'first' ? [termsInOneRegExp] : []), charCodeFloor];
}

/** Our pattern stage by itself, on one of its engines. */
function patternStage(name: string, engine: PatternEngine): Contender {
  return {
    name,
    prepare: ({ texts, patterns, ask }) => {
      const set = engine.compile(
        patterns.map((text) => ({ source: translatePattern(text), insensitive: false, whole: false })),
      );
      let found = 0;
      const onMatch = () => {
        found += 1;
      };
      const count = (text: string) => {
        found = 0;
        set.mark(text, onMatch);
        return ask === 'all' || found === 0 ? found : 1;
      };
      return localRunner(texts, count, () => set.close());
    },
  };
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

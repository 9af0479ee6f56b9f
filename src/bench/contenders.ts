import { RE2Set } from 're2js';
import { createEngine } from '../engine.js';
import type { Verdict } from '../evaluate/decision.js';
import { Advice, createKeywordMatcher } from '../match/keyword-matcher.js';
import type { PatternEngine } from '../match/patterns/engine.js';
import { re2wasm } from '../match/patterns/re2-wasm.js';
import { re2js } from '../match/patterns/re2js.js';
import { translatePattern } from '../match/patterns/translate.js';
import { runAtOnce } from '../portions.js';
import type { Semantics } from '../semantics.js';
import { alternation, nativePattern, re2jsPattern, wasmPattern } from './expressions.js';
import { type Ask, type Contender, ours, type Runner, type Workload } from './model.js';
import { localRunner } from './runner.js';

/** Called on the prototype, so that the floor does not depend on the number of kinds of strings, as our scans do not. */
const { charCodeAt } = String.prototype;

/** Reads every unit of every string and nothing more: the lower bound for anything that reads JavaScript strings. */
export const charCodeFloor: Contender = {
  name: 'floor: charCodeAt',
  note: 'reads every unit, answers nothing',
  prepare: ({ texts }) =>
    localRunner(texts, (text) => {
      let sum = 0;
      for (let at = 0; at < text.length; at++) sum = (sum + charCodeAt.call(text, at)) | 0;
      return sum & 1;
    }),
};

/** What a verdict adds to the count of a model of decisions. */
export const verdictWeights: Readonly<Record<Verdict, number>> = { allow: 0, blockMessage: 1, dropMessage: 2 };

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
const automaton: Contender = {
  name: ours,
  prepare: ({ texts, terms, ask }) => {
    const matcher = runAtOnce(createKeywordMatcher(terms, { folding: 'case', words: 'substring' }));
    let hits = 0;
    const countAll = () => {
      hits += 1;
    };
    const countFirst = () => {
      hits += 1;
      return Advice.STOP;
    };
    const onTerm = ask === 'all' ? countAll : countFirst;
    return localRunner(texts, (text) => {
      hits = 0;
      matcher.scan(text, onTerm);
      return hits;
    });
  },
};

/** What most rule engines do: the text in lower case once, then one search per term. */
const includesLoop: Contender = {
  name: 'includes loop',
  note: 'lower case once per message, then one search per term',
  prepare: ({ texts, terms, ask }) => {
    const lower = terms.map((term) => term.toLowerCase());
    if (ask === 'first') {
      return localRunner(texts, (text) => {
        const folded = text.toLowerCase();
        for (const term of lower) if (folded.includes(term)) return 1;
        return 0;
      });
    }
    return localRunner(texts, (text) => {
      const folded = text.toLowerCase();
      let hits = 0;
      for (const term of lower)
        for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + 1)) hits += 1;
      return hits;
    });
  },
};

/** One alternation of all terms. It finds only the leftmost of overlapping hits, so it takes part for `first` alone. */
const termsInOneRegExp: Contender = {
  name: 'one RegExp',
  note: 'all terms in one alternation, caseless; in several once V8 would not optimise it',
  prepare: ({ texts, terms }) => {
    const search = alternation(terms);
    return localRunner(texts, (text) => (search(text) ? 1 : 0));
  },
};

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
function oneByOne<Pattern extends { test(text: string): boolean }>(
  { texts, patterns, ask }: Workload,
  compile: (text: string) => Pattern,
): Runner {
  const compiled = patterns.map(compile);
  if (ask === 'first') {
    return localRunner(texts, (text) => {
      for (const pattern of compiled) if (pattern.test(text)) return 1;
      return 0;
    });
  }
  return localRunner(texts, (text) => {
    let found = 0;
    for (const pattern of compiled) if (pattern.test(text)) found += 1;
    return found;
  });
}

const patternEngines: readonly Contender[] = [
  {
    name: 'RegExp per pattern',
    note: 'backtracking: fast here, without end on hostile input',
    prepare: (workload) => oneByOne(workload, nativePattern),
  },
  { name: 're2-wasm per pattern', prepare: (workload) => oneByOne(workload, wasmPattern) },
  { name: 're2js per pattern', prepare: (workload) => oneByOne(workload, re2jsPattern) },
  {
    name: 're2js RE2Set',
    note: 'one pass for all patterns',
    prepare: ({ texts, patterns, ask }) => {
      const set = new RE2Set();
      for (const text of patterns) set.add(translatePattern(text));
      set.compile();
      const most = ask === 'all' ? patterns.length : 1;
      return localRunner(texts, (text) => Math.min(most, set.match(text).length));
    },
  },
];

/** Where one answer is enough, all patterns can be one expression for each combination of flags. */
const patternsInOneRegExp: Contender = {
  name: 'one RegExp',
  note: 'patterns of equal flags joined',
  prepare: ({ texts, patterns }) => {
    const byFlags = new Map<string, string[]>();
    for (const { source, flags } of patterns.map(nativePattern)) {
      byFlags.set(flags, [...(byFlags.get(flags) ?? []), `(?:${source})`]);
    }
    const joined = [...byFlags].map(([flags, sources]) => new RegExp(sources.join('|'), flags));
    return localRunner(texts, (text) => {
      for (const expression of joined) if (expression.test(text)) return 1;
      return 0;
    });
  },
};

/** Contenders that match patterns without a package that Sluice does not depend on. */
export function patternContenders(ask: Ask): readonly Contender[] {
  const joined = ask === 'first' ? [patternsInOneRegExp] : [];
  const stages = [patternStage(ours, re2js), patternStage(`${ours} on re2-wasm`, re2wasm)];
  return [...stages, ...patternEngines, ...joined, charCodeFloor];
}

import { RE2JS } from 're2js';
import { createEngine } from '../../engine.js';
import type { Verdict } from '../../evaluate/decision.js';
import { re2wasm } from '../../match/patterns/re2-wasm.js';
import { translatePattern } from '../../match/patterns/translate.js';
import type { Semantics } from '../../semantics.js';
import { type Contender, type Material, type Needle, ours, type Runner } from '../model.js';
import { localRunner } from '../pass.js';
import { charCodeFloor } from './floor.js';
import { wasmPattern } from './pattern-contenders.js';
import { alternation, nativePattern } from './regexp-source.js';

const weights: Readonly<Record<Verdict, number>> = { allow: 0, blockMessage: 1, dropMessage: 2 };

/** The whole engine: messages as they come, every rule, the strongest verdict. */
export function wholeEngine(
  name: string,
  options: Partial<Semantics> = {},
  verb: 'decide' | 'explain' = 'decide',
): Contender {
  return {
    name,
    prepare: ({ messages, ruleSet, semantics }) => {
      const made = createEngine(ruleSet, { ...semantics, ...options });
      const close = () => made.close();
      if (verb === 'decide') return localRunner(messages, (message) => weights[made.decide(message)], close);
      return localRunner(messages, (message) => weights[made.explain(message).verdict], close);
    },
  };
}

type Search = (text: string) => boolean;

/**
 * A hand-written answer to the same question, with no more work than the verdict takes: one search for anything at all,
 * which is the end of it for a clean message, and only after a hit another for what the stronger rules ask for.
 */
function byStrength(
  material: Material,
  search: (terms: readonly Needle[], patterns: readonly Needle[]) => Search,
): Runner {
  const { texts, terms, patterns } = material;
  const strong = ({ weight }: Needle) => weight === 2;
  const any = search(terms, patterns);
  const drops = search(terms.filter(strong), patterns.filter(strong));
  return localRunner(texts, (text) => (any(text) ? (drops(text) ? 2 : 1) : 0));
}

function anyOf<Pattern>(patterns: readonly Pattern[], test: (pattern: Pattern, text: string) => boolean): Search {
  return (text) => {
    for (const pattern of patterns) if (test(pattern, text)) return true;
    return false;
  };
}

/** Terms by `includes`; the text is put into lower case once for all of them. */
function includesAny(terms: readonly Needle[]): Search {
  if (terms.length === 0) return () => false;
  const lower = terms.map(({ text }) => text.toLowerCase());
  return (text) => {
    const folded = text.toLowerCase();
    for (const term of lower) if (folded.includes(term)) return true;
    return false;
  };
}

function expressionAny(terms: readonly Needle[]): Search {
  if (terms.length === 0) return () => false;
  return alternation(terms);
}

const either =
  (one: Search, other: Search): Search =>
  (text) =>
    one(text) || other(text);

const native = (patterns: readonly Needle[]) =>
  anyOf(patterns.map(nativePattern), (pattern, text) => pattern.test(text));
const wasm = (patterns: readonly Needle[]) => anyOf(patterns.map(wasmPattern), (pattern, text) => pattern.test(text));
const linear = (patterns: readonly Needle[]) =>
  anyOf(
    patterns.map(({ text }) => RE2JS.compile(translatePattern(text))),
    (pattern, text) => pattern.test(text),
  );

const handWritten: readonly Contender[] = [
  {
    name: 'one RegExp',
    note: 'terms in one alternation, then RegExp per pattern',
    prepare: (material) => byStrength(material, (terms, patterns) => either(expressionAny(terms), native(patterns))),
  },
  {
    name: 'includes loop',
    note: 'includes per term, then RegExp per pattern',
    prepare: (material) => byStrength(material, (terms, patterns) => either(includesAny(terms), native(patterns))),
  },
  {
    name: 're2js per pattern',
    note: 'terms in one alternation, then re2js per pattern',
    prepare: (material) => byStrength(material, (terms, patterns) => either(expressionAny(terms), linear(patterns))),
  },
  {
    name: 're2-wasm per pattern',
    note: 'terms in one alternation, then re2-wasm per pattern',
    prepare: (material) => byStrength(material, (terms, patterns) => either(expressionAny(terms), wasm(patterns))),
  },
];

/** Who decides without needing a package that Sluice does not have. */
export function decideContenders(): readonly Contender[] {
  return [wholeEngine(ours), wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm }), ...handWritten, charCodeFloor];
}

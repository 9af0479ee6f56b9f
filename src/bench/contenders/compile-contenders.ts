import { RE2Set } from 're2js';
import { createEngine } from '../../engine.js';
import { Advice, createKeywordMatcher } from '../../match/keyword-matcher.js';
import { re2wasm } from '../../match/re2-wasm.js';
import { translatePattern } from '../../match/translate-pattern.js';
import { type Contender, type Material, ours, type Runner } from '../model.js';
import { alternation, nativePattern } from './regexp-source.js';

/** Messages that are asked after every compilation: engines that compile lazily must not look as if they did not compile. */
const probes = 20;

/**
 * One pass is one compilation and the first answers. The count is how many of the first messages have a hit, so a compilation
 * that left something out does not count.
 */
function compileRunner(
  { texts }: Material,
  compile: () => { hit: (text: string) => boolean; close?: () => void },
): Runner {
  const asked = texts.slice(0, probes);
  const once = () => {
    const { hit, close } = compile();
    let count = 0;
    for (const text of asked) if (hit(text)) count += 1;
    close?.();
    return count;
  };
  return {
    pass: (times) => {
      if (times === 0) return { ns: 0, count: once() };
      const startedAt = performance.now();
      let count = 0;
      for (let time = 0; time < times; time++) count = once();
      return { ns: ((performance.now() - startedAt) * 1e6) / times, count };
    },
  };
}

const engine = (name: string, more: object = {}): Contender => ({
  name,
  note: 'rules to engine',
  prepare: (material) =>
    compileRunner(material, () => {
      const made = createEngine(material.ruleSet, { ...material.semantics, ...more });
      return { hit: (text) => made.decide(text) !== 'allow', close: () => made.close() };
    }),
});

/** Who compiles without needing a package that Sluice does not have. */
export function compileContenders(): readonly Contender[] {
  return [
    engine(ours),
    engine(`${ours} on re2-wasm`, { engine: re2wasm }),
    {
      name: `${ours}: parts`,
      note: 'automaton and re2js RE2Set alone, no rules',
      prepare: (material) =>
        compileRunner(material, () => {
          const words = material.terms.map(({ text }) => text);
          const matcher = createKeywordMatcher(words, { folding: 'case', words: 'substring' });
          const set = new RE2Set();
          for (const { text } of material.patterns) set.add(translatePattern(text));
          set.compile();
          let found = false;
          const onTerm = () => {
            found = true;
            return Advice.STOP;
          };
          return {
            hit: (text) => {
              found = false;
              matcher.scan(text, onTerm);
              return found || set.match(text).length > 0;
            },
          };
        }),
    },
    {
      name: 'one RegExp',
      note: 'one alternation and RegExp per pattern',
      prepare: (material) =>
        compileRunner(material, () => {
          const anyTerm = material.terms.length > 0 ? alternation(material.terms) : () => false;
          const patterns = material.patterns.map(nativePattern);
          return { hit: (text) => anyTerm(text) || patterns.some((pattern) => pattern.test(text)) };
        }),
    },
  ];
}

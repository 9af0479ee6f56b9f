import type { BenchMessage, Material, Needle, Weight } from '../src/bench/model.js';
import { createTexts } from './corpora/chat.js';
import { hostilePatterns, hostileTexts } from './corpora/hostile.js';
import { createPatterns } from './corpora/patterns.js';
import { createTerms } from './corpora/terms.js';
import type { Definition } from './definition.js';

export type Mode = 'quick' | 'full';

/** Makes what a definition asks about, always the same; `quick` takes fewer messages, the first ones of `full`. */
export function prepareMaterial({ ruleSet, corpus, ask }: Definition, mode: Mode): Material {
  const patterns = ruleSet.hostile ? hostilePatterns.slice(0, ruleSet.patterns) : createPatterns(ruleSet.patterns);
  const terms = ruleSet.terms === 0 ? [] : createTerms(ruleSet.language, ruleSet.terms);
  const size = mode === 'quick' ? corpus.quick : corpus.messages;
  const spec = { ...corpus, messages: size };
  const texts = corpus.kind === 'hostile' ? hostileTexts(size) : createTexts(spec, { terms, patterns });
  const messages = asParsed(texts);
  const needles = spread(
    terms,
    patterns.map(({ source }) => source),
    ruleSet.rules,
  );
  return {
    messages,
    texts: messages.map(({ data }) => data.text),
    ...needles,
    semantics: { words: ruleSet.words },
    ask,
  };
}

/** Messages whose strings are flat and of their own, as a body that was parsed gives them, not slices of a larger one. */
function asParsed(texts: readonly string[]): BenchMessage[] {
  return JSON.parse(
    JSON.stringify(texts.map((text) => ({ category: 'message', type: 'text', data: { text } }))),
  ) as BenchMessage[];
}

/** Deals terms and patterns out to rules. Every fifth rule drops, the others block, so strengths have to be weighed. */
function spread(terms: readonly string[], patterns: readonly string[], rules: number) {
  const weightOf = (index: number): Weight => ((index % rules) % 5 === 4 ? 2 : 1);
  const needle = (text: string, index: number): Needle => ({ text, weight: weightOf(index) });
  const numbers = Array.from({ length: rules }, (_, rule) => rule);
  const dealt = (items: readonly string[], rule: number) => items.filter((_, index) => index % rules === rule);
  const condition = { entity: 'message', operand: 'text', operator: 'contains' };
  return {
    terms: terms.map(needle),
    patterns: patterns.map(needle),
    ruleSet: {
      lists: numbers.map((rule) => ({ id: `list-${rule}`, category: 'word', searchTerms: dealt(terms, rule) })),
      rules: numbers.map((rule) => ({
        id: `rule-${rule}`,
        action: [weightOf(rule) === 2 ? 'dropMessage' : 'blockMessage'],
        conditions: [
          { ...condition, id: 1, category: 'word', isListReferencePresent: true, value: [`list-${rule}`] },
          ...(dealt(patterns, rule).length > 0
            ? [{ ...condition, id: 2, category: 'pattern', value: dealt(patterns, rule) }]
            : []),
        ],
      })),
    },
  };
}

import type { Workload } from '../src/bench/model.js';
import { createPatterns, hostilePatterns } from './corpora/patterns.js';
import { createTerms } from './corpora/terms.js';
import { createTexts, hostileTexts } from './corpora/texts.js';
import type { Definition } from './definition.js';

export type Mode = 'quick' | 'full';

/** The workload of a definition, always the same one; `quick` takes fewer messages, the first ones of `full`. */
export function createWorkload({ ruleSet, corpus, ask }: Definition, mode: Mode): Workload {
  const sampled = createPatterns(ruleSet.patterns);
  const patterns = ruleSet.hostile ? hostilePatterns.slice(0, ruleSet.patterns) : sampled.map(({ source }) => source);
  const terms = ruleSet.terms === 0 ? [] : createTerms(ruleSet.language, ruleSet.terms);
  const size = mode === 'quick' ? corpus.quick : corpus.messages;
  const texts =
    corpus.kind === 'hostile' ? hostileTexts(size) : createTexts({ ...corpus, messages: size }, terms, sampled);
  const drafts = texts.map((text) => ({ category: 'message', type: 'text', data: { text } }));
  // Through JSON: strings are flat and of their own, as those of a parsed body, not slices of a larger one.
  const messages = JSON.parse(JSON.stringify(drafts)) as typeof drafts;
  return {
    messages,
    texts: messages.map(({ data }) => data.text),
    terms,
    patterns,
    ruleSet: spread(terms, patterns, ruleSet.rules),
    semantics: { words: ruleSet.words },
    ask,
  };
}

/** Term or pattern `index` belongs to rule `index % rules`. Every fifth rule drops and the others block, so that strengths matter. */
export function isDropped(index: number, rules: number): boolean {
  return (index % rules) % 5 === 4;
}

function spread(terms: readonly string[], patterns: readonly string[], count: number): Workload['ruleSet'] {
  const numbers = Array.from({ length: count }, (_, rule) => rule);
  const shareOf = (items: readonly string[], rule: number) => items.filter((_, index) => index % count === rule);
  const condition = { entity: 'message', operand: 'text', operator: 'contains' };
  return {
    lists: numbers.map((rule) => ({ id: `list-${rule}`, category: 'word', searchTerms: shareOf(terms, rule) })),
    rules: numbers.map((rule) => ({
      id: `rule-${rule}`,
      action: [isDropped(rule, count) ? 'dropMessage' : 'blockMessage'],
      conditions: [
        { ...condition, id: 1, category: 'word', isListReferencePresent: true, value: [`list-${rule}`] },
        ...(shareOf(patterns, rule).length > 0
          ? [{ ...condition, id: 2, category: 'pattern', value: shareOf(patterns, rule) }]
          : []),
      ],
    })),
  };
}

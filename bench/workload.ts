import { createPatterns, hostilePatterns } from './corpora/patterns.js';
import { createRuleSet } from './corpora/rule-set.js';
import { createTerms } from './corpora/terms.js';
import { createTexts, hostileTexts } from './corpora/texts.js';
import type { Definition } from './definition.js';
import type { Workload } from './rules/contenders.js';

export type Mode = 'quick' | 'full';

/**
 * The workload of a definition, always the same one; `quick` takes fewer messages, the first ones
 * of `full`.
 */
export function createWorkload({ ruleSet, corpus, ask }: Definition, mode: Mode): Workload {
  const sampled = createPatterns(ruleSet.patterns);
  const patterns = ruleSet.hostile ? hostilePatterns.slice(0, ruleSet.patterns) : sampled.map(({ source }) => source);
  const terms = ruleSet.terms === 0 ? [] : createTerms(ruleSet.language, ruleSet.terms);
  const size = mode === 'quick' ? corpus.quick : corpus.messages;
  const texts =
    corpus.kind === 'hostile' ? hostileTexts(size) : createTexts({ ...corpus, messages: size }, terms, sampled);
  const drafts = texts.map((text) => ({ category: 'message', type: 'text', data: { text } }));
  // Through JSON: strings are flat and of their own, as those of a parsed body, not slices of a
  // larger one.
  const messages = JSON.parse(JSON.stringify(drafts)) as typeof drafts;
  return {
    messages,
    texts: messages.map(({ data }) => data.text),
    terms,
    patterns,
    ruleSet: createRuleSet(terms, patterns, ruleSet.rules),
    semantics: { words: ruleSet.words },
    ask,
  };
}

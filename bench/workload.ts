import type { Needle, Weight, Workload } from '../src/bench/model.js';
import type { MessageDraft } from '../src/contract/message-draft.js';
import { createPatterns, hostilePatterns } from './corpora/patterns.js';
import { createTerms } from './corpora/terms.js';
import { createTexts, hostileTexts } from './corpora/texts.js';
import type { Definition } from './definition.js';

export type Mode = 'quick' | 'full';

/** The workload of a definition, always the same one; `quick` takes fewer messages, the first ones of `full`. */
export function createWorkload({ ruleSet, corpus, ask }: Definition, mode: Mode): Workload {
  const patterns = ruleSet.hostile ? hostilePatterns.slice(0, ruleSet.patterns) : createPatterns(ruleSet.patterns);
  const terms = ruleSet.terms === 0 ? [] : createTerms(ruleSet.language, ruleSet.terms);
  const size = mode === 'quick' ? corpus.quick : corpus.messages;
  const texts =
    corpus.kind === 'hostile' ? hostileTexts(size) : createTexts({ ...corpus, messages: size }, { terms, patterns });
  const drafts = texts.map((text) => ({ category: 'message', type: 'text', data: { text } }));
  // Through JSON: strings are flat and of their own, as those of a parsed body, not slices of a larger one.
  const messages = JSON.parse(JSON.stringify(drafts)) as typeof drafts satisfies MessageDraft[];
  return {
    messages,
    texts: messages.map(({ data }) => data.text),
    ...spread(
      terms,
      patterns.map(({ source }) => source),
      ruleSet.rules,
    ),
    semantics: { words: ruleSet.words },
    ask,
  };
}

/** Spreads terms and patterns over rules. Every fifth rule drops and the others block, so that strengths matter. */
function spread(terms: readonly string[], patterns: readonly string[], rules: number) {
  const weightOf = (index: number): Weight => ((index % rules) % 5 === 4 ? 2 : 1);
  const needle = (text: string, index: number): Needle => ({ text, weight: weightOf(index) });
  const numbers = Array.from({ length: rules }, (_, rule) => rule);
  const shareOf = (items: readonly string[], rule: number) => items.filter((_, index) => index % rules === rule);
  const condition = { entity: 'message', operand: 'text', operator: 'contains' };
  return {
    terms: terms.map(needle),
    patterns: patterns.map(needle),
    ruleSet: {
      lists: numbers.map((rule) => ({ id: `list-${rule}`, category: 'word', searchTerms: shareOf(terms, rule) })),
      rules: numbers.map((rule) => ({
        id: `rule-${rule}`,
        action: [weightOf(rule) === 2 ? 'dropMessage' : 'blockMessage'],
        conditions: [
          { ...condition, id: 1, category: 'word', isListReferencePresent: true, value: [`list-${rule}`] },
          ...(shareOf(patterns, rule).length > 0
            ? [{ ...condition, id: 2, category: 'pattern', value: shareOf(patterns, rule) }]
            : []),
        ],
      })),
    },
  };
}

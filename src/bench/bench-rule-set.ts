import { compileRuleSet } from '../engine/compile/compile-rule-set.js';
import type { ReferenceIndex } from '../engine/compile/references.js';
import type { RuleSetInput } from '../engine/engine.js';
import { re2wasm } from '../engine/match/patterns/re2-wasm.js';
import { resolveSemantics, type Semantics, semanticsOf } from '../engine/semantics.js';
import { runAtOnce } from '../foundation/portions.js';
import type { MessageDraft } from '../platform/contract/message-draft.js';
import { charCodeFloor, patternContenders, wholeEngine, wordContenders } from './contenders.js';
import { type Effort, type Measurement, measure } from './measure.js';
import { decideModel, ours, patternsModel, type Workload, wordsModel } from './model.js';
import type { MeasurementResult } from './record.js';
import { isComparable, isPortable } from './searches.js';

/** The result of `sluice bench`. */
export interface RuleSetBench {
  readonly results: readonly MeasurementResult[];
  /** Numbers left out of comparisons with other engines, where their meaning differs or which reject them. */
  readonly leftOut: { readonly texts: number; readonly terms: number; readonly patterns: number };
}

/**
 * Measures the rules and messages of a user. `decide` takes rules and messages as they are, with this engine in its forms;
 * other engines have no rules, so `words` and `patterns` have the terms and the patterns alone. The right count is that
 * of the plainest contender: one search per term, `RegExp` per pattern.
 */
export async function benchRuleSet(
  ruleSet: RuleSetInput,
  messages: readonly MessageDraft[],
  semantics: Partial<Semantics>,
  effort: Effort,
  onProgress: (line: string) => void,
): Promise<RuleSetBench> {
  const { whole, comparable, leftOut } = workloadsOf(ruleSet, messages, semantics);
  const measurements: Measurement[] = [
    { name: 'decide', why: 'verdicts by all rules', model: decideModel, workload: whole, contenders: engines },
    {
      name: 'words',
      why: 'the terms of the rules alone',
      model: wordsModel,
      workload: { ...comparable, ask: 'first' },
      contenders: comparable.terms.length > 0 ? wordContenders('first') : [],
    },
    {
      name: 'patterns',
      why: 'the patterns of the rules alone',
      model: patternsModel,
      workload: comparable,
      contenders: comparable.patterns.length > 0 ? patternContenders('all') : [],
    },
  ];
  const results: MeasurementResult[] = [];
  for (const measurement of measurements) {
    const { name, contenders, workload } = measurement;
    if (contenders.length === 0 || workload.texts.length === 0) continue;
    onProgress(`measuring ${name}: ${contenders.map((contender) => contender.name).join(', ')}`);
    results.push(await measure(measurement, effort));
  }
  return { results, leftOut };
}

const engines = [
  wholeEngine(ours),
  wholeEngine(`${ours}: explain`, {}, 'explain'),
  wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm }),
  charCodeFloor,
];

/**
 * The workload of every message and every rule; and that of the different texts with the terms and patterns of `text`
 * conditions, as compiled under the semantics, as far as their meaning is the same in every engine.
 */
function workloadsOf(ruleSet: RuleSetInput, messages: readonly MessageDraft[], semantics: Partial<Semantics>) {
  const parts = { rules: ruleSet.rules, lists: ruleSet.lists, missing: new Map<string, string>() };
  const compiled = runAtOnce(compileRuleSet(parts, resolveSemantics(semanticsOf(ruleSet, semantics))));
  const terms = referredTo(compiled.words.references.text).map(tidy);
  const patterns = referredTo(compiled.patterns.references.text);
  compiled.patterns.set?.close();
  const texts = messages.map(({ data }) => (typeof data?.text === 'string' ? data.text : ''));
  const tidied = [...new Set(texts.map(tidy))].filter((text) => text !== '');
  const whole: Workload = { messages, texts, terms, patterns, ruleSet, semantics, ask: 'all' };
  const comparable: Workload = {
    ...whole,
    // Through JSON: flat strings of their own, as those of `whole` are.
    texts: JSON.parse(JSON.stringify(tidied.filter(isComparable))) as string[],
    terms: distinct(terms.filter((term) => term !== '' && isComparable(term))),
    patterns: patterns.filter(isPortable),
  };
  const leftOut = {
    texts: tidied.length - comparable.texts.length,
    terms: terms.length - comparable.terms.length,
    patterns: patterns.length - comparable.patterns.length,
  };
  return { whole, comparable, leftOut };
}

/** White space as single spaces: runs of it are equal in our matcher and not in others, which is not what is measured. */
export function tidy(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim();
}

/** The terms or patterns that any condition refers to, as they are written. */
function referredTo({ from, references }: ReferenceIndex): string[] {
  const ends = Array.from(from).slice(1);
  return ends.flatMap((end, key) => references.slice(from[key], end).slice(0, 1)).map(({ written }) => written);
}

/** Terms that differ in lower case. */
function distinct(terms: readonly string[]): string[] {
  return [...new Map(terms.map((term) => [term.toLowerCase(), term])).values()];
}

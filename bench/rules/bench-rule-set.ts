import { compileRuleSet } from '../../src/engine/compile/compile-rule-set.js';
import type { ReferenceIndex } from '../../src/engine/compile/references.js';
import type { RuleSetInput } from '../../src/engine/engine.js';
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { translatePattern } from '../../src/engine/match/patterns/translate.js';
import { resolveSemantics, type Semantics, semanticsOf } from '../../src/engine/semantics.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import {
  automaton,
  type Contender,
  charCodeFloor,
  ours,
  overTexts,
  patternStage,
  type Workload,
  wholeEngine,
} from './contenders.js';
import { type ContenderResult, type Effort, measure } from './measure.js';
import { alternation, anyIncluded, isComparable, nativePattern, tidy } from './searches.js';

/** Figures of one question over one workload. */
export interface MeasurementResult {
  readonly name: string;
  readonly question: string;
  /** One item: a message, or a whole compilation. */
  readonly unit: 'message' | 'compilation';
  readonly messages: number;
  /** UTF-8 bytes, and UTF-16 units, of all texts. */
  readonly bytes: number;
  readonly units: number;
  readonly terms: number;
  readonly patterns: number;
  readonly rules: number;
  readonly contenders: readonly ContenderResult[];
}

/** Figures of the rules and messages of a user. */
export interface RuleSetBench {
  readonly results: readonly MeasurementResult[];
  /**
   * Numbers left out of comparisons with other engines, where their meaning differs or which reject
   * them.
   */
  readonly leftOut: { readonly texts: number; readonly terms: number; readonly patterns: number };
}

/** Returns the sizes of a workload. */
export function sizesOf({ texts, terms, patterns, ruleSet }: Workload) {
  return {
    messages: texts.length,
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    units: texts.reduce((sum, text) => sum + text.length, 0),
    terms: terms.length,
    patterns: patterns.length,
    rules: ruleSet.rules.length,
  };
}

const onePerPattern = overTexts(
  'RegExp per pattern',
  'backtracking: fast here, without end on hostile input',
  (all) => {
    const compiled = all.patterns.map(nativePattern);
    return (text) => compiled.reduce((found, pattern) => found + (pattern.test(text) ? 1 : 0), 0);
  },
);

const engines: readonly Contender[] = [
  wholeEngine(ours),
  wholeEngine(`${ours}: explain`, {}, 'explain'),
  wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm }),
  charCodeFloor,
];

/** Searches for any of the terms. */
export const wordSearches: readonly Contender[] = [
  automaton,
  overTexts('includes loop', 'lower case once per message, then one search per term', ({ terms }) => {
    const search = anyIncluded(terms);
    return (text) => (search(text) ? 1 : 0);
  }),
  overTexts('one RegExp', 'all terms in one alternation, caseless', ({ terms }) => {
    const search = alternation(terms);
    return (text) => (search(text) ? 1 : 0);
  }),
  charCodeFloor,
];
const patternSearches: readonly Contender[] = [patternStage(ours, re2js), onePerPattern, charCodeFloor];

/**
 * Measures the rules and messages of a user. `decide` takes rules and messages as they are; other
 * searches have no rules, so `words` and `patterns` have the terms and the patterns alone. The
 * right count is that of the plainest contender: one search per term, `RegExp` per pattern.
 */
export async function benchRuleSet(
  ruleSet: RuleSetInput,
  messages: readonly MessageDraft[],
  semantics: Partial<Semantics>,
  effort: Effort,
  onProgress: (line: string) => void,
): Promise<RuleSetBench> {
  const { whole, comparable, leftOut } = workloadsOf(ruleSet, messages, semantics);
  const { terms, patterns } = comparable;
  const questions: readonly [string, string, Workload, readonly Contender[]][] = [
    ['decide', 'the strongest verdict of all rules on a message', whole, engines],
    [
      'words',
      'whether a term occurs, as part of a word too, in any case',
      { ...comparable, ask: 'first' },
      terms.length > 0 ? wordSearches : [],
    ],
    ['patterns', 'which patterns match a text', comparable, patterns.length > 0 ? patternSearches : []],
  ];
  const results: MeasurementResult[] = [];
  for (const [name, question, workload, contenders] of questions) {
    if (contenders.length === 0 || workload.texts.length === 0) continue;
    onProgress(`measuring ${name}: ${contenders.map((contender) => contender.name).join(', ')}`);
    const measured = await measure(contenders, workload, { effort, items: workload.texts.length });
    for (const { runner } of measured) await runner?.close?.();
    const sizes = sizesOf(workload);
    results.push({ name, question, unit: 'message', ...sizes, contenders: measured.map(({ result }) => result) });
  }
  return { results, leftOut };
}

/**
 * Returns the workload of every message and every rule, and that of the different texts with the
 * terms and patterns of `text` conditions, as compiled under the semantics, as far as their meaning
 * is the same in every engine.
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
  const distinct = new Map(
    terms.filter((term) => term !== '' && isComparable(term)).map((term) => [term.toLowerCase(), term]),
  );
  const comparable: Workload = {
    ...whole,
    // Through JSON: flat strings of their own, as those of `whole` are.
    texts: JSON.parse(JSON.stringify(tidied.filter(isComparable))) as string[],
    terms: [...distinct.values()],
    patterns: patterns.filter(isPortable),
  };
  const leftOut = {
    texts: tidied.length - comparable.texts.length,
    terms: terms.length - comparable.terms.length,
    patterns: patterns.length - comparable.patterns.length,
  };
  return { whole, comparable, leftOut };
}

/** Returns whether both engines and `RegExp` accept a pattern. */
function isPortable(pattern: string): boolean {
  try {
    nativePattern(pattern);
    for (const engine of [re2js, re2wasm])
      engine.compile([{ source: translatePattern(pattern), insensitive: false, whole: false }]).close();
    return true;
  } catch {
    return false;
  }
}

/** Returns the terms or patterns that any condition refers to, as they are written. */
function referredTo({ from, references }: ReferenceIndex): string[] {
  const ends = Array.from(from).slice(1);
  return ends.flatMap((end, key) => references.slice(from[key], end).slice(0, 1)).map(({ written }) => written);
}

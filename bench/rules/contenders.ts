/**
 * Contenders for the rules of a user, which the definitions have too: this engine, its parts, the
 * loops that people write by hand, and a floor.
 */
import { createEngine, type RuleSetInput } from '../../src/engine/engine.js';
import type { Verdict } from '../../src/engine/evaluate/decision.js';
import { Advice, createKeywordMatcher } from '../../src/engine/match/keyword-matcher.js';
import type { PatternEngine } from '../../src/engine/match/patterns/engine.js';
import { translatePattern } from '../../src/engine/match/patterns/translate.js';
import type { Semantics } from '../../src/engine/semantics.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';

/** Name of this engine in every table; ratios are relative to it. */
export const ours = 'sluice';

/**
 * Whether a contender only does the unavoidable work of a question, so that its count is not
 * checked.
 */
export const isFloor = (name: string): boolean => name.startsWith('floor');

/** Input of one measurement, the same for every contender. */
export interface Workload {
  readonly messages: readonly MessageDraft[];
  /** Text of each message, empty when it has none. */
  readonly texts: readonly string[];
  readonly terms: readonly string[];
  /** Patterns in the syntax that RE2 and `RegExp` share, except for a leading `(?i)`. */
  readonly patterns: readonly string[];
  readonly ruleSet: RuleSetInput;
  readonly semantics: Partial<Semantics>;
  /**
   * `first`: whether there is any hit. `all`: every occurrence of every term, every pattern that
   * matches.
   */
  readonly ask: 'first' | 'all';
}

/** Duration in nanoseconds, and count, of one pass over all messages. */
export interface Pass {
  readonly ns: number;
  readonly count: number;
}

/** Prepared contender. */
export interface Runner {
  /**
   * Runs `times` passes and returns the duration and count of one. 0 runs one pass without timing
   * it.
   */
  pass(times: number): Pass | Promise<Pass>;
  /** Returns what one message adds to the count; in this process only. */
  readonly one?: (index: number) => number;
  close?(): void | Promise<void>;
}

/** One way to answer the question of a measurement. */
export interface Contender<Prepared extends Runner = Runner> {
  readonly name: string;
  /** How it is used. */
  readonly note?: string | undefined;
  /**
   * Compiles the contender; returns a string that explains how to install it if this machine lacks
   * it.
   */
  prepare(workload: Workload): Prepared | string | Promise<Prepared | string>;
}

type Loop<Item> = (countOf: (item: Item) => number, items: readonly Item[], from: number, to: number) => number;

let loops = 0;

/**
 * Creates a loop for one contender. A loop that all contenders share has many call targets, none of
 * which the compiler inlines, and that slows the fastest most. The serial number keeps the
 * compilation cache from returning the same function twice.
 */
export function createLoop<Item>(): Loop<Item> {
  loops += 1;
  const body = 'let count = 0; for (let at = from; at < to; at++) count += countOf(items[at]); return count;';
  return new Function('countOf', 'items', 'from', 'to', `${body} // ${loops}`) as Loop<Item>;
}

/**
 * Creates the runner of a contender inside this process. It throws `Error` when two passes count
 * differently.
 */
export function localRunner<Item>(items: readonly Item[], countOf: (item: Item) => number, close?: () => void): Runner {
  const loop = createLoop<Item>();
  let first: number | undefined;
  const onePass = (): number => {
    const count = loop(countOf, items, 0, items.length);
    first ??= count;
    if (count !== first) throw new Error(`counted ${count} after ${first} over the same messages`);
    return count;
  };
  const pass = (times: number): Pass => {
    const startedAt = performance.now();
    const count = onePass();
    for (let time = 1; time < times; time++) onePass();
    return { ns: ((performance.now() - startedAt) * 1e6) / Math.max(1, times), count };
  };
  return { pass, one: (index) => countOf(items[index]!), ...(close && { close }) };
}

/** Creates a contender over texts; `compile` returns what one text adds to the count. */
export function overTexts(
  name: string,
  note: string | undefined,
  compile: (workload: Workload) => (text: string) => number,
): Contender {
  return { name, note, prepare: (workload) => localRunner(workload.texts, compile(workload)) };
}

/**
 * Called on the prototype, so that the floor does not depend on the number of kinds of strings, as
 * our scans do not.
 */
const { charCodeAt } = String.prototype;

/**
 * Reads every unit of every string and nothing more: the lower bound for anything that reads
 * JavaScript strings.
 */
export const charCodeFloor = overTexts('floor: charCodeAt', 'reads every unit, answers nothing', () => (text) => {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum + charCodeAt.call(text, at)) | 0;
  return sum & 1;
});

/** Weights of verdicts in the count of decisions. */
export const verdictWeights: Readonly<Record<Verdict, number>> = { allow: 0, blockMessage: 1, dropMessage: 2 };

/**
 * Creates the contender that is the whole engine: messages as they come, every rule, the strongest
 * verdict.
 */
export function wholeEngine(name: string, options: Partial<Semantics> = {}, verb: 'decide' | 'explain' = 'decide') {
  const prepare = ({ messages, ruleSet, semantics }: Workload) => {
    const engine = createEngine(ruleSet, { ...semantics, ...options });
    const close = () => engine.close();
    if (verb === 'decide') return localRunner(messages, (message) => verdictWeights[engine.decide(message)], close);
    return localRunner(messages, (message) => verdictWeights[engine.explain(message).verdict], close);
  };
  return { name, prepare } satisfies Contender;
}

/** Our automaton alone, without rules. */
export const automaton = overTexts(ours, undefined, ({ terms, ask }) => {
  const matcher = runAtOnce(createKeywordMatcher(terms, { folding: 'case', words: 'substring' }));
  let found = 0;
  const onTerm = () => {
    found += 1;
    return ask === 'first' ? Advice.STOP : undefined;
  };
  return (text) => {
    found = 0;
    matcher.scan(text, onTerm);
    return found;
  };
});

/** Creates the contender of our pattern stage alone, on one of its engines. */
export function patternStage(name: string, engine: PatternEngine): Contender {
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
        return ask === 'all' ? found : Math.min(1, found);
      };
      return localRunner(texts, count, () => set.close());
    },
  };
}

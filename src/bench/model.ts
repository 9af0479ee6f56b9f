import type { RuleSetInput } from '../engine/engine.js';
import type { Semantics } from '../engine/semantics.js';
import type { MessageDraft } from '../platform/contract/message-draft.js';

/** Name of this engine in every table; ratios are relative to it. */
export const ours = 'sluice';

/** A floor does the unavoidable work of a question without its result: its count is not checked. */
export const isFloor = (name: string): boolean => name.startsWith('floor');

/** `first`: whether there is any hit. `all`: every occurrence of every term, every pattern that matches. */
export type Ask = 'first' | 'all';

/** The input of one measurement, the same for every contender. */
export interface Workload {
  /** As `JSON.parse` makes them, distinct, in an array. */
  readonly messages: readonly MessageDraft[];
  /** Text of each message, empty when it has none: the same string objects. */
  readonly texts: readonly string[];
  readonly terms: readonly string[];
  /** In the syntax that RE2 and `RegExp` share, except for a leading `(?i)`. */
  readonly patterns: readonly string[];
  readonly ruleSet: RuleSetInput;
  readonly semantics: Partial<Semantics>;
  readonly ask: Ask;
}

/** One pass over all messages: its duration in nanoseconds and its count. */
export interface Pass {
  readonly ns: number;
  readonly count: number;
}

/** A prepared contender, in this process or in another one that times itself. */
export interface Runner {
  /** Runs `times` passes; duration and count are those of one pass. 0 runs one pass without timing it. */
  pass(times: number): Pass | Promise<Pass>;
  /** Nanoseconds of every message; absent where messages cannot be timed one by one. */
  latencies?(): Float64Array | Promise<Float64Array>;
  /** Runs messages `from` to `to` and nothing else, to measure allocation; in this process only. */
  range?(from: number, to: number): number;
  /** Bytes held by the compiled form, where the contender can report it itself. */
  readonly heldBytes?: number;
  /** Peak memory of a process of the contender's own, over what its messages take. */
  peakBytes?(): Promise<number>;
  close?(): void | Promise<void>;
}

/** One implementation of a model. */
export interface Contender {
  readonly name: string;
  /** How it is used. */
  readonly note?: string | undefined;
  /** Compiles. A string is the reason why the contender is missing here, and how to install it. */
  prepare(workload: Workload): Runner | string | Promise<Runner | string>;
}

/** A question with a number for its result. Figures of different models are not comparable. */
export interface Model {
  readonly name: string;
  readonly question: string;
  /** One item in the tables: a message, or a whole compilation. */
  readonly unit: 'message' | 'compilation';
}

/** A model over a workload, and the reason to measure it. */
export interface Question {
  readonly name: string;
  readonly why: string;
  readonly model: Model;
  readonly workload: Workload;
}

/** The first of the models of `sluice bench`. Count: 1 for each message blocked, 2 for each dropped. */
export const decideModel: Model = {
  name: 'decide',
  question: 'the strongest verdict of all rules on a message',
  unit: 'message',
};

/** Count: texts with a hit for `first`; occurrences of terms, overlapping ones included, for `all`. */
export const wordsModel: Model = {
  name: 'words',
  question: 'which terms occur in a text, as parts of words too, in any case',
  unit: 'message',
};

/** Count: texts with a match for `first`; pairs of text and pattern for `all`. */
export const patternsModel: Model = { name: 'patterns', question: 'which patterns match a text', unit: 'message' };

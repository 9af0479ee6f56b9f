import type { MessageDraft } from '../contract/message-draft.js';
import type { RuleSetInput } from '../engine.js';
import type { Semantics } from '../semantics.js';

/** The questions that can be measured. Each is its own: a fast answer to one says nothing of another. */
export const modelNames = [
  'compile',
  'decide',
  'explain',
  'audit',
  'words',
  'patterns',
  'clean',
  'dirty',
  'hostile',
  'hardened',
] as const;
export type ModelName = (typeof modelNames)[number];

/** Verdict of a rule as a weight: the count of a decision model is the sum of the weights of the verdicts. */
export type Weight = 1 | 2;

/** What is searched for, with the weight of the strongest rule that asks for it: 1 `blockMessage`, 2 `dropMessage`. */
export interface Needle {
  readonly text: string;
  readonly weight: Weight;
}

/** Everything that the contenders of one measurement are given; all of them get the same. */
export interface Material {
  /** As `JSON.parse` makes them, distinct, in an array. */
  readonly messages: readonly MessageDraft[];
  /** Text of each message, empty when it has none: the same string objects. */
  readonly texts: readonly string[];
  readonly terms: readonly Needle[];
  /** RE2 syntax that `RegExp` takes too, but for a leading `(?i)`. */
  readonly patterns: readonly Needle[];
  readonly ruleSet: RuleSetInput;
  readonly semantics: Partial<Semantics>;
  /** `first`: is there any hit. `all`: every occurrence of every term; which of the patterns match. */
  readonly ask: Ask;
}

export type Ask = 'first' | 'all';

/** A draft that has a text. */
export interface BenchMessage extends MessageDraft {
  readonly data: { readonly text: string; readonly [field: string]: unknown };
}

/** One pass over every message: how long it took and what was counted. */
export interface Pass {
  readonly ns: number;
  readonly count: number;
}

/** A contender that is ready to be asked, inside this process or in another one that times itself. */
export interface Runner {
  /** Asks about every message, `times` over; time and count are those of one pass, counts all checked to be equal. */
  pass(times: number): Pass | Promise<Pass>;
  /** Nanoseconds of every message, one by one; absent where single messages cannot be told apart. */
  each?(): Float64Array | Promise<Float64Array>;
  /** Asks about messages `from` to `to` with nothing around it, for allocations; only inside this process. */
  some?(from: number, to: number): number;
  /** Bytes that the compiled form takes, where the contender itself knows better than the heap. */
  readonly heldBytes?: number;
  /** By how many bytes a process of the contender's own went over what its messages take. */
  peakBytes?(): Promise<number>;
  close?(): void | Promise<void>;
}

/** One way to answer the question of a model. */
export interface Contender {
  readonly name: string;
  /** What is special about it: how it is used, or that it answers another question and has a count of its own. */
  readonly note?: string;
  /** Compiles. A string says why this machine has no such contender, and how to get it. */
  prepare(material: Material): Runner | string | Promise<Runner | string>;
}

/** A question, what its count counts, and who answers it. */
export interface Model {
  readonly name: ModelName;
  readonly question: string;
  readonly count: string;
  /** What one item is in the tables: a message, or a whole compilation. */
  readonly unit: 'message' | 'compilation';
  contenders(ask: Ask): readonly Contender[];
}

/** Name of our own engine in every table; ratios are to it. */
export const ours = 'sluice';
/** Name of the floor: what reading every unit of the strings costs anybody. */
export const floor = 'floor: charCodeAt';

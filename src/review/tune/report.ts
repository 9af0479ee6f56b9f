/** The options and the result of `tuneRules`. */
import type { Auditable } from '../../audit/audit-entry.js';
import type { Label } from '../../audit/sample/label.js';
import type { RuleSetInput } from '../../engine/engine.js';
import type { Semantics } from '../../engine/semantics.js';
import { isShare, type OptionChecks } from '../../foundation/unknown-options.js';
import type { TestCase } from '../cases/test-case.js';
import type { Change } from './changes.js';
import type { LabelUse } from './items.js';
import type { ScoresOf, ThresholdCurve } from './thresholds.js';
import type { Precision } from './trial.js';

/** Messages in any number; a function is called for each pass over them, so that they are not held in memory. */
type Messages = Iterable<Auditable> | AsyncIterable<Auditable>;

/** Options of `tuneRules`. */
export interface TuneOptions {
  /** The rules to improve, with their keyword lists. */
  readonly rules: RuleSetInput;
  /** All messages; those without an id are called by their place, `#12`. Held in memory unless a function gives them, once for each of three passes. */
  readonly messages: Messages | (() => Messages);
  /** Judgements of people on messages, as these rules handle them. */
  readonly labels: Iterable<Label>;
  /** Golden cases that a proposal must not break. */
  readonly cases?: readonly TestCase[] | undefined;
  /** Readings other than those that the rules bring. */
  readonly semantics?: Partial<Semantics> | undefined;
  /** Scores of the text and the files of a message, 0..100 by label. */
  readonly scores?: ScoresOf | undefined;
  /** Scores of another scorer, for the thresholds that take the place of those on `scores`. */
  readonly newScores?: ScoresOf | undefined;
  /** The precision that a threshold has to reach, 0 to 1, though it lose what is right; by default the best F1 that loses nothing. */
  readonly precision?: number | undefined;
  /** Whether a proposal may change a single wrong message. Default false: at least two. */
  readonly eager?: boolean | undefined;
  /** The share of 30 labels or more that is kept aside, to hold proposals to them. Default 0.3. */
  readonly holdout?: number | undefined;
  /** Chooses the labels that are kept aside. Default 1. */
  readonly seed?: number | undefined;
  /** Stops the work; the promise rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
}

/** The effect of changed rules, by labels and over all messages. Numbers count messages. */
export interface TunedRules {
  /** The whole rule set with the change. */
  readonly ruleSet: RuleSetInput;
  /** The option `semantics` with the change; absent without the option. */
  readonly semantics?: Partial<Semantics>;
  /** Labelled messages that were stopped wrongly and are let through. */
  readonly freed: number;
  /** Labelled messages that were missed and are stopped. */
  readonly found: number;
  /** Labelled messages that were judged rightly and are no longer; only thresholds with the option `precision` have any. */
  readonly lost: number;
  /** All messages that are let through and were not, and those of them without a label. */
  readonly released: number;
  readonly unlabelled: number;
  /** All messages that are stopped and were not. */
  readonly newlyStopped: number;
  /** Ids of changed messages with a label, at most five. */
  readonly examples: readonly string[];
  /** The share of stopped messages that were stopped rightly: of the labels kept aside, if there are any, else of those that the change was made from. */
  readonly precision: { readonly before: Precision; readonly after: Precision; readonly isAside: boolean };
}

/** A change that was tried. */
export interface Proposal extends TunedRules {
  readonly kind: Change['kind'];
  /** The change, for people: lowercase, one line. */
  readonly detail: string;
  /** Whether it held on labels that were kept aside, or there were too few labels for that. */
  readonly status: 'holds' | 'suggestion';
}

/** The result of labels for rules. */
export interface TuneReport {
  /** The most freed and found first, among equals the fewest unlabelled messages released. */
  readonly proposals: readonly Proposal[];
  /** Proposals that were taken together, by their indices, each for what it adds; null for fewer than two. */
  readonly set: (TunedRules & { readonly members: readonly number[] }) | null;
  readonly thresholds: readonly ThresholdCurve[];
  readonly labels: LabelUse;
  readonly messages: number;
  /** Changes that were tried, and those of them that passed on the labels they were made from and did not hold on those kept aside. */
  readonly tried: number;
  readonly notHeld: number;
}

/** The checks of the options. */
export const checks: OptionChecks<TuneOptions> = {
  rules: undefined,
  messages: undefined,
  labels: undefined,
  cases: undefined,
  semantics: undefined,
  scores: undefined,
  newScores: undefined,
  precision: [(share: unknown) => isShare(share) && share > 0, 'a share above 0, up to 1'],
  eager: undefined,
  holdout: [(share: unknown) => isShare(share) && share < 1, 'a share from 0 to below 1'],
  seed: [Number.isSafeInteger, 'a whole number'],
  signal: undefined,
};

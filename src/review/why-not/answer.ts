/** Why rules did not match a message, as plain JSON. */
import type { ExceptedMatch, Match } from '../../engine/evaluate/decision.js';

/**
 * Why a rule or a condition did not match. `disabled`, `inactive`: the rule does not run. `exempt`: the message is allowed unseen.
 * `filtered`: a filter of the rule does not hold. `not-compiled`: it is broken, see `engine.issues`, or the pattern engine failed.
 * `operand-absent`: the message carries nothing that the condition reads. `no-scores`: a file was not scored, or not by a number from 0 to 100.
 * `below-threshold`: no score is over its threshold. `excepted`: all that was found lies inside exceptions. `no-match`: nothing was found.
 */
export type WhyNotReason =
  | 'disabled'
  | 'inactive'
  | 'not-compiled'
  | 'filtered'
  | 'exempt'
  | 'operand-absent'
  | 'no-scores'
  | 'below-threshold'
  | 'excepted'
  | 'no-match';

/** Why a rule did not match a message, or one of its conditions. */
export interface WhyNot {
  readonly ruleId: string;
  /** The condition as decisions name it; absent where the reason is one of the whole rule. */
  readonly conditionId?: number;
  readonly why: WhyNotReason;
  /** For people: lowercase, one line. */
  readonly detail: string;
  /** The first match that the condition would have by each other reading, all others unchanged. Absent if there is none. */
  readonly near?: readonly NearMatch[];
  /** `filtered`: the filter, and the values of the message. */
  readonly filter?: FilterMiss;
  /** `filtered` and `exempt`: a match of the rule, which would match otherwise. */
  readonly match?: Match;
  /** `excepted`: the excepted matches, at most 100. */
  readonly excepted?: readonly ExceptedMatch[];
  /** `below-threshold`: each threshold with the highest score that it was compared with. */
  readonly scores?: readonly ScoreMiss[];
}

/** A match by another reading. */
export interface NearMatch extends NearReading {
  readonly match: Match;
}

/** Another value of a reading, for all terms or patterns: for those of a list with a value of its own, in place of that. */
export interface NearReading {
  readonly reading: 'words' | 'folding' | 'wildcards' | 'patterns';
  readonly value: string;
}

/** A filter that does not hold for a message. */
export interface FilterMiss {
  /** Position among the filters of the rule, from 0. */
  readonly index: number;
  readonly party: 'sender' | 'receiver';
  readonly property: string;
  /** The comparison and its values as the rule writes them. */
  readonly operator: string;
  readonly value: readonly string[];
  /** `unknown`: the message lacks the property. `undated`: the filter counts back from `sentAt`, which the message does not have in seconds. */
  readonly result: 'fails' | 'unknown' | 'undated';
  /** The values in the message; none if its profile lacks the property, absent if it has no profile. */
  readonly has?: readonly string[];
}

/** A threshold that no score is over. */
export interface ScoreMiss {
  readonly label: string;
  readonly greaterThan: number;
  /** The highest score of the label, of any label for `AnyOf`; absent where there is none. */
  readonly score?: number;
}

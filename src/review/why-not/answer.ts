/** The reasons why rules did not match a message, as plain JSON. */
import type { ExceptedMatch, Match } from '../../engine/evaluate/decision.js';

/**
 * The reason why a rule or a condition did not match.
 *
 * - `disabled`, `inactive`: the rule does not run.
 * - `exempt`: the message is allowed without evaluation.
 * - `filtered`: a filter of the rule does not hold.
 * - `not-compiled`: it is broken (see `engine.issues`), or the pattern engine failed.
 * - `operand-absent`: the message has nothing that the condition reads.
 * - `no-scores`: a file has no scores, or a score that is not a number from 0 to 100.
 * - `below-threshold`: no score exceeds its threshold.
 * - `excepted`: everything that was found lies inside exceptions.
 * - `no-match`: nothing was found.
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

/** The reason why a rule, or one of its conditions, did not match a message. */
export interface WhyNot {
  readonly ruleId: string;
  /** The id of the condition, as in decisions. Absent if the reason applies to the whole rule. */
  readonly conditionId?: number;
  readonly why: WhyNotReason;
  /** A description for people: lowercase, one line. */
  readonly detail: string;
  /**
   * The first match of the condition for each other reading, with all other readings unchanged.
   * Absent if there is none.
   */
  readonly near?: readonly NearMatch[];
  /** For `filtered`: the filter, and the values in the message. */
  readonly filter?: FilterMiss;
  /** For `filtered` and `exempt`: a match of the rule, which would otherwise match. */
  readonly match?: Match;
  /** For `excepted`: the excepted matches, at most 100. */
  readonly excepted?: readonly ExceptedMatch[];
  /** For `below-threshold`: each threshold with the highest score that it was compared with. */
  readonly scores?: readonly ScoreMiss[];
}

/** A match with another reading. */
export interface NearMatch extends NearReading {
  readonly match: Match;
}

/**
 * Another value of a reading. It applies to all terms or patterns, also to those of a list that has
 * a value of its own.
 */
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
  /**
   * `unknown`: the message lacks the property. `undated`: the filter counts back from `sentAt`,
   * which the message lacks or does not have in seconds.
   */
  readonly result: 'fails' | 'unknown' | 'undated';
  /**
   * The values in the message. Empty if the profile lacks the property, absent if there is no
   * profile.
   */
  readonly has?: readonly string[];
}

/** A threshold that no score exceeds. */
export interface ScoreMiss {
  readonly label: string;
  readonly greaterThan: number;
  /** The highest score of the label, or of any label for `AnyOf`. Absent if there is none. */
  readonly score?: number;
}

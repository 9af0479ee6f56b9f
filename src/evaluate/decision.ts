import type { Span } from '../match/span.js';

/** What is to be done with a message. Other actions of a rule are passed through in `Decision.actions` (§2.8). */
export type Verdict = 'allow' | 'blockMessage' | 'dropMessage';

/** One thing that was found, with where it stands in the message and where it comes from in the rule set. */
export type Match = WordMatch | PatternMatch | ScoreMatch;

/** A term of a keyword list, or an inline word, found in a text. */
export interface WordMatch {
  readonly kind: 'word';
  /** JSON path of the text inside the message, such as `data.text` or `data.customData.body[2]`. */
  readonly path: string;
  readonly span: Span;
  /** The text at `span`, as it was sent. */
  readonly text: string;
  readonly term: string;
  readonly listId?: string;
  readonly listRevisionId?: string;
  /** What made text and term equal beyond case, when folding is hardened. */
  readonly transforms?: readonly string[];
}

/** A match of a pattern in a text. */
export interface PatternMatch {
  readonly kind: 'pattern';
  readonly path: string;
  readonly span: Span;
  readonly text: string;
  /** The pattern as its author wrote it. */
  readonly pattern: string;
  readonly listId?: string;
  readonly listRevisionId?: string;
}

/** A score of a picture or a video above a threshold. */
export interface ScoreMatch {
  readonly kind: 'score';
  /** JSON path into the media scores that the caller gave, such as `media[0]`. */
  readonly path: string;
  readonly operand: string;
  readonly label: string;
  readonly score: number;
  readonly threshold: { readonly label: string; readonly greaterThan: number };
}

/** A condition that matched. */
export interface ConditionHit {
  readonly conditionId: number;
  readonly operand: string;
  /** The rule's own explanation for people, when it has one (§2.5). */
  readonly message?: readonly string[];
  readonly matches: readonly Match[];
}

/** A rule that matched. */
export interface RuleHit {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly revisionId?: string;
  readonly actions: readonly string[];
  /** The verdict rests on this rule. */
  readonly determining: boolean;
  /** Reported only; never decides. */
  readonly shadow: boolean;
  readonly conditions: readonly ConditionHit[];
}

/** A condition that could not be answered for this message, though its operand is present and its rule did not match. */
export interface Unheard {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly why: 'not-compiled' | 'no-scores' | 'not-answerable' | 'engine-fault';
  readonly detail: string;
}

/** A verdict and exactly why. Plain JSON. */
export interface Decision {
  readonly verdict: Verdict;
  /** Every action of every matched rule, no duplicates, shadow rules left out. */
  readonly actions: readonly string[];
  /** Matched rules, those the verdict rests on first. */
  readonly matched: readonly RuleHit[];
  readonly unheard: readonly Unheard[];
  readonly exempt: boolean;
  /**
   * Matches are missing: there were more than the cap (1,000), or the work budget of the message was used up. Verdict, actions,
   * rules and conditions are complete all the same, and each condition has one match at least.
   */
  readonly truncated: boolean;
  /** Revision of the engine that decided. */
  readonly revision: string;
}

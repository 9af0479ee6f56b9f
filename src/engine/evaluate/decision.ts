/** The types of a decision: verdict, rules, conditions, matches, and what could not be judged. */
import type { Verdict } from '../compile/verdicts.js';
import type { Span } from '../match/span.js';

export type { Verdict };

/**
 * A match: a term, a pattern or a score, with its place in the message and its source in the rule
 * set. `kind` tells them apart.
 *
 * @example
 * ```ts
 * function describe(match: Match): string {
 *   if (match.kind === 'score') return `${match.label} ${match.score} of 100`;
 *   return `${match.kind === 'word' ? match.term : match.pattern} at ${match.path}, ${match.span.start} to ${match.span.end}`;
 * }
 * ```
 */
export type Match = WordMatch | PatternMatch | ScoreMatch;

interface TextMatch {
  /** JSON path of the text inside the message, such as `data.text` or `data.customData.body[2]`. */
  readonly path: string;
  /** The place in that text: half-open offsets in UTF-16 code units, as `slice` takes them. */
  readonly span: Span;
  /** The text at `span`, as it was sent. */
  readonly text: string;
  /** The keyword list that holds the term or pattern; absent for an inline one. */
  readonly listId?: string;
  readonly listRevisionId?: string;
}

/** A term of a keyword list, or an inline word, found in a text. */
export interface WordMatch extends TextMatch {
  readonly kind: 'word';
  /** The term as its author wrote it. */
  readonly term: string;
  /**
   * The transforms beyond case by which text and term are equal; present when there are some:
   * `formatting`, and under hardened folding others.
   */
  readonly transforms?: readonly string[];
}

/** A match of a pattern in a text. */
export interface PatternMatch extends TextMatch {
  readonly kind: 'pattern';
  /** The pattern as its author wrote it. */
  readonly pattern: string;
}

/** A score of a text or a file above a threshold. */
export interface ScoreMatch {
  readonly kind: 'score';
  /** JSON path into the scores that the caller gave, such as `scores[0]`. */
  readonly path: string;
  /** `text`, `custom`, or the kind of the file. */
  readonly operand: string;
  /** The label as the scores have it. */
  readonly label: string;
  /** From 0 to 100. */
  readonly score: number;
  /** The threshold of the condition, which the score exceeds. */
  readonly threshold: { readonly label: string; readonly greaterThan: number };
}

/** A term or a pattern of the reading `exceptions`; one of `term` and `pattern` is there. */
export interface ExceptionSource {
  /** The term as its author wrote it; absent for a pattern. */
  readonly term?: string;
  readonly pattern?: string;
  /** The keyword list that holds it; absent for one of the semantics themselves. */
  readonly listId?: string;
}

/**
 * A match that does not count, because it lies inside an occurrence of an exception that applies to
 * it.
 */
export interface ExceptedMatch {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly match: WordMatch | PatternMatch;
  /**
   * The exception; of several the one whose occurrence begins first, and of these the first of the
   * reading.
   */
  readonly exception: ExceptionSource;
}

/** A condition that matched, with what it matched. */
export interface ConditionHit {
  /** `id` of the condition, or its position in the rule, from 1. */
  readonly conditionId: number;
  readonly operand: string;
  /** The rule's own explanation for people, when it has one (§2.5). */
  readonly message?: readonly string[];
  readonly matches: readonly Match[];
}

/** A rule that matched, with those of its conditions that did. */
export interface RuleHit {
  readonly ruleId: string;
  /** For people; the id when the rule has no name. */
  readonly ruleName: string;
  readonly revisionId?: string;
  readonly actions: readonly string[];
  /** The verdict rests on this rule. */
  readonly determining: boolean;
  /** A shadow rule: reported, without effect on verdict and actions. */
  readonly shadow: boolean;
  readonly conditions: readonly ConditionHit[];
}

/**
 * A condition that could not be evaluated for this message, though its operand is present, and
 * whose rule did not match.
 */
export interface Unevaluated {
  readonly ruleId: string;
  readonly conditionId: number;
  /**
   * `not-compiled`: it is broken, see `engine.issues`. `no-scores`: the text or a file was not
   * scored, or not by a number from 0 to 100. `not-answerable`: the message lacks what the
   * condition or a filter of its rule is about. `engine-fault`: the search for terms or patterns
   * failed.
   */
  readonly why: 'not-compiled' | 'no-scores' | 'not-answerable' | 'engine-fault';
  /** For people: lowercase, one line. */
  readonly detail: string;
  /**
   * The property of the sender or receiver that a filter of the rule tests and the message lacks;
   * absent for other reasons.
   */
  readonly lacks?: { readonly party: 'sender' | 'receiver'; readonly property: string };
}

/**
 * A verdict with the rules, conditions and matches that it rests on. Plain JSON.
 *
 * @example
 * ```ts
 * function whyStopped({ verdict, matched }: Decision): string {
 *   const [rule] = matched;
 *   if (verdict === 'allow' || rule === undefined) return 'sent';
 *   const texts = rule.conditions.flatMap(({ matches }) => matches.map((match) => ('text' in match ? match.text : match.label)));
 *   return `${verdict} by ${rule.ruleName}, for ${texts.join(', ')}`;
 * }
 * ```
 */
export interface Decision {
  readonly verdict: Verdict;
  /** Every action of every matched rule, no duplicates, shadow rules left out. */
  readonly actions: readonly string[];
  /** Matched rules; those that the verdict rests on come first. */
  readonly matched: readonly RuleHit[];
  /** Conditions that could not be evaluated: neither a match nor a clean bill. */
  readonly unevaluated: readonly Unevaluated[];
  /**
   * Matches that do not count by the reading `exceptions`, of rules whose filters hold, in the
   * order of rules and conditions: at most 100. None is listed when the work budget was used up
   * before all matches were compared with exceptions.
   */
  readonly excepted: readonly ExceptedMatch[];
  /** The message was allowed without evaluation: the reading `exempt`. */
  readonly exempt: boolean;
  /**
   * Matches are missing: there were more than 1,000, or the work budget of the message was used up.
   * Verdict, actions, rules and conditions are complete all the same, and each condition has at
   * least one match.
   */
  readonly truncated: boolean;
  /** Revision of the engine that decided. */
  readonly revision: string;
}

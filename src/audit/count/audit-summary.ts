/** The summary of an audit: counts of verdicts, rules, causes and days. */
import { type StoppedAs, stops, verdicts } from '../../engine/compile/verdicts.js';
import type { ExceptionSource, Unevaluated, Verdict } from '../../engine/evaluate/decision.js';

/** Number of messages by verdict. */
export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** Counts of one rule. */
export interface RuleCount {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly actions: readonly string[];
  readonly shadow: boolean;
  /** Messages that the rule matched. */
  readonly matched: number;
  /** Messages whose verdict rests on the rule. */
  readonly determining: number;
  /** Messages that would have another verdict without the rule. */
  readonly alone: number;
  /** Allowed messages that a shadow rule would stop if it decided. */
  readonly wouldStop: number;
  /** The verdicts of the messages that it matched; those of a shadow rule come from other rules. */
  readonly verdicts: VerdictCounts;
  /**
   * Ids of messages that it matched, at most `mostExamples`, by the rule of all examples: those
   * with the smallest digests.
   */
  readonly examples: readonly string[];
}

/** The largest number of `examples` of a rule. */
export const mostExamples = 5;

/** Messages for which one condition of a matched rule held. */
export interface ConditionCount {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly messages: number;
}

/**
 * Counts of what matched for a rule: the matches, the messages that have at least one of them, and
 * of these the messages whose verdict rests on the rule.
 */
interface Found {
  readonly ruleId: string;
  readonly matches: number;
  readonly messages: number;
  readonly stopped: number;
}

/** Matches of one term, of a keyword list or inline, for one rule. */
export interface TermCount extends Found {
  readonly listId?: string | undefined;
  readonly term: string;
}

/** Matches of one pattern for one rule. */
export interface PatternCount extends Found {
  readonly listId?: string | undefined;
  readonly pattern: string;
}

/** Scores of one label above one threshold of one rule. */
export interface LabelCount extends Found {
  readonly label: string;
  readonly threshold: { readonly label: string; readonly greaterThan: number };
}

/**
 * Matches that one exception took back, whichever the rule, and the messages that have them. Only
 * the matches that decisions list are counted, at most 100 of a decision.
 */
export interface ExceptionCount extends ExceptionSource {
  readonly matches: number;
  readonly messages: number;
}

/** Messages for which a condition could not be evaluated, by reason. */
export interface UnevaluatedCount {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly why: Unevaluated['why'];
  readonly messages: number;
}

/**
 * Messages with a condition that could not be evaluated for one reason; all errors of rules are one
 * reason, whatever their details.
 */
export interface ReasonCount extends Pick<Unevaluated, 'why' | 'lacks'> {
  readonly detail?: string | undefined;
  readonly messages: number;
}

/** Messages of one day, UTC. */
export interface DayCount extends Readonly<Record<StoppedAs, number>> {
  /** The day, such as `2026-03-01`. */
  readonly day: string;
  readonly messages: number;
  /** All stopped messages, whatever stopped them. */
  readonly stopped: number;
}

/** Stopped messages by sender or by conversation. */
export interface OriginCounts {
  readonly rows: readonly { readonly id: string; readonly stopped: number }[];
  /** Stopped messages that name no sender, or no conversation. */
  readonly unknown: number;
}

/** Messages for which a matched rule has an action; verdicts are actions too (§2.8). */
export interface ActionCount {
  readonly action: string;
  readonly messages: number;
}

/**
 * The counts of an audit. Plain JSON that depends on the evaluated messages and nothing else; rows
 * are sorted largest first, then by id. Summaries of disjoint parts add up to the summary of the
 * whole.
 */
export interface AuditSummary {
  readonly messages: number;
  /**
   * Earliest and latest `sentAt` of the messages, in seconds since the epoch; absent if no message
   * has one.
   */
  readonly firstSentAt?: number | undefined;
  readonly lastSentAt?: number | undefined;
  readonly verdicts: VerdictCounts;
  /** Messages that were allowed without evaluation, by the reading `exempt`. */
  readonly exempt: number;
  /** Messages whose decisions are truncated. */
  readonly truncated: number;
  /**
   * Messages with a text that conditions on `text` read, captions included, or that should have
   * one.
   */
  readonly texts: number;
  /**
   * Messages whose `data.text` is not a string; the reading `unreadable` says how conditions on it
   * count.
   */
  readonly unreadable: number;
  readonly actions: readonly ActionCount[];
  readonly rules: readonly RuleCount[];
  readonly conditions: readonly ConditionCount[];
  readonly terms: readonly TermCount[];
  readonly patterns: readonly PatternCount[];
  readonly labels: readonly LabelCount[];
  readonly exceptions: readonly ExceptionCount[];
  readonly unevaluated: {
    /** Messages with at least one unevaluated condition. */
    readonly messages: number;
    /** Unevaluated conditions, summed over all messages. */
    readonly total: number;
    readonly conditions: readonly UnevaluatedCount[];
    readonly reasons: readonly ReasonCount[];
  };
  /** The counts by day, in order; days without messages are left out. */
  readonly days: readonly DayCount[];
  /**
   * Messages without a day: `absent` if `sentAt` is not a number, `outside` if it is not a second
   * from 1970 to 2199. `leftOut` counts messages without a time that were not judged, since a
   * window of time was requested; absent instead of 0.
   */
  readonly undated: { readonly absent: number; readonly outside: number; readonly leftOut?: number | undefined };
  /** Stopped messages by origin; present if the summary counts by it. */
  readonly senders?: OriginCounts | undefined;
  readonly conversations?: OriginCounts | undefined;
}

/** Returns the number of messages that were stopped. */
export function stoppedOf(counts: VerdictCounts): number {
  return verdicts.reduce((sum, verdict) => sum + (stops(verdict) ? counts[verdict] : 0), 0);
}

/** Returns the number of messages that were stopped and whose verdict rests on a rule. */
export function stoppedBy({ determining, verdicts }: RuleCount): number {
  return Math.min(determining, stoppedOf(verdicts));
}

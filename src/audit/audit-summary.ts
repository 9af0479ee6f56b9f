import type { Unevaluated, Verdict } from '../evaluate/decision.js';

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
  /** Messages whose verdict rests on it. */
  readonly determining: number;
  /** The verdicts of the messages that it matched; those of a shadow rule come from other rules. */
  readonly verdicts: VerdictCounts;
}

/** Counts of what matched for a rule: all matches, and the messages that have them. */
interface Found {
  readonly ruleId: string;
  readonly matches: number;
  readonly messages: number;
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

/** Messages for which a condition could not be evaluated, by reason. */
export interface UnevaluatedCount {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly why: Unevaluated['why'];
  readonly messages: number;
}

/** Messages for which a matched rule has an action; verdicts are actions too (§2.8). */
export interface ActionCount {
  readonly action: string;
  readonly messages: number;
}

/**
 * The counts of an audit. Plain JSON that depends on the evaluated messages and nothing else; rows are sorted largest first,
 * then by id. Summaries of disjoint parts add up to the summary of the whole.
 */
export interface AuditSummary {
  readonly messages: number;
  /** Earliest and latest `sentAt` of the messages, in seconds since the epoch; absent when none has it. */
  readonly firstSentAt?: number | undefined;
  readonly lastSentAt?: number | undefined;
  readonly verdicts: VerdictCounts;
  /** Messages that were allowed without evaluation: the reading `exempt`. */
  readonly exempt: number;
  /** Messages whose decisions are truncated. */
  readonly truncated: number;
  /** Messages that should have a text: of category `message` and type `text`, where these are given, and not deleted. */
  readonly texts: number;
  /** Those of them whose `data.text` is no string, so that no condition on it was evaluated. */
  readonly unreadable: number;
  readonly actions: readonly ActionCount[];
  readonly rules: readonly RuleCount[];
  readonly terms: readonly TermCount[];
  readonly patterns: readonly PatternCount[];
  readonly labels: readonly LabelCount[];
  readonly unevaluated: {
    /** Messages with at least one unevaluated condition. */
    readonly messages: number;
    /** Unevaluated conditions, summed over all messages. */
    readonly total: number;
    readonly conditions: readonly UnevaluatedCount[];
  };
}

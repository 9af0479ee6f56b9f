import type { Unevaluated, Verdict } from '../evaluate/decision.js';

/** How many messages got which verdict. */
export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** What one rule did. */
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

/** Where something was found: `matches` in all, in so many `messages`. */
interface Found {
  readonly ruleId: string;
  readonly matches: number;
  readonly messages: number;
}

/** What one term of a keyword list, or one inline word, found for one rule. */
export interface TermCount extends Found {
  readonly listId?: string | undefined;
  readonly term: string;
}

/** What one pattern found for one rule. */
export interface PatternCount extends Found {
  readonly listId?: string | undefined;
  readonly pattern: string;
}

/** How often one label was above one threshold of one rule. */
export interface LabelCount extends Found {
  readonly label: string;
  readonly threshold: { readonly label: string; readonly greaterThan: number };
}

/** Messages for which a condition could not be answered, by reason. */
export interface UnevaluatedCount {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly why: Unevaluated['why'];
  readonly messages: number;
}

/** Messages for which a rule asked for an action; verdicts are actions too (§2.8). */
export interface ActionCount {
  readonly action: string;
  readonly messages: number;
}

/**
 * What an audit found, in counts. Plain JSON that depends on the judged messages and nothing else; rows stand largest
 * first, then by id. Summaries of disjoint parts add up to the summary of the whole.
 */
export interface AuditSummary {
  readonly messages: number;
  /** Of the judged messages, in seconds since the epoch; absent when none says. */
  readonly firstSentAt?: number | undefined;
  readonly lastSentAt?: number | undefined;
  readonly verdicts: VerdictCounts;
  /** Messages that were allowed unseen. */
  readonly exempt: number;
  /** Messages with more matches than a decision lists. */
  readonly truncated: number;
  readonly actions: readonly ActionCount[];
  readonly rules: readonly RuleCount[];
  readonly terms: readonly TermCount[];
  readonly patterns: readonly PatternCount[];
  readonly labels: readonly LabelCount[];
  readonly unevaluated: {
    /** Messages with at least one condition that could not be answered. */
    readonly messages: number;
    /** Unanswered conditions over all messages. */
    readonly total: number;
    readonly conditions: readonly UnevaluatedCount[];
  };
}

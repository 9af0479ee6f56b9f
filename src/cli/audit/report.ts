import type { AuditSummary } from '../../audit/count/audit-summary.js';
import type { Counts } from '../../audit/count/counters.js';
import type { PlatformComparison } from '../../audit/count/platform.js';
import { createSummary } from '../../audit/count/summary.js';
import { type Unmatched, unmatchedOf } from '../../audit/count/unmatched.js';
import type { BadRows } from '../../audit/keep/audit-directory.js';
import type { InputFacts } from '../../audit/keep/manifest.js';
import { filesUpToOne } from '../../audit/source/scores.js';
import type { Issue } from '../../compile/issue.js';
import type { Rule } from '../../contract/rule.js';
import type { RuleSet } from '../../contract/rule-set.js';
import type { EngineCounts } from '../../engine.js';
import type { MessageInput } from '../message-source.js';

/** The content of `summary.json`: a function of rules, semantics, messages and scores alone. */
export interface AuditReport extends AuditSummary {
  /** Whether the audit was stopped before its last message; the counts hold for the messages judged. */
  readonly partial: boolean;
  readonly input: InputFacts;
  /** Revision of the engine: rule set and semantics together. */
  readonly revision: string;
  /** The only rule that the counts are of; absent for those of all rules. */
  readonly rule?: string | undefined;
  readonly ruleSet: EngineCounts & {
    readonly revision: string;
    readonly missing: RuleSet['missing'];
    /** The list of rules was as long as its page, so rules may be missing. */
    readonly truncated: boolean;
    readonly issues: readonly Issue[];
  };
  readonly neverMatched: Unmatched;
  /** Rows of a file that hold no message and were left out; absent when there is none. */
  readonly badRows?: BadRows | undefined;
  /** How many files of `--scores` have scores, when these are at least twenty and no score is above 1: they seem to count from 0 to 1. */
  readonly scoresUpToOne?: number | undefined;
  /** Only with `--compare-platform`. */
  readonly platform?: PlatformComparison | undefined;
}

/** What a report says beyond its summary. */
export interface ReportParts extends Pick<AuditReport, 'partial' | 'rule'> {
  readonly counts: Counts;
  readonly bad: BadRows;
}

/** Builds the report of an audit. */
export function buildReport({ counts, partial, rule, bad }: ReportParts, input: MessageInput): AuditReport {
  // INVARIANT: an audit counts a summary.
  const { summary = createSummary().toJSON(), platform } = counts;
  const { engine, ruleSet, scores, facts } = input;
  const { revision, missing, truncated } = ruleSet;
  const scoresUpToOne = filesUpToOne(scores);
  return {
    partial,
    input: facts,
    revision: engine.revision,
    ruleSet: { revision, ...engine.counts, missing, truncated, issues: engine.issues },
    ...(rule !== undefined && { rule }),
    ...summary,
    neverMatched: unmatchedOf(engine, summary, rule),
    ...(bad.count > 0 && { badRows: bad }),
    ...(scoresUpToOne !== undefined && { scoresUpToOne }),
    ...(platform !== undefined && { platform }),
  };
}

/** What the tables of an audit can be ranked by. */
export const rankings = ['day', 'sender', 'conversation', 'rule', 'term'] as const;

/** What the table of an audit is ranked by: stopped messages of each. */
export type Ranking = (typeof rankings)[number];

/** The paths of the files of `--out`, and the number of decisions. */
export interface WrittenFiles {
  readonly decisions: string;
  readonly rows: number;
  readonly summary: string;
  /** Files of tables, of an audit that has them. */
  readonly tables: readonly string[];
  /** Absent without a report. */
  readonly report?: string | undefined;
  /** An earlier run had finished them. */
  readonly isOld: boolean;
}

/** How an audit was run, beyond its report: shown on the screen, never part of `summary.json`. */
export interface AuditFacts extends Pick<MessageInput, 'label' | 'ruleSet' | 'runningRules' | 'scores' | 'semantics'> {
  /** Whether a signal stopped the audit; a partial report without one means that the source failed. */
  readonly interrupted: boolean;
  /** Time of judging, fetching included. */
  readonly tookMs: number;
  /** How many messages were judged in that time; those of the report were judged before, otherwise. */
  readonly judged: number;
  /** The files of `--out`. */
  readonly written: WrittenFiles | undefined;
  /** What the table is ranked by. */
  readonly by: Ranking;
  /** Rows shown of it; the rest becomes a number. */
  readonly top: number;
  /** The only rule that is reported on. */
  readonly rule: Rule | undefined;
  /** Whether to list what is wrong with the rule set, and each condition that could not be evaluated. */
  readonly showIssues: boolean;
}

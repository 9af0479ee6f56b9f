/**
 * The report of an audit, `summary.json`: its counts, what was counted, and what follows from both.
 */
import type { Issue } from '../../engine/compile/issue.js';
import type { Engine, EngineCounts } from '../../engine/engine.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import type { AuditSummary } from '../count/audit-summary.js';
import type { Counts } from '../count/counters.js';
import type { PlatformComparison } from '../count/platform.js';
import { createSummary } from '../count/summary.js';
import { type Unmatched, unmatchedOf } from '../count/unmatched.js';
import type { BadRows, InputFacts } from './manifest.js';

/** The content of `summary.json`: a function of rules, semantics, messages and scores alone. */
export interface AuditReport extends AuditSummary {
  /**
   * Whether the audit was stopped before its last message; the counts hold for the messages judged.
   */
  readonly partial: boolean;
  readonly input: InputFacts;
  /** Revision of the engine: rule set and semantics together. */
  readonly revision: string;
  readonly ruleSet: EngineCounts & {
    readonly revision: string;
    readonly missing: RuleSet['missing'];
    /** The list of rules was as long as its page, so rules may be missing. */
    readonly truncated: boolean;
    readonly issues: readonly Issue[];
  };
  readonly neverMatched: Unmatched;
  /** Rows of a file that hold no message and were left out; absent if all rows hold messages. */
  readonly badRows?: BadRows | undefined;
  /**
   * The number of scored texts and files; present if it is at least twenty and no score is above 1,
   * so that scores seem to be from 0 to 1.
   */
  readonly scoresUpToOne?: number | undefined;
  /** Present only with `--compare-platform`. */
  readonly platform?: PlatformComparison | undefined;
}

/** The parts of a report that follow from a run. */
interface ReportParts extends Pick<AuditReport, 'partial'> {
  readonly counts: Counts;
  readonly bad: BadRows;
}

/** The parts of a report that do not follow from its messages. */
interface ReportInput {
  readonly engine: Pick<Engine, 'revision' | 'counts' | 'issues' | 'references' | 'runningRules' | 'exceptions'>;
  readonly ruleSet: RuleSet;
  readonly scoresUpToOne: AuditReport['scoresUpToOne'];
  readonly facts: InputFacts;
}

export function buildReport({ counts, partial, bad }: ReportParts, input: ReportInput): AuditReport {
  // INVARIANT: every audit counts a summary.
  const { summary = createSummary().toJSON(), platform } = counts;
  const { engine, ruleSet, scoresUpToOne, facts } = input;
  const { revision, missing, truncated } = ruleSet;
  return {
    partial,
    input: facts,
    revision: engine.revision,
    ruleSet: { revision, ...engine.counts, missing, truncated, issues: engine.issues },
    ...summary,
    neverMatched: unmatchedOf(engine, summary),
    ...(bad.count > 0 && { badRows: bad }),
    ...(scoresUpToOne !== undefined && { scoresUpToOne }),
    ...(platform !== undefined && { platform }),
  };
}

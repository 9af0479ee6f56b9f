/**
 * The facts that a screen shows of an audit besides its report: how it was run, what was written,
 * and how its tables are ranked.
 */
import type { MessageInput } from '../message-source.js';
import { counted } from '../terminal/text.js';

/** The choices of `--by`. */
export const rankings = ['day', 'sender', 'conversation', 'rule', 'term'] as const;

/** The paths of the files of `--out`, and the number of decisions. */
export interface WrittenFiles {
  readonly decisions: string;
  readonly rows: number;
  readonly summary: string;
  /** The files of tables, if the audit writes any. */
  readonly tables: readonly string[];
  /** Absent if no report was written. */
  readonly report?: string | undefined;
  /** Whether an earlier run had finished them. */
  readonly isOld: boolean;
}

/** How an audit was run. The screen shows it; `summary.json` never contains it. */
export interface AuditFacts extends Pick<MessageInput, 'label' | 'ruleSet' | 'runningRules' | 'scores' | 'semantics'> {
  /** The key of the table's rows, which are ranked by stopped messages. */
  readonly by: (typeof rankings)[number];
  /** Number of rows that are shown. The number of further rows is shown below them. */
  readonly top: number;
  /** Whether to list all issues of the rule set, and every condition that could not be checked. */
  readonly verbose: boolean;
  /** Whether a signal stopped the audit. If not, a partial report means that the source failed. */
  readonly interrupted: boolean;
  /** The time that judging took, including fetching. */
  readonly tookMs: number;
  /**
   * Number of messages that were judged in this time. Other messages of the report were judged by
   * earlier runs.
   */
  readonly judged: number;
  /** The files of `--out`. */
  readonly written: WrittenFiles | undefined;
}

/** Returns the written files in one line. */
export function writtenLine({ decisions, rows, summary, report, tables, isOld }: WrittenFiles): string {
  const verb = isOld ? 'finished before, and left as they are:' : 'wrote';
  const files = [
    `${decisions} (${counted(rows, 'row')})`,
    ...tables,
    summary,
    ...(report === undefined ? [] : [report]),
  ];
  return `${verb} ${files.slice(0, -1).join(', ')} and ${files.at(-1)}`;
}

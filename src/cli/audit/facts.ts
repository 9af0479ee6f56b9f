/** The facts of an audit beyond its report: how it was run, what was written, and by what its tables are ranked. */
import type { MessageInput } from '../message-source.js';
import { counted } from '../terminal/text.js';

/** The choices of `--by`. */
export const rankings = ['day', 'sender', 'conversation', 'rule', 'term'] as const;

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
  /** Ranking of the table, by the stopped messages of each row. */
  readonly by: (typeof rankings)[number];
  /** Number of rows shown; the number of further rows is shown below. */
  readonly top: number;
  /** Whether to list what is wrong with the rule set, and each condition that could not be checked. */
  readonly verbose: boolean;
  /** Whether a signal stopped the audit; a partial report without one means that the source failed. */
  readonly interrupted: boolean;
  /** Time of judging, fetching included. */
  readonly tookMs: number;
  /** How many messages were judged in that time; those of the report were judged before, otherwise. */
  readonly judged: number;
  /** The files of `--out`. */
  readonly written: WrittenFiles | undefined;
}

/** Returns the files of the results, in one line. */
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

import type { AuditEntry } from '../audit-entry.js';
import type { AuditSummary, LabelCount, PatternCount, TermCount } from './audit-summary.js';
import { causesOf } from './cause.js';
import { createTally, type Mutable } from './tally.js';

/** What matched, by cause: the fields of a summary. */
export type CauseCounts = Pick<AuditSummary, 'terms' | 'patterns' | 'labels'>;

/** Running counts of what matched. Memory grows with the causes, which the rules bound. */
export interface Causes {
  /** Counts each match; only the first match of a cause counts its message. */
  add(entry: Pick<AuditEntry, 'decision'>): void;
  /** Adds the counts of another part of the same audit; no message may be in both. */
  merge(part: CauseCounts): void;
  toJSON(): CauseCounts;
}

/** Starts without causes. */
export function createCauses(): Causes {
  const terms = createTally<TermCount>({ ids: ({ term, listId, ruleId }) => [term, listId, ruleId], plus, size });
  const patterns = createTally<PatternCount>({
    ids: ({ pattern, listId, ruleId }) => [pattern, listId, ruleId],
    plus,
    size,
  });
  const labels = createTally<LabelCount>({
    ids: ({ label, threshold, ruleId }) => [label, threshold.label, threshold.greaterThan, ruleId],
    plus,
    size,
  });
  return {
    add({ decision: { verdict, matched } }) {
      for (const hit of matched) {
        const stopped = Number(hit.determining && verdict !== 'allow');
        for (const { cause, matches } of causesOf(hit)) {
          const { ruleId, listId, term, pattern, label, threshold } = cause;
          const counts = {
            ...(listId !== undefined && { listId }),
            ruleId,
            matches: matches.length,
            messages: 1,
            stopped,
          };
          if (term !== undefined) terms.add({ term, ...counts });
          else if (pattern !== undefined) patterns.add({ pattern, ...counts });
          else if (label !== undefined && threshold !== undefined) labels.add({ label, threshold, ...counts });
        }
      }
    },
    merge(part) {
      for (const row of part.terms) terms.add(row);
      for (const row of part.patterns) patterns.add(row);
      for (const row of part.labels) labels.add(row);
    },
    toJSON: () => ({ terms: terms.rows(), patterns: patterns.rows(), labels: labels.rows() }),
  };
}

type Counts = Pick<TermCount, 'matches' | 'messages' | 'stopped'>;

function plus(sum: Mutable<Counts>, row: Counts): void {
  sum.matches += row.matches;
  sum.messages += row.messages;
  sum.stopped += row.stopped;
}

function size({ messages }: Counts): number {
  return messages;
}

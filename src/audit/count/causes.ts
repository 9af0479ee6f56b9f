import { stops } from '../../engine/compile/verdicts.js';
import type { AuditEntry } from '../audit-entry.js';
import type { AuditSummary, ExceptionCount, LabelCount, PatternCount, TermCount } from './audit-summary.js';
import { causesOf, exceptionKeyOf } from './cause.js';
import { createTally, type Mutable } from './tally.js';

/** The fields of a summary that count matches by cause, and excepted matches by exception. */
type CauseCounts = Pick<AuditSummary, 'terms' | 'patterns' | 'labels' | 'exceptions'>;

/** Starts counts of matches and excepted matches. Memory grows with the causes, which the rules bound. */
export function createCauses() {
  const { terms, patterns, labels, exceptions } = createTallies();
  return {
    /** Counts each match; only the first match of a cause counts its message. */
    add({ decision: { verdict, matched, excepted } }: Pick<AuditEntry, 'decision'>): void {
      const seen = new Set<string>();
      for (const { exception } of excepted) {
        const key = exceptionKeyOf(exception);
        exceptions.add({ ...exception, matches: 1, messages: Number(!seen.has(key)) });
        seen.add(key);
      }
      for (const hit of matched) {
        const stopped = Number(hit.determining && stops(verdict));
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
    /** Adds the counts of another part of the same audit; no message may be in both. */
    merge(part: CauseCounts): void {
      for (const row of part.terms) terms.add(row);
      for (const row of part.patterns) patterns.add(row);
      for (const row of part.labels) labels.add(row);
      for (const row of part.exceptions) exceptions.add(row);
    },
    toJSON: (): CauseCounts => ({
      terms: terms.rows(),
      patterns: patterns.rows(),
      labels: labels.rows(),
      exceptions: exceptions.rows(),
    }),
  };
}

function createTallies() {
  return {
    terms: createTally<TermCount>({ ids: ({ term, listId, ruleId }) => [term, listId, ruleId], plus, size }),
    patterns: createTally<PatternCount>({
      ids: ({ pattern, listId, ruleId }) => [pattern, listId, ruleId],
      plus,
      size,
    }),
    labels: createTally<LabelCount>({
      ids: ({ label, threshold, ruleId }) => [label, threshold.label, threshold.greaterThan, ruleId],
      plus,
      size,
    }),
    exceptions: createTally<ExceptionCount>({
      ids: ({ term, pattern, listId }) => [term, pattern, listId],
      plus: (sum, row) => {
        sum.matches += row.matches;
        sum.messages += row.messages;
      },
      size: ({ messages }) => messages,
    }),
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

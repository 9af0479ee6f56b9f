/** Counts the messages that each cause matched, and the matches that each exception took back. */
import { stops } from '../../engine/compile/verdicts.js';
import type { Match } from '../../engine/evaluate/decision.js';
import type { AuditEntry } from '../audit-entry.js';
import type { AuditSummary, ExceptionCount, LabelCount, PatternCount, TermCount } from './audit-summary.js';
import { createTally, type Mutable } from './tally.js';

/** The fields of a summary that count matches by cause, and excepted matches by exception. */
type CauseCounts = Pick<AuditSummary, 'terms' | 'patterns' | 'labels' | 'exceptions'>;
type Found = Mutable<Pick<TermCount, 'matches' | 'messages' | 'stopped'>>;

const nothing = { matches: 0, messages: 0, stopped: 0 };

/** Creates the tables of causes, and finds the sum of the cause of a match. */
function createTables() {
  const terms = createTally<TermCount>({ ids: ['term', 'listId', 'ruleId'], size: 'messages' });
  const patterns = createTally<PatternCount>({ ids: ['pattern', 'listId', 'ruleId'], size: 'messages' });
  const labels = createTally<LabelCount>({ ids: ['label', 'threshold', 'ruleId'], size: 'messages' });
  const sumOf = (ruleId: string, match: Match): Found => {
    if (match.kind === 'score') {
      const { label, threshold } = match;
      const ids = [label, JSON.stringify(threshold), ruleId];
      return labels.sumOf(ids, () => ({ label, threshold, ruleId, ...nothing }));
    }
    const { listId } = match;
    const list = listId === undefined ? {} : { listId };
    if (match.kind === 'pattern') {
      const { pattern } = match;
      return patterns.sumOf([pattern, listId, ruleId], () => ({ pattern, ...list, ruleId, ...nothing }));
    }
    const { term } = match;
    return terms.sumOf([term, listId, ruleId], () => ({ term, ...list, ruleId, ...nothing }));
  };
  return { terms, patterns, labels, sumOf };
}

/**
 * Starts counts of matches and excepted matches. Memory grows with the causes, which the rules
 * bound.
 */
export function createCauses() {
  const { terms, patterns, labels, sumOf } = createTables();
  const exceptions = createTally<ExceptionCount>({ ids: ['term', 'pattern', 'listId'], size: 'messages' });
  return {
    /** Counts each match; only the first match of a cause counts its message. */
    add({ decision: { verdict, matched, excepted } }: Pick<AuditEntry, 'decision'>): void {
      const seen = new Set<object>();
      for (const { exception } of excepted) {
        const { term, pattern, listId } = exception;
        const sum: Mutable<ExceptionCount> = exceptions.sumOf([term, pattern, listId], () => {
          return { ...exception, matches: 0, messages: 0 };
        });
        sum.matches += 1;
        sum.messages += Number(!seen.has(sum));
        seen.add(sum);
      }
      for (const hit of matched) {
        // Two rules with the same id are counted separately.
        seen.clear();
        const stopped = Number(hit.determining && stops(verdict));
        for (const { matches } of hit.conditions) {
          for (const match of matches) {
            const sum = sumOf(hit.ruleId, match);
            sum.matches += 1;
            if (seen.has(sum)) continue;
            seen.add(sum);
            sum.messages += 1;
            sum.stopped += stopped;
          }
        }
      }
    },
    /** Adds the counts of another part of the same audit; no message may be in both. */
    merge(added: CauseCounts): void {
      terms.merge(added.terms);
      patterns.merge(added.patterns);
      labels.merge(added.labels);
      exceptions.merge(added.exceptions);
    },
    toJSON: (): CauseCounts => ({
      terms: terms.rows(),
      patterns: patterns.rows(),
      labels: labels.rows(),
      exceptions: exceptions.rows(),
    }),
  };
}

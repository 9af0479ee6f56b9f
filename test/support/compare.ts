import type { Decision } from '../../src/index.js';
import type { OracleAnswer, OracleMatch } from './oracle.js';

/** A decision in the oracle's form, so that both can be compared whole. */
export function asAnswer(decision: Decision): OracleAnswer {
  const matched: OracleAnswer['matched'] = {};
  for (const rule of decision.matched) {
    const conditions: Record<number, OracleMatch[]> = {};
    for (const { conditionId, matches } of rule.conditions) {
      conditions[conditionId] = matches
        .map((match) => {
          if (match.kind === 'score') {
            return `${match.path} ${match.label} ${match.score} ${match.threshold.label} ${match.threshold.greaterThan}`;
          }
          const what = match.kind === 'word' ? match.term : match.pattern;
          return `${match.path} ${match.span.start} ${match.span.end} ${what} ${match.listId ?? ''}`;
        })
        .sort();
    }
    matched[rule.ruleId] = conditions;
  }
  return { verdict: decision.verdict, matched };
}

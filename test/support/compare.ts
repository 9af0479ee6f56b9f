import type { Decision, Match } from '../../src/index.js';
import type { OracleAnswer } from './oracle.js';

/** A decision in the oracle's form, so that both can be compared whole. */
export function asAnswer({ verdict, exempt, actions, matched, unevaluated, excepted }: Decision): OracleAnswer {
  return {
    verdict,
    exempt,
    actions: [...actions],
    restsOn: matched.filter(({ determining }) => determining).map(({ ruleId }) => ruleId),
    matched: Object.fromEntries(
      matched.map(({ ruleId, conditions }) => [
        ruleId,
        Object.fromEntries(conditions.map(({ conditionId, matches }) => [conditionId, matches.map(printMatch).sort()])),
      ]),
    ),
    unevaluated: unevaluated.map(({ ruleId, conditionId, why }) => `${ruleId}#${conditionId} ${why}`),
    excepted: excepted
      .map(({ ruleId, conditionId, match, exception }) => {
        const by = `${exception.term ?? exception.pattern} ${exception.listId ?? ''}`;
        return `${ruleId}#${conditionId} ${printMatch(match)} < ${by}`;
      })
      .sort(),
  };
}

function printMatch(match: Match): string {
  if (match.kind === 'score') {
    const { path, label, score, threshold } = match;
    return `${path} ${label} ${score} ${threshold.label} ${threshold.greaterThan}`;
  }
  const what = match.kind === 'word' ? match.term : match.pattern;
  return `${match.path} ${match.span.start} ${match.span.end} ${what} ${match.listId ?? ''}`;
}

/** An answer without regard to the order of rules. */
export function unordered(answer: OracleAnswer): OracleAnswer {
  const { actions, restsOn, unevaluated } = answer;
  return {
    ...answer,
    actions: [...actions].sort(),
    restsOn: [...restsOn].sort(),
    unevaluated: [...unevaluated].sort(),
  };
}

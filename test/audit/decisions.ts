import type {
  Decision,
  ExceptedMatch,
  ExceptionSource,
  Match,
  RuleHit,
  Unevaluated,
  WordMatch,
} from '../../src/engine/evaluate/decision.js';

/** An allowed decision without matches, with the fields that the test adds. */
export function decision(changes: Partial<Decision> = {}): Decision {
  const none = { actions: [], matched: [], unevaluated: [], excepted: [] };
  return { verdict: 'allow', ...none, exempt: false, truncated: false, revision: 'r1', ...changes };
}

export function hit(ruleId: string, matches: readonly Match[], changes: Partial<RuleHit> = {}): RuleHit {
  return {
    ...{ ruleId, ruleName: `Rule ${ruleId}`, actions: ['blockMessage'], determining: true, shadow: false },
    conditions: [{ conditionId: 1, operand: 'text', matches }],
    ...changes,
  };
}

export function word(term: string, listId?: string, start = 0): WordMatch {
  const span = { start, end: start + term.length };
  return { kind: 'word', path: 'data.text', span, text: term, term, ...(listId === undefined ? {} : { listId }) };
}

export function pattern(source: string): Match {
  return { kind: 'pattern', path: 'data.text', span: { start: 0, end: 1 }, text: 'x', pattern: source };
}

export function score(label: string, value: number): Match {
  const threshold = { label: 'AnyOf', greaterThan: 30 };
  return { kind: 'score', path: 'scores[0]', operand: 'image', label, score: value, threshold };
}

export function excepting(exception: ExceptionSource, ruleId = 'a', match = word('x')): ExceptedMatch {
  return { ruleId, conditionId: 1, match, exception };
}

export function unevaluated(ruleId: string, conditionId: number, why: Unevaluated['why'] = 'no-scores'): Unevaluated {
  return { ruleId, conditionId, why, detail: 'because' };
}

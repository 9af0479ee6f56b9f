import { stops } from '../../engine/compile/verdicts.js';
import { createEngine, type Engine, type RuleSetInput } from '../../engine/engine.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { type Semantics, withValue } from '../../engine/semantics.js';
import type { NearReading } from '../why-not/answer.js';
import { nearReadings } from '../why-not/judge-condition.js';
import { whyNot } from '../why-not/why-not.js';
import { type CaseDifference, type CaseResult, differencesOf, type TestCase } from './test-case.js';

/** Explains failed cases in which something should have matched. */
export interface FailureExplainer {
  explain(
    testCase: TestCase,
    differences: readonly CaseDifference[],
    scores: readonly Scores[],
  ): Pick<CaseResult, 'whyNot' | 'passesWith'>;
  /** Frees the engines. */
  close(): void;
}

/** Creates the explainer. The engine of another reading is made when the first case needs it. */
export function createFailureExplainer(
  rules: RuleSetInput,
  semantics: Semantics,
  options: { readonly strict?: boolean | undefined },
): FailureExplainer {
  const readings = [...nearReadings.words, ...nearReadings.patterns];
  const engines = new Map<NearReading, Engine>();
  const engineOf = (near: NearReading): Engine => {
    const engine = engines.get(near) ?? createEngine(rules, { ...withValue(semantics, near), broken: 'skip' });
    engines.set(near, engine);
    return engine;
  };
  return {
    explain(testCase, differences, scores) {
      if (!differences.some(isMissing)) return {};
      const { message } = testCase;
      const named = differences.flatMap((difference) => (difference.field === 'rules' ? [difference.ruleId] : []));
      const answers = named.flatMap((ruleId) => whyNot(rules, message, { semantics, ruleId, scores }));
      const passesWith = readings.filter(
        (near) => differencesOf(testCase, engineOf(near).explain(message, scores), options).length === 0,
      );
      return { ...(answers.length > 0 && { whyNot: answers }), ...(passesWith.length > 0 && { passesWith }) };
    },
    close() {
      for (const engine of engines.values()) engine.close();
    },
  };
}

/**
 * Reports whether something should have matched and did not. Such a case may pass with a reading
 * that matches more.
 */
function isMissing(difference: CaseDifference): boolean {
  const { field } = difference;
  return field === 'rules' || field === 'terms' || (field === 'verdict' && !stops(difference.actual));
}

import type { MessageDraft } from '../contract/message-draft.js';
import type { RuleSetInput } from '../engine.js';
import { re2wasm } from '../match/patterns/re2-wasm.js';
import type { Semantics } from '../semantics.js';
import { wholeEngine } from './contenders/decide-contenders.js';
import { charCodeFloor } from './contenders/floor.js';
import { type Assignment, type Effort, measure } from './measure.js';
import { type Contender, ours } from './model.js';
import { models } from './models/models.js';
import type { MeasurementResult } from './record.js';
import { materialOf, type RuleSetMaterial } from './rule-set-material.js';

/** What `sluice bench` finds out about a user's own rules and messages. */
export interface RuleSetBench {
  readonly results: readonly MeasurementResult[];
  readonly leftOut: RuleSetMaterial['leftOut'];
}

/**
 * Measures a user's own rules over their own messages. `decide` takes rules and messages as they are, our engine in its
 * forms; others cannot read rules, so they are asked about the terms and the patterns alone. What is right is what the plainest
 * contender counts: one search per term, `RegExp` per pattern.
 */
export async function benchRuleSet(
  ruleSet: RuleSetInput,
  messages: readonly MessageDraft[],
  semantics: Partial<Semantics>,
  effort: Effort,
  tell: (words: string) => void,
): Promise<RuleSetBench> {
  const { whole, comparable, leftOut } = materialOf(ruleSet, messages, semantics);
  const has = { words: comparable.terms.length > 0, patterns: comparable.patterns.length > 0 };
  const assignments: Assignment[] = [
    { ...named('decide', 'verdicts by all rules'), material: whole, contenders: engines },
    ...(has.words
      ? [{ ...named('words', 'the terms of the rules alone'), material: { ...comparable, ask: 'first' as const } }]
      : []),
    ...(has.patterns ? [{ ...named('patterns', 'the patterns of the rules alone'), material: comparable }] : []),
  ].map((assignment) => ({ contenders: assignment.model.contenders(assignment.material.ask), ...assignment }));
  const results: MeasurementResult[] = [];
  for (const assignment of assignments) {
    tell(`measuring ${assignment.name}: ${assignment.contenders.map(({ name }) => name).join(', ')}`);
    if (assignment.material.texts.length > 0) results.push(await measure(assignment, effort));
  }
  return { results, leftOut };
}

const engines: readonly Contender[] = [
  wholeEngine(ours),
  wholeEngine(`${ours}: explain`, {}, 'explain'),
  wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm }),
  charCodeFloor,
];

function named(model: 'decide' | 'words' | 'patterns', why: string) {
  return { name: model, why, model: models[model] };
}

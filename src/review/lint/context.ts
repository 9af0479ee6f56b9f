/** The input of all checks: a rule set as it is written and as it is compiled. */
import type { CompiledRuleSet } from '../../engine/compile/compiled-rule-set.js';
import { compileParts, createEngine, type Engine, type RuleSetInput } from '../../engine/engine.js';
import { resolveSemantics, type Semantics, semanticsOf } from '../../engine/semantics.js';
import { runWithPauses } from '../../foundation/portions.js';
import { Sources } from './entries.js';
import type { FindingId, FindingSeverity, Found, LintOptions } from './finding.js';
import { Firing } from './firing.js';

/** The input of all checks. */
export interface LintContext {
  readonly ruleSet: RuleSetInput;
  /** The resolved readings. `broken` is always `skip`. */
  readonly semantics: Semantics;
  readonly engine: Engine;
  /** The engine of the rules without their filters, which need a sender or a time. */
  readonly unfiltered: Engine;
  readonly compiled: CompiledRuleSet;
  readonly sources: Sources;
  readonly firing: Firing;
}

/** A check, which finds everything that has its id. */
export interface Check {
  readonly id: FindingId;
  readonly severity: FindingSeverity;
  find(context: LintContext): Iterable<Found> | AsyncIterable<Found>;
}

/**
 * Compiles a rule set for the checks. Throws the errors of `compileEngine`, except those for broken
 * rules.
 */
export async function createLintContext(ruleSet: RuleSetInput, options: LintOptions): Promise<LintContext> {
  const semantics = resolveSemantics({ ...semanticsOf(ruleSet, options.semantics), broken: 'skip' });
  const { engine, compiled } = await runWithPauses(compileParts(ruleSet, semantics));
  const sources = new Sources({ ruleSet, semantics, compiled });
  const firing = new Firing(compiled, semantics, sources);
  return {
    ruleSet,
    semantics,
    engine,
    unfiltered: withoutFilters(engine, ruleSet, semantics),
    compiled,
    sources,
    firing,
  };
}

export function closeLintContext({ engine, unfiltered }: LintContext): void {
  engine.close();
  if (unfiltered !== engine) unfiltered.close();
}

function withoutFilters(engine: Engine, ruleSet: RuleSetInput, semantics: Semantics): Engine {
  const isFiltered = ruleSet.rules.some((rule) => Array.isArray(rule?.filters) && rule.filters.length > 0);
  if (!isFiltered) return engine;
  const rules = ruleSet.rules.map((rule) => ({ ...rule, filters: [] }));
  return createEngine({ ...ruleSet, rules }, semantics);
}

import type { CompiledRuleSet } from '../../engine/compile/compiled-rule-set.js';
import { compileParts, type Engine, type RuleSetInput } from '../../engine/engine.js';
import { resolveSemantics, type Semantics, semanticsOf } from '../../engine/semantics.js';
import { runWithPauses } from '../../foundation/portions.js';
import { Coverage } from './coverage.js';
import { Sources } from './entries.js';
import type { FindingId, FindingSeverity, Found, LintOptions } from './finding.js';
import type { FiredCounts } from './fired-counts.js';
import { Languages } from './languages.js';

/** The input of all checks. */
export interface LintContext {
  readonly ruleSet: RuleSetInput;
  /** Resolved; `broken` is always `skip`. */
  readonly semantics: Semantics;
  readonly engine: Engine;
  readonly compiled: CompiledRuleSet;
  /** The counts of messages; absent without messages. */
  readonly measured?: FiredCounts | undefined;
  readonly sources: Sources;
  /** The terms and patterns that run, as the sets of the texts that fire them. */
  readonly languages: Languages;
  readonly coverage: Coverage;
}

/** A check: all findings of one id. */
export interface Check {
  readonly id: FindingId;
  readonly severity: FindingSeverity;
  find(context: LintContext): Iterable<Found> | AsyncIterable<Found>;
}

/** Compiles a rule set for its checks. Throws as `compileEngine` does, but not for broken rules. The engine is to be closed. */
export async function createLintContext(ruleSet: RuleSetInput, options: LintOptions): Promise<LintContext> {
  const semantics = resolveSemantics({ ...semanticsOf(ruleSet, options.semantics), broken: 'skip' });
  const { engine, compiled } = await runWithPauses(compileParts(ruleSet, semantics));
  const sources = new Sources({ ruleSet, semantics, compiled });
  const languages = new Languages(compiled, semantics, sources);
  const coverage = new Coverage(compiled, languages);
  return { ruleSet, semantics, engine, compiled, sources, languages, coverage };
}

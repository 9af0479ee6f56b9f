/** What an engine was made of, for code that looks into it without being part of each bundle that holds an engine. */
import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import type { Semantics } from '../semantics.js';

/** The method of an engine that returns its parts: they are too large to be printed with it. Objects that wrap an engine pass it on. */
export const engineParts = Symbol('engineParts');

export interface EngineParts {
  readonly compiled: CompiledRuleSet;
  readonly semantics: Semantics;
}

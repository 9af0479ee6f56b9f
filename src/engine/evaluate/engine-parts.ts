/**
 * The parts of an engine, for code that reads them without being part of each bundle that holds an
 * engine.
 */
import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import type { Semantics } from '../semantics.js';

/**
 * The method of an engine that returns its parts. A method, because they are too large to be
 * printed with it; objects that wrap an engine pass it on.
 */
export const engineParts = Symbol('engineParts');

export interface EngineParts {
  readonly compiled: CompiledRuleSet;
  readonly semantics: Semantics;
}

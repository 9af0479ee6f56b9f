/** What an engine was made of, for code that looks into it without being part of each bundle that holds an engine. */
import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import type { Semantics } from '../semantics.js';

/** The property of an engine that holds its parts. Objects that wrap an engine, such as a moderator, pass it on. */
export const engineParts = Symbol('engineParts');

export interface EngineParts {
  readonly compiled: CompiledRuleSet;
  readonly semantics: Semantics;
}

/** Puts the patterns of all conditions into one set. */
import { PORTION, type Portions } from '../../foundation/portions.js';
import type { PatternSet, PatternSpec } from '../match/patterns/engine.js';
import { translatePattern } from '../match/patterns/translate.js';
import type { Semantics } from '../semantics.js';
import type { PatternIndex } from './compiled-rule-set.js';
import type { IssueLog, IssuePlace } from './issue.js';
import { byTextOperand, portionsByTextOperand, type TextOperand } from './operands.js';
import { indexReferences, type Reference, Repetitions } from './references.js';

/** A pattern that a condition refers to. */
export interface PatternRequest {
  readonly reference: Reference;
  readonly operand: TextOperand;
  readonly whole: boolean;
  readonly place: IssuePlace;
}

/** The index of all patterns, and the results by condition. */
interface JoinedPatterns {
  readonly index: PatternIndex;
  /** Indices of the patterns of each condition that has some. */
  readonly ofCondition: ReadonlyMap<number, ReadonlySet<number>>;
  /** Conditions with a rejected pattern, and why it was rejected. */
  readonly errors: ReadonlyMap<number, string>;
}

/**
 * Compiles the patterns of all rules into one set, in portions; equal patterns are compiled once.
 * Rejected ones become issues.
 */
export function* joinPatterns(
  requests: readonly PatternRequest[],
  semantics: Semantics,
  log: IssueLog,
): Portions<JoinedPatterns> {
  const byPattern = new Map<string, PatternRequest[]>();
  for (const [index, request] of requests.entries()) {
    if (index % PORTION === 0) yield;
    const key = `${request.whole ? '=' : '~'}${request.reference.written}`;
    const same = byPattern.get(key);
    if (same === undefined) byPattern.set(key, [request]);
    else same.push(request);
  }
  const groups = [...byPattern.values()];
  const sources = groups.map(([first]) => ({ written: first!.reference.written, whole: first!.whole }));
  const compiled = yield* compilePatterns(sources, semantics);
  let joined: JoinedPatterns | undefined;
  try {
    joined = yield* indexPatterns(groups, compiled, log);
    return joined;
  } finally {
    if (joined === undefined) compiled.set?.close();
  }
}

interface CompiledSet {
  readonly set?: PatternSet;
  readonly fault?: string;
}

/** Indexes the patterns by their requests: group `n` has those of pattern `n`. */
function* indexPatterns(
  groups: readonly (readonly PatternRequest[])[],
  { set, fault }: CompiledSet,
  log: IssueLog,
): Portions<JoinedPatterns> {
  const rejected = new Map(set?.rejected.map(({ index, reason }) => [index, `pattern was rejected: ${reason}`]));
  const references = byTextOperand((): Reference[] => []);
  const used = byTextOperand((): number[] => []);
  const ofCondition = new Map<number, Set<number>>();
  const errors = new Map<number, string>();
  const repetitions = new Repetitions();
  let request = 0;
  for (const [index, group] of groups.entries()) {
    const reason = rejected.get(index);
    for (const { reference, operand, place } of group) {
      if (request++ % PORTION === 0) yield;
      if (reason !== undefined) {
        log.add('rejected-pattern', place, reason);
        errors.set(reference.condition, errors.get(reference.condition) ?? reason);
        continue;
      }
      if (fault !== undefined) log.add('engine-fault', place, `pattern engine failed: ${fault}`);
      if (repetitions.take(reference, index)) continue;
      references[operand].push(reference);
      used[operand].push(index);
      const patterns = ofCondition.get(reference.condition);
      if (patterns === undefined) ofCondition.set(reference.condition, new Set([index]));
      else patterns.add(index);
    }
  }
  return {
    index: {
      ...(set && { set }),
      ...(fault !== undefined && { fault }),
      count: groups.length,
      references: yield* portionsByTextOperand((operand) =>
        indexReferences(references[operand], used[operand], groups.length),
      ),
      repeated: repetitions.byFirst,
    },
    ofCondition,
    errors,
  };
}

/**
 * Compiles patterns into a set, in portions; without patterns there is none, nor when the engine
 * itself fails.
 */
export function* compilePatterns(
  sources: readonly Pick<PatternRequest & Reference, 'written' | 'whole'>[],
  { engine, patterns }: Semantics,
): Portions<CompiledSet> {
  if (sources.length === 0) return {};
  const specs: PatternSpec[] = [];
  for (const { written, whole } of sources) {
    specs.push({ source: translatePattern(written), insensitive: patterns === 'insensitive', whole });
    yield;
  }
  try {
    return {
      set: engine.compileInPortions === undefined ? engine.compile(specs) : yield* engine.compileInPortions(specs),
    };
  } catch (error) {
    // An engine that fails in any way leaves the words and thresholds of the rule set as they are.
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

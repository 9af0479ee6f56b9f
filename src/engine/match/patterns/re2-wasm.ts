/**
 * Google's RE2 as WebAssembly, as a `PatternEngine`. Its heap is 16 MiB for the whole process,
 * never grows, is not garbage collected, and aborts the module when it is exhausted. So compiled
 * patterns are deleted on `close`, texts are bounded, and every abort becomes a `PatternFault`,
 * never a rejected pattern. The wrapped class is used, not the package's `RE2`, which translates
 * patterns once more in its own way.
 */
import wasm from 're2-wasm/build/wasm/re2.js';
import { type Portions, runAtOnce } from '../../../foundation/portions.js';
import type { TakeMatch } from '../span.js';
import type { WorkBudget } from '../work-budget.js';
import {
  type PatternEngine,
  PatternFault,
  type PatternSet,
  type PatternSpec,
  type RejectedPattern,
  withFlags,
} from './engine.js';
import { explainRejection } from './rejection.js';

/** The embind class, which the package's types declare incompletely. Positions are code points. */
interface Wrapped {
  ok(): boolean;
  error(): string;
  match(text: string, start: number, groups: boolean): { readonly index: number; readonly match: string };
  delete(): void;
}

type WrappedConstructor = new (pattern: string, ignoreCase: boolean, multiline: boolean, dotAll: boolean) => Wrapped;
const Wrapped = wasm.WrappedRE2 as unknown as WrappedConstructor;

/**
 * A text of 6 MiB exhausts the heap; 1 Mi units (at most 3 MiB of UTF-8) leave room for the
 * automata.
 */
const MAX_TEXT_UNITS = 1 << 20;

/**
 * Google's RE2: slower than `re2js`, and the reference for it except for two faults of this
 * version. An alternative of a letter and the same letter with ignored case matches the letter
 * only: `b|(?i:b)` does not match `B`. And a star over an expression that prefers the empty match
 * still repeats: in `aaa`, `(?:|a)*` matches 0 to 3, though `(?:|a)+` matches 0 to 0. RE2 had the
 * second until May 2021 (google/re2#310), and since then 0 to 0 for both, as re2js has; it affects
 * spans only.
 */
export const re2wasm: PatternEngine = {
  name: 're2-wasm',
  compile: (patterns) => runAtOnce(compile(patterns)),
  compileInPortions: compile,
};

function* compile(patterns: readonly PatternSpec[]): Portions<PatternSet> {
  const rejected: RejectedPattern[] = [];
  const compiled = new Map<number, Wrapped>();
  const close = () => {
    for (const pattern of compiled.values()) guard(() => pattern.delete());
    compiled.clear();
  };
  let isComplete = false;
  try {
    for (const [index, spec] of patterns.entries()) {
      const outcome = compileOne(spec);
      if (typeof outcome === 'string') rejected.push({ index, reason: outcome });
      else compiled.set(index, outcome);
      yield;
    }
    isComplete = true;
  } finally {
    if (!isComplete) closeAfterFault(close);
  }
  return {
    rejected,
    mark: (text, onMatch) => {
      const wellFormed = readable(text);
      for (const [index, pattern] of compiled)
        if (guard(() => pattern.match(wellFormed, 0, false)).index >= 0) onMatch(index);
    },
    find: (index, text, budget, take) => {
      const pattern = compiled.get(index);
      if (pattern !== undefined) findSuccessive(pattern, readable(text), budget, take);
    },
    close,
  };
}

/** Closes; the fault that was before is the one to report. */
function closeAfterFault(close: () => void): void {
  try {
    close();
  } catch {
    // the heap is exhausted
  }
}

/**
 * Compiles a pattern, first without its flags, which must not make an invalid one valid. Returns
 * the reason of a rejection.
 */
function compileOne(spec: PatternSpec): Wrapped | string {
  const source = withFlags(spec);
  for (const text of source === spec.source ? [source] : [spec.source, source]) {
    const pattern = guard(() => new Wrapped(text, false, false, false));
    const reason = guard(() => (pattern.ok() ? undefined : pattern.error()));
    if (reason === undefined && text === source) return pattern;
    guard(() => pattern.delete());
    if (reason !== undefined) return explainRejection(spec.source, reason);
  }
  throw new PatternFault('re2-wasm compiled nothing');
}

/**
 * Returns the text with lone surrogates replaced: in the conversion to UTF-8 one would consume the
 * character after it.
 */
function readable(text: string): string {
  if (text.length > MAX_TEXT_UNITS) throw new PatternFault(`text is longer than ${MAX_TEXT_UNITS} characters`);
  return text.toWellFormed();
}

/**
 * Like `matchAll`: after an empty match one character is skipped, and assertions of each search
 * apply to the whole text.
 */
function findSuccessive(pattern: Wrapped, text: string, budget: WorkBudget, take: TakeMatch): void {
  let unit = 0;
  let point = 0;
  const advanceTo = (target: number) => {
    while (point < target) {
      unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
      point++;
    }
  };
  while (unit <= text.length) {
    // The whole text is copied into the heap for each search.
    budget.spent += text.length + 1;
    const found = guard(() => pattern.match(text, point, false));
    if (found.index < 0) return;
    advanceTo(found.index);
    const end = unit + found.match.length;
    if (take(unit, end) || (end === unit && end === text.length)) return;
    advanceTo(point + (end === unit ? 1 : [...found.match].length));
  }
}

/** Calls into the module; an exception is an abort, after which the whole module is unusable. */
function guard<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new PatternFault('re2-wasm ran out of its 16 MiB heap', { cause: error });
  }
}

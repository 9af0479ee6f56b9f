/**
 * Google's RE2 as WebAssembly, behind the pattern seam. This file owns its heap: 16 MiB for the whole process, which
 * never grows, from which garbage collection frees nothing, and whose exhaustion aborts the module. So what is compiled
 * is deleted on `close`, texts are bounded, and every abort becomes a `PatternFault`, never a rejected pattern.
 * The wrapped class is used, not the package's `RE2`: that one translates patterns once more in its own way.
 */
import wasm from 're2-wasm/build/wasm/re2.js';
import {
  type PatternEngine,
  PatternFault,
  type PatternSet,
  type PatternSpec,
  type RejectedPattern,
  withFlags,
} from './pattern-engine.js';
import { explainRejection } from './pattern-rejection.js';
import type { Span } from './span.js';
import type { WorkBudget } from './work-budget.js';

/** The embind class, of which the package declares less than there is. Positions are code points. */
interface Wrapped {
  ok(): boolean;
  error(): string;
  match(text: string, start: number, groups: boolean): { readonly index: number; readonly match: string };
  delete(): void;
}

type WrappedConstructor = new (pattern: string, ignoreCase: boolean, multiline: boolean, dotAll: boolean) => Wrapped;
const Wrapped = wasm.WrappedRE2 as unknown as WrappedConstructor;

/** A text of 6 MiB is seen to exhaust the heap; 1 MiB units (at most 3 MiB of UTF-8) leave room for the automata. */
const MAX_TEXT_UNITS = 1 << 20;

/**
 * Google's RE2: slower than `re2js`, and the judge of it but for two faults of this version. Beside an alternative that holds
 * a letter, it takes the letter alone for what ignores its case: `b|(?i:b)` does not match `B`. And a star over what prefers
 * to be empty goes on all the same: of `aaa`, `(?:|a)*` matches 0 to 3, though `(?:|a)+` matches 0 to 0. RE2 had that until
 * May 2021 (google/re2#310), and since then 0 to 0 for both, as re2js has. What occurs is not affected, only spans are.
 */
export const re2wasm: PatternEngine = { name: 're2-wasm', compile };

function compile(patterns: readonly PatternSpec[]): PatternSet {
  const rejected: RejectedPattern[] = [];
  const compiled = new Map<number, Wrapped>();
  const close = () => {
    for (const pattern of compiled.values()) guard(() => pattern.delete());
    compiled.clear();
  };
  try {
    patterns.forEach((spec, index) => {
      const outcome = compileOne(spec);
      if (typeof outcome === 'string') rejected.push({ index, reason: outcome });
      else compiled.set(index, outcome);
    });
  } catch (error) {
    try {
      close();
    } catch {
      // the first fault is the one to report
    }
    throw error;
  }
  return {
    rejected,
    mark: (text, onMatch) => {
      const asked = readable(text);
      for (const [index, pattern] of compiled)
        if (guard(() => pattern.match(asked, 0, false)).index >= 0) onMatch(index);
    },
    find: (index, text, limit, budget) => {
      const pattern = compiled.get(index);
      return pattern === undefined ? [] : successiveMatches(pattern, readable(text), limit, budget);
    },
    close,
  };
}

/** Compiles a pattern, bare first so that its flags cannot mend it. Answers why not, when it is rejected. */
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

/** A lone surrogate swallows the character after it on its way into the heap; a replacement character takes its place. */
function readable(text: string): string {
  if (text.length > MAX_TEXT_UNITS) throw new PatternFault(`text is longer than ${MAX_TEXT_UNITS} characters`);
  return text.toWellFormed();
}

/** Like `matchAll`: an empty match moves on by one character, and each search sees the whole text for its edges. */
function successiveMatches(pattern: Wrapped, text: string, limit: number, budget: WorkBudget): Span[] {
  const spans: Span[] = [];
  let unit = 0;
  let point = 0;
  const advanceTo = (target: number) => {
    while (point < target) {
      unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
      point++;
    }
  };
  while (spans.length < limit && unit <= text.length && (spans.length === 0 || !budget.isUsedUp)) {
    // The whole text is copied into the heap for each search.
    budget.spent += text.length + 1;
    const found = guard(() => pattern.match(text, point, false));
    if (found.index < 0) break;
    advanceTo(found.index);
    const end = unit + found.match.length;
    spans.push({ start: unit, end });
    if (end === unit && end === text.length) break;
    advanceTo(point + (end === unit ? 1 : [...found.match].length));
  }
  return spans;
}

/** Runs a call into the module; what it throws is an abort, after which the whole module is dead. */
function guard<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new PatternFault('re2-wasm ran out of its 16 MiB heap', { cause: error });
  }
}

import { RE2JS, RE2Set } from 're2js';
import {
  type PatternEngine,
  type PatternSet,
  type PatternSpec,
  type RejectedPattern,
  withFlags,
} from './pattern-engine.js';
import type { Span } from './span.js';

/**
 * RE2 in JavaScript, the default: one pass of `RE2Set` says which patterns occur, single patterns say where. Chosen over
 * `re2-wasm`, which is about nine times slower pattern by pattern, has no set, and a heap of 16 MiB that aborts.
 */
export const re2js: PatternEngine = { name: 're2js', compile };

function compile(patterns: readonly PatternSpec[]): PatternSet {
  const rejected: RejectedPattern[] = [];
  const singles = new Map<number, RE2JS>();
  const set = new RE2Set();
  const indexOfSetId: number[] = [];
  patterns.forEach((spec, index) => {
    try {
      const bare = RE2JS.compile(spec.source);
      const source = withFlags(spec);
      singles.set(index, source === spec.source ? bare : RE2JS.compile(source));
      indexOfSetId[set.add(source)] = index;
    } catch (error) {
      rejected.push({ index, reason: reasonOf(error) });
    }
  });
  set.compile();
  return {
    rejected,
    mark: (text, onMatch) => {
      if (singles.size === 0) return;
      for (const id of set.match(text)) onMatch(indexOfSetId[id]!);
    },
    find: (index, text, limit) => {
      const single = singles.get(index);
      return single === undefined ? [] : successiveMatches(single, text, limit);
    },
    close: () => {},
  };
}

function successiveMatches(pattern: RE2JS, text: string, limit: number): Span[] {
  const spans: Span[] = [];
  const matcher = pattern.matcher(text);
  while (spans.length < limit && matcher.find()) spans.push({ start: matcher.start(), end: matcher.end() });
  return spans;
}

/** re2js says `error parsing regexp: missing closing ): …`; the pattern itself is reported elsewhere. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/^error parsing regexp: /, '')
    .split('\n')[0]!
    .slice(0, 200);
}

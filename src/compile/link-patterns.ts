import { PatternFault, type PatternSet, type PatternSpec } from '../match/patterns/engine.js';
import { translatePattern } from '../match/patterns/translate.js';
import type { Semantics } from '../semantics.js';
import type { PatternIndex, TextOperand, Use } from './compiled-rule-set.js';
import { indexUses } from './index-uses.js';
import type { IssueLog, IssuePlace } from './issue.js';

/** A pattern that a condition asks for. */
export interface PatternRequest {
  readonly use: Use;
  readonly operand: TextOperand;
  readonly whole: boolean;
  readonly place: IssuePlace;
}

/** The set, and what it means for the conditions that asked. */
export interface LinkedPatterns {
  readonly index: PatternIndex;
  /** Patterns of each condition that has some. */
  readonly ofCondition: ReadonlyMap<number, ReadonlySet<number>>;
  /** Conditions with a rejected pattern, and why it was rejected. */
  readonly troubles: ReadonlyMap<number, string>;
}

/** Puts all patterns of all rules behind one set; equal patterns are compiled once. Rejected ones become issues. */
export function linkPatterns(requests: readonly PatternRequest[], semantics: Semantics, log: IssueLog): LinkedPatterns {
  const byPattern = new Map<string, PatternRequest[]>();
  for (const request of requests) {
    const key = `${request.whole ? '=' : '~'}${request.use.written}`;
    const same = byPattern.get(key);
    if (same === undefined) byPattern.set(key, [request]);
    else same.push(request);
  }
  const groups = [...byPattern.values()];
  const specs = groups.map(([first]): PatternSpec => {
    const { use, whole } = first!;
    return { source: translatePattern(use.written), insensitive: semantics.patterns === 'insensitive', whole };
  });
  const { set, fault } = bringUp(specs, semantics);
  const rejected = new Map(set?.rejected.map(({ index, reason }) => [index, `pattern was rejected: ${reason}`]));
  const uses: Record<TextOperand, Use[]> = { text: [], custom: [] };
  const used: Record<TextOperand, number[]> = { text: [], custom: [] };
  const ofCondition = new Map<number, Set<number>>();
  const troubles = new Map<number, string>();
  groups.forEach((group, index) => {
    const reason = rejected.get(index);
    for (const { use, operand, place } of group) {
      if (reason !== undefined) {
        log.add('rejected-pattern', place, reason);
        troubles.set(use.condition, troubles.get(use.condition) ?? reason);
        continue;
      }
      if (fault !== undefined) log.add('engine-fault', place, `pattern engine failed: ${fault}`);
      uses[operand].push(use);
      used[operand].push(index);
      const patterns = ofCondition.get(use.condition);
      if (patterns === undefined) ofCondition.set(use.condition, new Set([index]));
      else patterns.add(index);
    }
  });
  const byOperand = {
    text: indexUses(uses.text, used.text, specs.length),
    custom: indexUses(uses.custom, used.custom, specs.length),
  };
  return {
    index: { ...(set && { set }), ...(fault !== undefined && { fault }), count: specs.length, uses: byOperand },
    ofCondition,
    troubles,
  };
}

function bringUp(specs: readonly PatternSpec[], { engine }: Semantics): { set?: PatternSet; fault?: string } {
  if (specs.length === 0) return {};
  try {
    return { set: engine.compile(specs) };
  } catch (error) {
    if (error instanceof PatternFault) return { fault: error.message };
    throw error;
  }
}

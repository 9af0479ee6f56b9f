import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { asFields, asString } from '../compile/untrusted.js';
import type { Semantics } from '../semantics.js';
import type { Verdict } from './decision.js';
import { createQuickVerdict, INCONCLUSIVE } from './quick-verdict.js';
import { read } from './text-parts.js';

/** Answers for a message without media, or nothing when that takes more than a look at its text. */
export type QuickDecision = (message: unknown) => Verdict | undefined;

/**
 * The short way of `decide`, for what nearly every message is: a text, or an object with one under `data.text`. It reads
 * the same fields in the same way as the long one; a property test holds the two to the same verdicts.
 */
export function createQuickDecision(compiled: CompiledRuleSet, semantics: Semantics): QuickDecision {
  const { exempt, missingScores } = semantics;
  const exempts = typeof exempt === 'function' || exempt.length > 0;
  const asksForScores = missingScores === 'block' && compiled.mediaConditions.length > 0;
  if (exempts || asksForScores) return () => undefined;
  const ask = createQuickVerdict(compiled);
  const verdictOf = (text: string): Verdict | undefined => {
    const rank = ask(text, 'text');
    return rank === INCONCLUSIVE ? undefined : (compiled.verdicts[rank] ?? 'allow');
  };
  return (message) => {
    if (typeof message === 'string') return verdictOf(message);
    const fields = asFields(message);
    if (fields === undefined) return undefined;
    const category = read(fields, 'category');
    if (category === 'custom') return undefined;
    if (category === 'action') return 'allow';
    const text = asString(read(asFields(read(fields, 'data')), 'text'));
    return text === undefined ? 'allow' : verdictOf(text);
  };
}

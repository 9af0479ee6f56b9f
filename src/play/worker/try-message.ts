/** Tries one message: its decision with all that it rests on, and why other rules did not match. */
import { textAt } from '../../audit/count/excerpt.js';
import { isMediaOperand, isTextOperand, type ScoredOperand } from '../../engine/compile/operands.js';
import { isScored, parseThreshold } from '../../engine/compile/threshold.js';
import { asFields, asList } from '../../engine/compile/untrusted.js';
import type { Engine } from '../../engine/engine.js';
import { faultOfMessage } from '../../engine/evaluate/message-text.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { Span } from '../../engine/match/span.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { PlayRules } from '../handler.js';
import type { ScoreLabel, Tried } from './protocol.js';
import { segmentsOf } from './segments.js';

/** The largest number of characters of a tried text that are shown. */
const longest = 4000;

/**
 * Returns the message of a text: the message that it holds as JSON, or else a message with this
 * text.
 */
export function messageOf(written: string): MessageDraft {
  if (written.trimStart().startsWith('{')) {
    try {
      const value: unknown = JSON.parse(written);
      if (faultOfMessage(value) === undefined) return value as MessageDraft;
    } catch {
      // It is a text that begins like JSON.
    }
  }
  return { data: { text: written } };
}

/** Decides about a message and explains the decision. */
export function tryMessage(engine: Engine, written: string, scores: readonly Scores[]): Tried {
  const message = messageOf(written);
  const decision = engine.explain(message, scores);
  const spans = new Map<string, Span[]>();
  for (const { conditions } of decision.matched) {
    for (const match of conditions.flatMap(({ matches }) => matches)) {
      if (match.kind === 'score') continue;
      const known = spans.get(match.path);
      if (known === undefined) spans.set(match.path, [match.span]);
      else known.push(match.span);
    }
  }
  if (spans.size === 0) spans.set('data.text', []);
  const matched = new Set(decision.matched.map(({ ruleId }) => ruleId));
  return {
    verdict: decision.verdict,
    texts: [...spans].flatMap(([path, found]) => {
      const text = textAt(message, path);
      return text === undefined ? [] : [{ path, segments: segmentsOf(text, found, longest) }];
    }),
    matched: decision.matched,
    excepted: decision.excepted,
    unevaluated: decision.unevaluated,
    others: [...engine.runningRules()].filter(({ ruleId }) => !matched.has(ruleId)),
    isMessage: !('text' in (message.data ?? {}) && message.data?.text === written),
    isTruncated: decision.truncated,
  };
}

/**
 * Returns the labels of scores that rules name, each with its thresholds, in the order of the
 * rules.
 */
export function labelsOf({ rules }: Pick<PlayRules, 'rules'>): readonly ScoreLabel[] {
  const found = new Map<string, { operand: ScoredOperand; label: string; thresholds: Set<number> }>();
  for (const condition of rules.flatMap((rule) => asList(asFields(rule)?.conditions))) {
    const { operand, category, value } = asFields(condition) ?? {};
    if (!(isTextOperand(operand) || isMediaOperand(operand)) || !isScored({ operand, category, value })) continue;
    for (const written of asList(value)) {
      const threshold = typeof written === 'string' ? parseThreshold(written) : undefined;
      if (threshold === undefined) continue;
      const key = `${operand} ${threshold.key}`;
      const known = found.get(key) ?? { operand, label: threshold.label, thresholds: new Set<number>() };
      known.thresholds.add(threshold.greaterThan);
      found.set(key, known);
    }
  }
  return [...found.values()].map((entry) => ({ ...entry, thresholds: [...entry.thresholds].sort((a, b) => a - b) }));
}

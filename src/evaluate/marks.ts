/**
 * The cheap half of evaluation: which conditions hold for a message, without spans or provenance. `decide` stops here,
 * and `explain` starts from the same marks, which is why they cannot disagree.
 */
import type { CompiledRuleSet, TextOperand, UseIndex } from '../compile/compiled-rule-set.js';
import { PatternFault } from '../match/pattern-engine.js';
import type { Span } from '../match/span.js';
import type { Semantics } from '../semantics.js';
import { hasScores, holdsMedia, scoresOver } from './media.js';
import type { Observation } from './observation.js';
import { createSpanCover } from './span-cover.js';

/** What was marked. Indices are those of `CompiledRuleSet.conditions`. */
export interface Marks {
  readonly holds: Uint8Array;
  /** The pattern engine failed on this message; its conditions could not be answered. */
  fault: string | undefined;
}

/** Marks every condition that holds for the message. `marks` comes in empty. */
export function mark(compiled: CompiledRuleSet, semantics: Semantics, seen: Observation, marks: Marks): void {
  const { operand, parts } = seen.texts;
  for (const { text } of parts) {
    markWords(compiled, operand, text, marks);
    markPatterns(compiled, operand, text, marks);
  }
  markScores(compiled, semantics, seen, marks);
}

function markKey({ from, uses }: UseIndex, key: number, marks: Marks): void {
  for (let index = from[key]!; index < from[key + 1]!; index++) marks.holds[uses[index]!.condition] = 1;
}

function markWords({ words }: CompiledRuleSet, operand: TextOperand, text: string, marks: Marks): void {
  const allowed = words.hasAllowed ? allowedSpans(words, text) : undefined;
  if (words.count > 0) {
    words.matcher.scan(text, (key, start, end) => {
      if (allowed?.covers(start, end) !== true) markKey(words.uses[operand], key, marks);
    });
  }
  const wholeTexts = words.wholeTexts[operand];
  if (wholeTexts.size === 0 || !wholeTexts.mayEqual(text)) return;
  const span = trimmedSpan(text);
  if (allowed?.covers(span.start, span.end) === true) return;
  for (const { condition } of wholeTexts.usesOf(text.slice(span.start, span.end))) marks.holds[condition] = 1;
}

/** Where the allow-terms stand in a text: word matches inside are none. */
export function allowedSpans({ matcher, allowed }: CompiledRuleSet['words'], text: string) {
  const spans: Span[] = [];
  matcher.scan(text, (key, start, end) => {
    if (allowed[key] === 1) spans.push({ start, end });
  });
  return createSpanCover(spans);
}

/** The text without the white space around it, as `equals` compares it. */
export function trimmedSpan(text: string): Span {
  const start = text.length - text.trimStart().length;
  return { start, end: Math.max(start, text.trimEnd().length) };
}

function markPatterns({ patterns }: CompiledRuleSet, operand: TextOperand, text: string, marks: Marks): void {
  const { set } = patterns;
  if (set === undefined) {
    marks.fault ??= patterns.fault;
    return;
  }
  try {
    set.mark(text, (index) => markKey(patterns.uses[operand], index, marks));
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    marks.fault = error.message;
  }
}

function markScores(
  compiled: CompiledRuleSet,
  semantics: Semantics,
  { message, media }: Observation,
  marks: Marks,
): void {
  for (const condition of compiled.mediaConditions) {
    const { operand, thresholds } = compiled.conditions[condition]!;
    if (hasScores(operand, media)) {
      if (scoresOver(thresholds, operand, media, 1).length > 0) marks.holds[condition] = 1;
    } else if (semantics.missingScores === 'block' && holdsMedia(message, operand, media)) {
      marks.holds[condition] = 1;
    }
  }
}

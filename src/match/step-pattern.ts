import type { PatternDfa } from './pattern-dfa.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/** What `stepPatternTo` and `PatternDfa.next` answer when the automaton has spent its budget. */
export const STALLED = -1;

/**
 * The rare step of the patterns' automaton: a transition that is not there yet, a match, half of an astral character.
 * Such a character is stepped at its first half; the second one changes nothing. Takes and answers a state or `STALLED`.
 */
function stepPattern(dfa: PatternDfa, state: number, text: string, at: number): number {
  if (state < 0) return state;
  const unit = charCodeAt.call(text, at);
  if ((unit & 0xf800) !== 0xd800) return take(dfa, state, dfa.classes[unit]!);
  if (at > 0 && (unit & 0xfc00) === 0xdc00 && (charCodeAt.call(text, at - 1) & 0xfc00) === 0xd800) return state;
  return take(dfa, state, dfa.classOf(codePointAt.call(text, at)!));
}

/** Steps over a stretch of the text. */
export function stepPatternTo(dfa: PatternDfa, from: number, text: string, start: number, end: number): number {
  let state = from;
  for (let at = start; at < end; at++) state = stepPattern(dfa, state, text, at);
  return state;
}

/** Tells the automaton that the text ends. Answers whether what it matched is the answer. */
export function endPattern(dfa: PatternDfa, state: number): boolean {
  return state >= 0 && take(dfa, state, dfa.end) !== STALLED;
}

function take(dfa: PatternDfa, state: number, classNumber: number): number {
  const to = dfa.rows[state + classNumber]!;
  return to >= 0 ? to : dfa.next(state, classNumber);
}

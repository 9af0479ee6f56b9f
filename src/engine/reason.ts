/** Puts the reason of a decision into a sentence for the person who wrote the message. */
import { UsageError } from '../foundation/errors.js';
import { refuseUnknownOptions } from '../foundation/options.js';
import { stops } from './compile/verdicts.js';
import type { ConditionHit, Decision, RuleHit } from './evaluate/decision.js';

/** Options of `reasonFor`. */
export interface ReasonOptions {
  /**
   * Whether to add the text that the condition or rule of the sentence matched. Default false:
   * people who learn the word that stopped a message write another one.
   */
  readonly withTerm?: boolean | undefined;
}

/** The most UTF-16 units that are quoted of a match. */
const longestQuote = 60;

/**
 * Returns one sentence for the person whose message was stopped; undefined for a message that is
 * allowed. It is the `message` of the first condition that has one, of the rules that the verdict
 * rests on, or else names the first of these rules. A shadow rule is never named, a term and a
 * pattern never, and what was found in the message only with `withTerm`. Plain text: escape it
 * where it is shown as HTML. Throws `UsageError` for unknown options, and if the value is not a
 * decision of `explain`.
 *
 * @example With the engine of the example of `createEngine`:
 * ```ts
 * const decision = engine.explain('Hurry, BUY now!');
 * reasonFor(decision); // 'This message breaks the rule “scams”.'
 * reasonFor(decision, { withTerm: true }); // 'This message breaks the rule “scams”: “BUY now”.'
 * ```
 */
export function reasonFor(
  decision: Pick<Decision, 'verdict' | 'matched'>,
  options: ReasonOptions = {},
): string | undefined {
  refuseUnknownOptions('`reasonFor`', options, ['withTerm']);
  if (decision?.matched === undefined) {
    throw new UsageError('`reasonFor` takes a decision of `explain`; `decide` gives the verdict alone');
  }
  if (!stops(decision.verdict)) return undefined;
  const hits = decision.matched.filter(({ determining, shadow }) => determining && !shadow);
  const saying = hits.flatMap(({ conditions }) => conditions).find((condition) => messageOf(condition) !== '');
  const sentence = saying === undefined ? nameOf(hits[0]) : messageOf(saying);
  // The sentence speaks of one condition, so matches of others are left out.
  const speaking = saying === undefined ? (hits[0]?.conditions ?? []) : [saying];
  const found = options.withTerm === true ? foundIn(speaking) : undefined;
  if (found !== undefined) return `${sentence.replace(/[.!?…]+$/, '')}: “${found}”.`;
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function messageOf({ message }: ConditionHit): string {
  return inOneLine(message?.[0] ?? '');
}

function nameOf(hit: RuleHit | undefined): string {
  // A moderator whose rules are too old stops what no rule stops.
  if (hit === undefined) return 'This message cannot be checked';
  const name = inOneLine(hit.ruleName);
  return name === '' ? 'This message breaks a rule' : `This message breaks the rule “${name}”`;
}

/**
 * Returns the first stretch of the message that conditions found; undefined where they found none,
 * as by a score.
 */
function foundIn(conditions: readonly ConditionHit[]): string | undefined {
  for (const { matches } of conditions) {
    for (const match of matches) if (match.kind !== 'score') return cut(inOneLine(match.text), longestQuote);
  }
  return undefined;
}

/** Returns a text with every run of white space and controls as one blank. */
export function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Cuts a text to a number of UTF-16 units and an ellipsis. Surrogate pairs stay whole. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}

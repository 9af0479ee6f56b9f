/** Makes a golden case from a judged message. */
import type { Decision } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { canonicalJson } from '../../foundation/digest.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { TestCase } from './test-case.js';

/** A message with its scores and the decision on it. */
export interface CheckedMessage {
  readonly message: MessageDraft;
  readonly media: readonly Scores[];
  readonly decision: Decision;
  /** The name of the case. If undefined, it is named by its number, verdict and rules. */
  readonly name: string | undefined;
}

/**
 * Returns the case that expects the given decision: its verdict and its determining rules. `number`
 * is the number of the case in its file.
 */
export function caseOf({ message, media, decision, name }: CheckedMessage, number: number): TestCase {
  const { verdict } = decision;
  const rules = decision.matched.filter(({ determining }) => determining).map(({ ruleId }) => ruleId);
  return {
    name: name ?? `${number}: ${[verdict, ...rules].join(', ')}`,
    message: textOf(message) ?? message,
    ...(media.length > 0 && { media }),
    verdict,
    ...(rules.length > 0 && { rules }),
  };
}

/**
 * Reports whether a case of a file, which may be malformed, has the same message and the same
 * scores.
 */
export function isCaseOf(testCase: Partial<TestCase>, { message, media }: CheckedMessage): boolean {
  if (testCase.message === undefined) return false;
  const otherMessage = typeof testCase.message === 'string' ? { data: { text: testCase.message } } : testCase.message;
  return canonicalJson([otherMessage, testCase.media ?? []]) === canonicalJson([message, media]);
}

/** Returns the text of a message that consists of nothing else. */
function textOf({ data, ...rest }: MessageDraft): string | undefined {
  const isText = Object.keys(rest).length === 0 && Object.keys(data ?? {}).join() === 'text';
  return isText && typeof data?.text === 'string' ? data.text : undefined;
}

import { isTextOperand, operandWords } from '../../engine/compile/operands.js';
import type { Decision, Match } from '../../engine/evaluate/decision.js';
import { textOf, UNREADABLE } from '../../engine/evaluate/message-text.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { name, type Words, words } from '../document/document.js';
import type { EngineInput } from '../sources.js';

/** A decision with everything that screens show about it. */
export interface CheckResult extends Pick<EngineInput, 'ruleSet' | 'scores' | 'engine'> {
  readonly decision: Decision;
  readonly message: MessageDraft;
  readonly media: readonly Scores[];
  /** Whether only a text was given, without the other fields of a message. */
  readonly isTextAlone: boolean;
  /** Whether to show the errors of the rules. A screen of several decisions shows them once. */
  readonly showErrors: boolean;
}

/** Returns all matches of a decision. */
export function matchesOf({ matched }: Decision): readonly Match[] {
  return matched.flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches));
}

/** Describes what was scored: the text, or a file by its JSON path and its address. */
export function mediumWords(path: string, { media }: CheckResult): Words {
  const medium = media[Number(/\d+/.exec(path)?.[0])];
  if (isTextOperand(medium?.operand)) return `score of the ${operandWords(medium.operand)}`;
  return medium?.url === undefined ? path : words`${path} ${name(medium.url)}`;
}

/** Describes why a condition without matches counts as matched. */
export function withoutMatches(operand: string, { decision, message }: CheckResult): string {
  if (decision.truncated) return 'its matches are beyond those that are listed';
  if (operand === 'text' && textOf(message) === UNREADABLE) {
    return 'counts as matched, since the text cannot be read: `data.text` is not a string';
  }
  if (isTextOperand(operand)) return 'holds, but the pattern engine failed to say where';
  return 'counts as matched, since scores are missing';
}

/**
 * Groups items by key, in the order of the first item of each group. `Map.groupBy` exists only from
 * Node 21 on.
 */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

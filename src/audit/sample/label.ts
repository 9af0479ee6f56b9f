/** Labels: the judgements of people on single messages. */
import { ShapeError } from '../../foundation/errors.js';
import type { Outcome } from '../count/diff-causes.js';

export const outcomes = ['right', 'wrong', 'unsure'] as const;

/**
 * The answer to whether it was right that a message was stopped, that a rule stopped it, or that
 * nothing did.
 */
export type LabelOutcome = (typeof outcomes)[number];

/** The outcomes in words. */
export const outcomeWords = 'right, wrong or unsure';

/** One label. A label without a rule is about the message, whatever stopped it. */
export interface Label {
  readonly messageId: string;
  readonly ruleId?: string | undefined;
  readonly outcome: LabelOutcome;
  /**
   * How the message was chosen, if not for a random sample: `reviewed` by reviewers of the
   * platform.
   */
  readonly source?: string | undefined;
  /** The revision of the rule that stopped the message, if it is known. */
  readonly ruleRevision?: string | undefined;
}

/**
 * Returns the outcomes of whole messages by id: by labels of the message itself, or else by labels
 * of its rules. A message was stopped rightly if one of these labels is right, and wrongly if all
 * are wrong. The last of several labels about the same counts, unsure labels do not count, and a
 * label without a source replaces those with one. Throws `ShapeError` that names the first label
 * with another outcome.
 */
export function outcomesByMessage(labels: Iterable<Label>): Map<string, Outcome> {
  const last = lastLabels(labels, true);
  const found = new Map<string, Label[]>();
  for (const label of last.values()) {
    const { messageId, ruleId, source } = label;
    if (source !== undefined && last.has(keyOf({ messageId, ruleId }))) continue;
    found.set(messageId, [...(found.get(messageId) ?? []), label]);
  }
  const known = new Map<string, Outcome>();
  for (const [messageId, all] of found) {
    const ofMessage = all.filter(({ ruleId }) => ruleId === undefined);
    const said = (ofMessage.length === 0 ? all : ofMessage).map(({ outcome }) => outcome);
    known.set(messageId, said.includes('right') ? 'right' : 'wrong');
  }
  return known;
}

/**
 * Returns the last label of each message, rule and source; with `isSure`, unsure labels are
 * ignored. Throws `ShapeError` that names the first label with another outcome.
 */
export function lastLabels(labels: Iterable<Label>, isSure = false): ReadonlyMap<string, Label> {
  const last = new Map<string, Label>();
  let index = 0;
  for (const label of labels) {
    if (!outcomes.includes(label.outcome))
      throw new ShapeError(`labels[${index}]`, 'outcome', `must be one of ${outcomes.join(', ')}`);
    if (!isSure || label.outcome !== 'unsure') last.set(keyOf(label), label);
    index += 1;
  }
  return last;
}

const keyOf = ({ messageId, ruleId, source }: Pick<Label, 'messageId' | 'ruleId' | 'source'>) =>
  JSON.stringify([messageId, ruleId, source]);

/** Labels as facts that a change of rules is held to: what was judged wrongly and should change, and what was judged rightly and should stay. */
import type { Auditable } from '../../audit/audit-entry.js';
import { checkedLabels, type Label, saysOf } from '../../audit/sample/label.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { digest } from '../../foundation/digest.js';
import type { Rule } from '../../platform/contract/rule.js';

/** A label of a message with what the rules make of it now. */
export interface Item {
  readonly messageId: string;
  readonly message: Auditable;
  readonly scores: readonly Scores[];
  /** The rule that the label is about; absent for the verdict. */
  readonly ruleId: string | undefined;
  readonly decision: Decision;
  /** Whether the rule matches, or the message is stopped. */
  readonly isHit: boolean;
  /** Whether that is right, by the label. */
  readonly isRight: boolean;
  /** Kept aside: proposals are made without it and then held to it. */
  readonly isAside: boolean;
}

/** Labels that were used, and those that were not, by reason. */
export interface LabelUse {
  readonly used: number;
  /** Used labels that were kept aside. */
  readonly aside: number;
  readonly unsure: number;
  /** Labels of messages that are not there. */
  readonly absent: number;
  /** Labels of rules that are gone, have another revision, or do not match the message any more. */
  readonly changed: number;
  /** Labels that contradict another one about the same message and rule. */
  readonly contradictory: number;
  /** Ids of messages with such labels, the first ten of each kind. */
  readonly examples: Readonly<Partial<Record<'absent' | 'changed' | 'contradictory', readonly string[]>>>;
}

/** A labelled message as it was found among all messages. */
export interface FoundMessage {
  readonly message: Auditable;
  readonly scores: readonly Scores[];
  readonly decision: Decision;
}

/** Labels that may be used, by the id of their message, and those that contradict each other. */
interface SortedLabels {
  readonly byMessage: ReadonlyMap<string, readonly Label[]>;
  readonly contradictory: readonly Label[];
  readonly unsure: number;
}

/**
 * Sorts labels. The last one of a person about a message and a rule counts, as for all commands; labels of others, or without a name, that
 * say the opposite contradict it, and none of them is used.
 */
export function sortLabels(labels: Iterable<Label>): SortedLabels {
  const about = new Map<string, Map<string, Label>>();
  let number = 0;
  for (const label of checkedLabels(labels)) {
    const key = JSON.stringify([label.messageId, label.ruleId]);
    const own = about.get(key) ?? new Map<string, Label>();
    about.set(key, own.set(label.by === undefined ? `#${number++}` : `${label.by} ${label.source}`, label));
  }
  const byMessage = new Map<string, Label[]>();
  const contradictory: Label[] = [];
  let unsure = 0;
  for (const own of [...about.values()].map((one) => [...one.values()])) {
    const sure = own.filter(({ outcome }) => saysOf(outcome) !== undefined);
    if (sure.length === 0) unsure += 1;
    else if (new Set(sure.map(({ outcome }) => outcome)).size > 1) contradictory.push(sure[0]!);
    else {
      const last = sure.at(-1)!;
      byMessage.set(last.messageId, [...(byMessage.get(last.messageId) ?? []), last]);
    }
  }
  return { byMessage, contradictory, unsure };
}

/** Reports whether the decision has the rule among those that matched, or, without a rule, whether the message is stopped. */
export function isHitBy({ verdict, matched }: Decision, ruleId: string | undefined): boolean {
  return ruleId === undefined ? stops(verdict) : matched.some((hit) => hit.ruleId === ruleId);
}

/** The least number of labels of which a share is kept aside. */
const fewestForHoldout = 30;

/**
 * Makes items of labels and the messages that were found. With 30 items or more a share of them is kept aside, drawn at random by the seed from
 * each kind alike: all labels of a message go together.
 */
export function makeItems(
  { byMessage, contradictory, unsure }: SortedLabels,
  found: ReadonlyMap<string, FoundMessage>,
  rules: readonly Rule[],
  { holdout, seed }: { readonly holdout: number; readonly seed: number },
): { readonly items: readonly Item[]; readonly use: LabelUse } {
  const revisions = new Map(rules.map((rule) => [rule?.id, rule?.revisionId]));
  const [absent, changed]: [Label[], Label[]] = [[], []];
  const items = [...byMessage].flatMap(([messageId, labels]) => {
    const own = found.get(messageId);
    if (own === undefined) absent.push(...labels);
    return labels.flatMap((label) => {
      if (own === undefined) return [];
      const { ruleId, ruleRevision, outcome } = label;
      const isHit = isHitBy(own.decision, ruleId);
      const revision = ruleId === undefined ? undefined : revisions.get(ruleId);
      const isOther = ruleRevision !== undefined && revision !== undefined && ruleRevision !== revision;
      if (isOther || (ruleId !== undefined && !isHit)) {
        changed.push(label);
        return [];
      }
      return [{ messageId, ...own, ruleId, isHit, isRight: outcome === 'right', isAside: false }];
    });
  });
  const aside = items.length < fewestForHoldout ? new Set() : drawAside(items, holdout, seed);
  const idsOf = (all: readonly Label[]) => [...new Set(all.map(({ messageId }) => messageId))].slice(0, 10);
  return {
    items: items.map((item) => ({ ...item, isAside: aside.has(item.messageId) })),
    use: {
      used: items.length,
      aside: items.filter(({ messageId }) => aside.has(messageId)).length,
      unsure,
      absent: absent.length,
      changed: changed.length,
      contradictory: contradictory.length,
      examples: { absent: idsOf(absent), changed: idsOf(changed), contradictory: idsOf(contradictory) },
    },
  };
}

/** Draws a share of the messages: of those stopped and those allowed, and of those with a wrong label and the others, each by itself. */
function drawAside(items: readonly Item[], share: number, seed: number): ReadonlySet<string> {
  const strata = new Map<string, Map<string, string>>();
  const wrong = new Set(items.filter(({ isRight }) => !isRight).map(({ messageId }) => messageId));
  for (const { messageId, isHit } of items) {
    const stratum = `${isHit} ${wrong.has(messageId)}`;
    const own = strata.get(stratum) ?? new Map<string, string>();
    strata.set(stratum, own.set(messageId, digest([seed, messageId])));
  }
  return new Set(
    [...strata.values()].flatMap((own) =>
      [...own]
        .sort(([, one], [, other]) => (one < other ? -1 : 1))
        .slice(0, Math.ceil(share * own.size))
        .map(([messageId]) => messageId),
    ),
  );
}

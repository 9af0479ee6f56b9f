import { type Label, Labels, saysOf } from '../../audit/sample/label.js';
import type { Decision } from '../../engine/evaluate/decision.js';

/** A label that decisions contradict. */
export interface OutcomeFailure {
  readonly messageId: string;
  readonly ruleId: string;
  readonly outcome: 'right' | 'wrong';
  /** Ids of the rules that determine the verdict now; empty if the message is allowed. */
  readonly stoppedBy: readonly string[];
  /** Set if the rule could not be evaluated, so a label `wrong` is not met either. */
  readonly unevaluated?: true;
}

/** The result of labels. Those that no later label about the same message and rule replaces are the sum of the four numbers other than `failed`. */
export interface OutcomeReport {
  /** Labels `right` or `wrong` about a rule whose message was judged. If there are none, nothing was tested, and the report is not ok. */
  readonly judged: number;
  /** Number of these labels that decisions contradict. */
  readonly failed: number;
  /** The contradicted labels in the order of the messages, the first `maxListed`. */
  readonly failures: readonly OutcomeFailure[];
  /** Labels `unsure` about a rule. */
  readonly unsure: number;
  readonly withoutRule: number;
  /** Labels `right` or `wrong` about a rule whose message is not in the corpus. */
  readonly notFound: number;
  /** Ids in labels that no rule has, sorted: their `right` cannot hold, and their `wrong` always does. */
  readonly unknownRules: readonly string[];
}

/** The result of the labels of one message. */
interface JudgedLabels {
  readonly messageId: string;
  /** Number of labels `right` or `wrong` about a rule, and those that the decision contradicts. */
  readonly judged: number;
  readonly failures: readonly OutcomeFailure[];
}

/** Results of labels, by message in the order of the corpus. Plain data, bounded by the number of labels. */
export type OutcomeCounts = readonly JudgedLabels[];

/**
 * Prepares counters that compare decisions with labels. The labels of an id are about the first message that has it. The last label of a
 * message and a rule counts. Throws `ShapeError` that names the first label with an invalid outcome.
 */
export function createOutcomeCounter(labels: Iterable<Label>) {
  const byMessage = new Map<string, Label[]>();
  for (const label of new Labels(labels).all()) {
    const known = byMessage.get(label.messageId);
    if (known === undefined) byMessage.set(label.messageId, [label]);
    else known.push(label);
  }
  return () => {
    const found = new Map<string, JudgedLabels>();
    return {
      add(messageId: string, decision: Decision): void {
        const known = byMessage.get(messageId);
        if (known !== undefined && !found.has(messageId)) found.set(messageId, judgeLabels(messageId, known, decision));
      },
      merge(part: OutcomeCounts): void {
        for (const one of part) if (!found.has(one.messageId)) found.set(one.messageId, one);
      },
      toJSON: (): OutcomeCounts => [...found.values()],
    };
  };
}

function judgeLabels(messageId: string, labels: readonly Label[], { matched, unevaluated }: Decision): JudgedLabels {
  const stoppedBy = matched.flatMap((hit) => (hit.determining ? [hit.ruleId] : []));
  const failures: OutcomeFailure[] = [];
  let judged = 0;
  for (const { ruleId, outcome } of labels) {
    const said = saysOf(outcome);
    if (ruleId === undefined || said === undefined) continue;
    judged += 1;
    const isOpen = unevaluated.some((entry) => entry.ruleId === ruleId);
    if (stoppedBy.includes(ruleId) === (said === 'right') && !(said === 'wrong' && isOpen)) continue;
    failures.push({ messageId, ruleId, outcome: said, stoppedBy, ...(isOpen && { unevaluated: true as const }) });
  }
  return { messageId, judged, failures };
}

/** Makes the report on labels from the counts of a corpus; lists at most `maxListed` failures. */
export function outcomeReport(
  labels: Iterable<Label>,
  ruleIds: ReadonlySet<string>,
  maxListed: number,
  counts: OutcomeCounts,
): OutcomeReport {
  const all = new Labels(labels).all();
  const unsure = all.filter(({ ruleId, outcome }) => ruleId !== undefined && saysOf(outcome) === undefined).length;
  const withoutRule = all.filter(({ ruleId }) => ruleId === undefined).length;
  const unknownRules = new Set(all.flatMap(({ ruleId: id }) => (id === undefined || ruleIds.has(id) ? [] : [id])));
  const judged = counts.reduce((sum, one) => sum + one.judged, 0);
  const failures = counts.flatMap((one) => one.failures);
  return {
    judged,
    failed: failures.length,
    failures: failures.slice(0, maxListed),
    unsure,
    withoutRule,
    notFound: all.length - unsure - withoutRule - judged,
    unknownRules: [...unknownRules].sort(),
  };
}

import { type Label, Labels, saysOf } from '../../audit/sample/label.js';
import type { Decision } from '../../engine/evaluate/decision.js';

/** A row that does not hold. */
export interface OutcomeFailure {
  readonly messageId: string;
  readonly ruleId: string;
  readonly outcome: 'right' | 'wrong';
  /** Ids of the rules that the verdict rests on now; none when the message is allowed. */
  readonly stoppedBy: readonly string[];
  /** The rule could not be evaluated, so a row `wrong` is not met either. */
  readonly unevaluated?: true;
}

/** What came of the rows. Those that no later row about the same message and rule replaces are the sum of the four numbers other than `failed`. */
export interface OutcomeReport {
  /** Rows `right` or `wrong` about a rule whose message was judged. When there is none, nothing was tested, and the report is not ok. */
  readonly judged: number;
  /** How many of them do not hold. */
  readonly failed: number;
  /** These in the order of the messages, the first `maxListed`. */
  readonly failures: readonly OutcomeFailure[];
  /** Rows `unsure` about a rule. */
  readonly unsure: number;
  readonly withoutRule: number;
  /** Rows `right` or `wrong` about a rule whose message is not in the corpus. */
  readonly notFound: number;
  /** Ids in rows that no rule has, sorted: what is `right` of them cannot hold, and what is `wrong` always does. */
  readonly unknownRules: readonly string[];
}

/** What came of the labels of one message. */
interface JudgedLabels {
  readonly messageId: string;
  /** Labels `right` or `wrong` of it about a rule, and those of them that do not hold. */
  readonly judged: number;
  readonly failures: readonly OutcomeFailure[];
}

/** What came of labels, by their messages in the order of the corpus. Plain data, which the number of labels bounds. */
export type OutcomeCounts = readonly JudgedLabels[];

/**
 * Prepares counters that compare decisions with labels. The labels of an id are about the first message that has it. The last label of a message
 * and a rule counts. Throws `ShapeError` that names the first label whose outcome is none.
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

/** What came of labels, by the counts of a corpus; at most `maxListed` failures are listed. */
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
    ...{ judged, failed: failures.length, failures: failures.slice(0, maxListed), unsure, withoutRule },
    notFound: all.length - unsure - withoutRule - judged,
    unknownRules: [...unknownRules].sort(),
  };
}

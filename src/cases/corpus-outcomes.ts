import type { Decision } from '../evaluate/decision.js';
import { type Label, Labels } from '../precision/label.js';

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

/** Compares decisions with what was found of their messages. */
export interface OutcomeCounter {
  add(messageId: string, decision: Decision): void;
  report(): OutcomeReport;
}

/**
 * Creates a counter. It holds the labels until their message is judged: the first of an id, should several have it. The last label of a
 * message and a rule counts. Throws `ShapeError` that names the first label whose outcome is none.
 */
export function createOutcomeCounter(
  labels: Iterable<Label>,
  ruleIds: ReadonlySet<string>,
  maxListed: number,
): OutcomeCounter {
  const byMessage = new Map<string, Label[]>();
  const all = new Labels(labels).all();
  for (const label of all) byMessage.set(label.messageId, [...(byMessage.get(label.messageId) ?? []), label]);
  const unsure = all.filter(({ ruleId, outcome }) => ruleId !== undefined && outcome === 'unsure').length;
  const withoutRule = all.filter(({ ruleId }) => ruleId === undefined).length;
  const expecting = all.length - unsure - withoutRule;
  const unknownRules = new Set(all.flatMap(({ ruleId: id }) => (id === undefined || ruleIds.has(id) ? [] : [id])));
  const failures: OutcomeFailure[] = [];
  let judged = 0;
  let failed = 0;
  return {
    add(messageId, { matched, unevaluated }) {
      const known = byMessage.get(messageId);
      if (known === undefined) return;
      byMessage.delete(messageId);
      const stoppedBy = matched.flatMap((hit) => (hit.determining ? [hit.ruleId] : []));
      for (const { ruleId, outcome } of known) {
        if (ruleId === undefined || outcome === 'unsure') continue;
        judged += 1;
        const isOpen = unevaluated.some((entry) => entry.ruleId === ruleId);
        if (stoppedBy.includes(ruleId) === (outcome === 'right') && !(outcome === 'wrong' && isOpen)) continue;
        failed += 1;
        const failure = { messageId, ruleId, outcome, stoppedBy, ...(isOpen && { unevaluated: true as const }) };
        if (failures.length < maxListed) failures.push(failure);
      }
    },
    report() {
      const notFound = expecting - judged;
      return { judged, failed, failures, unsure, withoutRule, notFound, unknownRules: [...unknownRules].sort() };
    },
  };
}

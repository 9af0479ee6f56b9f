/** Judges messages by two rule sets, and counts the differences. */
import type { Auditable } from '../../audit/audit-entry.js';
import { auditCounting } from '../../audit/count/counters.js';
import type { Differences } from '../../audit/count/differences.js';
import { type EnginesPlan, type OpenEngines, openEngines } from '../../audit/engines.js';
import { type Label, outcomesByMessage } from '../../audit/sample/label.js';
import { countEach } from '../../audit/stream.js';
import type { RuleSetInput } from '../../engine/engine.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { semanticsOf } from '../../engine/semantics.js';
import { digestInPortions } from '../../foundation/digest.js';
import { checkOptions, type OptionChecks } from '../../foundation/options.js';
import { runWithPauses } from '../../foundation/portions.js';
import { version } from '../../foundation/version.js';
import { acceptanceRevision } from './acceptance-revision.js';
import { type DiffSides, describeChange, type RuleSetChange } from './describe-change.js';
import { changedReadings } from './reading-changes.js';
import { compareErrors, type SideErrors } from './rule-errors.js';

/** Options of `diffRuleSets`. */
export interface DiffOptions<Item extends Auditable = Auditable> extends DiffSides {
  /** Returns the scores of the text and the files of a message, 0..100 by label. */
  readonly scores?: ((message: Item) => readonly Scores[] | Promise<readonly Scores[]>) | undefined;
  /** Number of examples of each cause. Default 3. */
  readonly examples?: number | undefined;
  /** Labels of messages, as the old rules handled them. Kept in memory. */
  readonly labels?: Iterable<Label> | undefined;
  /** Whether examples omit the text of their message. Default false. */
  readonly redact?: boolean | undefined;
  /** Stops the diff, which then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Identifies the input of a diff: equal receipts mean equal results. Digests have 32 hexadecimal
 * characters.
 */
export interface DiffReceipt {
  /** Digest of the new rules and their lists, the `revision` of a rule set. */
  readonly rules: string;
  /** Digest of the old rules and their lists. */
  readonly against: string;
  /**
   * Digest of the messages with their scores, which does not depend on their order. Absent if no
   * messages were judged.
   */
  readonly messages?: string;
  /**
   * The readings of each side that differ from the defaults. A function is written as `function`,
   * the pattern engine as its name.
   */
  readonly semantics: Readonly<Record<'rules' | 'against', Readonly<Record<string, unknown>>>>;
  /** The version of Sluice. */
  readonly engine: string;
}

/**
 * How two rule sets decide the same messages differently. Plain JSON that depends only on the
 * rules, readings, messages, scores and labels.
 */
export interface RuleSetDiff extends Omit<Differences, 'texts' | 'unreadable' | 'digest'> {
  /** Number of issues of severity `error` on each side: what is not evaluated. */
  readonly issues: Readonly<Record<'rules' | 'against', number>>;
  /** These issues, and those that only one side has. */
  readonly errors: SideErrors;
  /** The differences between the rule sets themselves. */
  readonly changes: readonly RuleSetChange[];
  /**
   * The revision that accepts the new rules, `status.held.revision` of a moderator that holds them
   * back.
   */
  readonly revision: string;
  readonly receipt: DiffReceipt;
}

const checks: OptionChecks<DiffOptions> = {
  rules: undefined,
  against: undefined,
  semantics: undefined,
  againstSemantics: undefined,
  scores: undefined,
  examples: [(count: number) => Number.isSafeInteger(count) && count >= 0, 'a whole number from 0'],
  labels: undefined,
  redact: undefined,
  signal: undefined,
};

/**
 * Judges messages by two rule sets in one pass, and reports which of them are decided differently
 * and why. One message is held at a time. Memory grows with the causes and examples, which the
 * rules bound, and with the labels. The examples of a cause are first messages that have no other
 * cause, then those with the smallest digest of their id, so that they do not depend on the order
 * of the messages.
 *
 * Rejects with `UsageError` for unknown options or an item that is not a message, with the errors
 * of `createEngine`, and with `signal.reason`.
 *
 * @example
 * ```ts
 * async function newlyStopped(against: RuleSet, rules: RuleSet, messages: Iterable<Message>) {
 *   const diff = await diffRuleSets(messages, { rules, against });
 *   for (const cause of diff.causes) console.log(cause.ruleId, cause.term, cause.messages);
 *   return diff.newlyStopped;
 * }
 * ```
 */
export async function diffRuleSets<Item extends Auditable>(
  messages: Iterable<Item> | AsyncIterable<Item>,
  options: DiffOptions<Item>,
): Promise<RuleSetDiff> {
  checkOptions('`diffRuleSets`', options, checks);
  const { examples = 3, redact = false, scores, signal } = options;
  const outcomes = options.labels && outcomesByMessage(options.labels);
  const start = auditCounting({ differences: { examples, redact, outcomes } }).prepare();
  const { rules, against, semantics, againstSemantics } = options;
  const sides = { rules, against, semantics, againstSemantics };
  const engines = await openEngines(enginesPlanOf(sides), undefined, signal);
  try {
    const { differences } = await countEach(messages, engines, start, { scoresOf: scores, signal });
    // INVARIANT: a counter counts everything that its options name.
    return await diffOf(differences!, sides, errorsOfSides(sides, engines), signal);
  } finally {
    engines.close();
  }
}

/** Makes a diff from counted differences. Rejects with `signal.reason`. */
export async function diffOf(
  { digest, texts: _, unreadable: __, ...counts }: Differences,
  sides: DiffSides,
  errors: SideErrors,
  signal?: AbortSignal,
): Promise<RuleSetDiff> {
  return {
    ...counts,
    issues: { rules: errors.rules.length, against: errors.against.length },
    errors,
    changes: describeChange(sides),
    revision: await acceptanceRevision(sides.rules, signal),
    receipt: { ...(await receiptOf(sides, signal)), messages: digest },
  };
}

/** Returns the plan from which threads create the engines of both sides. */
export function enginesPlanOf({
  rules,
  against,
  semantics = {},
  againstSemantics = semantics,
}: DiffSides): EnginesPlan {
  return { ruleSet: rules, semantics, against: { ruleSet: against, semantics: againstSemantics } };
}

export function errorsOfSides({ rules, against }: DiffSides, engines: OpenEngines): SideErrors {
  const issues = engines.against?.issues ?? [];
  return compareErrors({ ruleSet: rules, issues: engines.engine.issues }, { ruleSet: against, issues });
}

/** Makes the receipt of a diff for which no messages were judged. */
export async function receiptOf(
  { rules, against, semantics, againstSemantics = semantics }: DiffSides,
  signal?: AbortSignal,
): Promise<DiffReceipt> {
  const digestOf = ({ rules, lists }: RuleSetInput) => runWithPauses(digestInPortions({ rules, lists }), signal);
  return {
    rules: await digestOf(rules),
    against: await digestOf(against),
    semantics: {
      rules: changedReadings(semanticsOf(rules, semantics)),
      against: changedReadings(semanticsOf(against, againstSemantics)),
    },
    engine: version,
  };
}

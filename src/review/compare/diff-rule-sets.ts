import type { Auditable } from '../../audit/audit-entry.js';
import { auditCounting } from '../../audit/count/counters.js';
import type { Differences } from '../../audit/count/differences.js';
import { type EnginesPlan, type OpenEngines, openEngines } from '../../audit/engines.js';
import { type Label, Labels } from '../../audit/sample/label.js';
import { countEach } from '../../audit/stream.js';
import type { RuleSetInput } from '../../engine/engine.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { semanticsOf } from '../../engine/semantics.js';
import { digestInPortions } from '../../foundation/digest.js';
import { UsageError } from '../../foundation/errors.js';
import { runWithPauses } from '../../foundation/portions.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import { version } from '../../foundation/version.js';
import { acceptanceRevision } from './acceptance-revision.js';
import { type DiffSides, describeChange, type RuleSetChange } from './describe-change.js';
import { changedReadings } from './reading-changes.js';
import { compareErrors, type SideErrors } from './rule-errors.js';

/** Options of `diffRuleSets`. */
export interface DiffOptions<Item extends Auditable = Auditable> extends DiffSides {
  /** Scores of the text and the files of a message, 0..100 by label. */
  readonly scores?: ((message: Item) => readonly Scores[] | Promise<readonly Scores[]>) | undefined;
  /** Examples of a cause. Default 3. */
  readonly examples?: number | undefined;
  /** What people found of messages, as they were handled under the old rules. Kept in memory. */
  readonly labels?: Iterable<Label> | undefined;
  /** Whether examples go without the text of their message. Default false. */
  readonly redact?: boolean | undefined;
  /** Stops the diff: it rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
}

/** What a diff was made of; equal receipts are of equal results. Digests are 32 hexadecimal characters. */
export interface DiffReceipt {
  /** Digest of the new rules and their lists: `revision` of a rule set. */
  readonly rules: string;
  /** Digest of the old ones. */
  readonly against: string;
  /** Digest of the messages with their scores, in whatever order; absent when none were judged. */
  readonly messages?: string;
  /** The readings of either side that differ from the defaults; functions as `function`, the pattern engine by its name. */
  readonly semantics: Readonly<Record<'rules' | 'against', Readonly<Record<string, unknown>>>>;
  /** The version of Sluice. */
  readonly engine: string;
}

/** What two rule sets do with the same messages. Plain JSON that depends on rules, readings, messages, scores and labels alone. */
export interface RuleSetDiff extends Omit<Differences, 'texts' | 'unreadable' | 'digest'> {
  /** Issues of severity `error` in the rules of either side: parts of them that are not evaluated. */
  readonly issues: Readonly<Record<'rules' | 'against', number>>;
  /** These issues, and those of either side that the other has not. */
  readonly errors: SideErrors;
  /** What differs between the rule sets themselves. */
  readonly changes: readonly RuleSetChange[];
  /** What a moderator that holds the new rules takes them by: a digest without what a platform adds, `status.held.revision`. */
  readonly revision: string;
  readonly receipt: DiffReceipt;
}

const optionNames = [
  'rules',
  'against',
  'semantics',
  'againstSemantics',
  'scores',
  'examples',
  'labels',
  'redact',
  'signal',
] as const satisfies readonly (keyof DiffOptions)[];

/**
 * Judges messages by two rule sets in one pass, and says which of them would fare differently and why. Holds one message at a
 * time: memory grows with causes and examples, which the rules bound, and with the labels. Examples of a cause are messages
 * with no other cause first, then those with the smallest digest of their id, so that they depend on no order. Rejects with
 * `UsageError` for unknown options or an item that is no message, with what `createEngine` throws, and with `signal.reason`.
 *
 * @example
 * ```ts
 * async function newlyStopped(against: RuleSet, rules: RuleSet, messages: Iterable<Message>): Promise<number> {
 *   const diff = await diffRuleSets(messages, { rules, against });
 *   for (const { ruleId, term, messages, onlyCause } of diff.causes) console.log(ruleId, term, messages, onlyCause);
 *   return diff.newlyStopped;
 * }
 * ```
 */
export async function diffRuleSets<Item extends Auditable>(
  messages: Iterable<Item> | AsyncIterable<Item>,
  options: DiffOptions<Item>,
): Promise<RuleSetDiff> {
  refuseUnknownOptions('`diffRuleSets`', options, optionNames);
  const { examples = 3, redact = false, scores, signal } = options;
  if (!Number.isSafeInteger(examples) || examples < 0) throw new UsageError('`examples` must be a whole number from 0');
  const outcomes = options.labels && new Labels(options.labels).byMessage();
  const start = auditCounting({ differences: { examples, redact, outcomes } }).prepare();
  const sides = sidesOf(options);
  const engines = await openEngines(enginesPlanOf(sides), undefined, signal);
  try {
    const { differences } = await countEach(messages, engines, start, { scoresOf: scores, signal });
    // INVARIANT: a counter counts what its options name.
    return await diffOf(differences!, sides, errorsOfSides(sides, engines), signal);
  } finally {
    engines.close();
  }
}

/** The diff that counted differences make. Rejects with `signal.reason`. */
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

function sidesOf({ rules, against, semantics, againstSemantics }: DiffSides): DiffSides {
  return { rules, against, semantics, againstSemantics };
}

/** What the engines of both sides are made of. */
export function enginesPlanOf({
  rules,
  against,
  semantics = {},
  againstSemantics = semantics,
}: DiffSides): EnginesPlan {
  return { ruleSet: rules, semantics, against: { ruleSet: against, semantics: againstSemantics } };
}

/** The errors of the rules of both sides, by their engines. */
export function errorsOfSides({ rules, against }: DiffSides, engines: OpenEngines): SideErrors {
  const issues = engines.against?.issues ?? [];
  return compareErrors({ ruleSet: rules, issues: engines.engine.issues }, { ruleSet: against, issues });
}

/** The receipt of a diff without messages. */
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

import { createHash } from 'node:crypto';
import { type Auditable, audit } from '../audit/audit.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { canonicalJson, digestInPortions } from '../digest.js';
import { compileEngine, type Engine, type RuleSetInput } from '../engine.js';
import { UsageError } from '../errors.js';
import type { Decision } from '../evaluate/decision.js';
import type { MediaScores } from '../evaluate/media.js';
import { runWithPauses } from '../portions.js';
import { semanticsOf } from '../semantics.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import { version } from '../version.js';
import { changedReadings, type DiffSides, describeChange, type RuleSetChange } from './describe-change.js';
import {
  createCauseTable,
  type DiffCause,
  type DiffKind,
  diffKindOf,
  type Outcome,
  type OutcomeCounts,
} from './diff-causes.js';
import { compareErrors, type SideErrors } from './rule-errors.js';

/** What human review found of one message, as it was handled under the old rules. */
export interface OutcomeRow {
  readonly messageId: string;
  readonly outcome: Outcome;
}

/** Options of `diffRuleSets`. */
export interface DiffOptions<Item extends Auditable = Auditable> extends DiffSides {
  /** Scores of the pictures and videos of a message, 0..100 by label. */
  readonly media?: ((message: Item) => readonly MediaScores[] | Promise<readonly MediaScores[]>) | undefined;
  /** Examples of a cause. Default 3. */
  readonly examples?: number | undefined;
  /** Outcomes of human review, as rows or by message id; of several rows of one message the last counts. Kept in memory as a map. */
  readonly outcomes?: Iterable<OutcomeRow> | ReadonlyMap<string, Outcome> | undefined;
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
  /** Digest of the messages, in their order, with their scores; absent when none were judged. */
  readonly messages?: string;
  /** The readings of either side that differ from the defaults; functions as `function`, the pattern engine by its name. */
  readonly semantics: Readonly<Record<'rules' | 'against', Readonly<Record<string, unknown>>>>;
  /** The version of Sluice. */
  readonly engine: string;
}

/** What two rule sets do with the same messages. Plain JSON that depends on rules, readings, messages, scores and outcomes alone. */
export interface RuleSetDiff extends Readonly<Record<DiffKind, number>> {
  /** Messages judged; those of the kinds are parts of them. */
  readonly messages: number;
  /** Why: sorted by kind, then with most messages first. A message has as many causes as there are matches of different things. */
  readonly causes: readonly DiffCause[];
  /** Messages of which a condition could not be evaluated, by the rules of either side, and those of them that a kind counts. */
  readonly unevaluated: Readonly<Record<'rules' | 'against' | 'newlyStopped' | 'released' | 'changed', number>>;
  /** Messages of a kind that had more matches than a decision lists, so that causes may be missing. */
  readonly truncated: number;
  /** Issues of severity `error` in the rules of either side: parts of them that are not evaluated. */
  readonly issues: Readonly<Record<'rules' | 'against', number>>;
  /** These issues, and those of either side that the other has not. */
  readonly errors: SideErrors;
  /** Outcomes of the messages of each kind; present when outcomes were given. */
  readonly outcomes?: Readonly<Record<'newlyStopped' | 'released' | 'changed', OutcomeCounts>>;
  /** What differs between the rule sets themselves. */
  readonly changes: readonly RuleSetChange[];
  readonly receipt: DiffReceipt;
}

const optionNames = [
  'rules',
  'against',
  'semantics',
  'againstSemantics',
  'media',
  'examples',
  'outcomes',
  'redact',
  'signal',
] as const satisfies readonly (keyof DiffOptions)[];

/**
 * Judges messages by two rule sets in one pass, and says which of them would fare differently and why. Holds one message at a
 * time: memory grows with causes and examples, which the rules bound, and with the outcomes. Examples of a cause are messages
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
  const { examples = 3, redact = false, media, signal } = options;
  if (!Number.isSafeInteger(examples) || examples < 0) throw new UsageError('`examples` must be a whole number from 0');
  const outcomes = options.outcomes && outcomesById(options.outcomes);
  const table = createCauseTable({ examples, redact, hasOutcomes: outcomes !== undefined });
  const counts = { messages: 0, newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0 };
  const unevaluated = { rules: 0, against: 0, newlyStopped: 0, released: 0, changed: 0 };
  const outcomeCounts = { newlyStopped: noOutcomes(), released: noOutcomes(), changed: noOutcomes() };
  let truncated = 0;
  let errors: SideErrors = { rules: [], against: [], added: [], removed: [] };
  const messagesDigest = startDigest();
  await withEngines(options, async (rules, against) => {
    errors = errorsOfEngines(options, rules, against);
    let before!: Decision;
    // INVARIANT: an audit explains one message at a time, so `before` is of the message of its entry.
    const both: Pick<Engine, 'explain'> = {
      explain(message, scores) {
        before = against.explain(message, scores);
        messagesDigest.add(message, scores);
        return rules.explain(message, scores);
      },
    };
    for await (const { message, messageId, decision: after } of audit(messages, both, { media, signal })) {
      counts.messages += 1;
      const [isUnsure, wasUnsure] = [after.unevaluated.length > 0, before.unevaluated.length > 0];
      unevaluated.rules += Number(isUnsure);
      unevaluated.against += Number(wasUnsure);
      const kind = diffKindOf(before, after);
      if (kind === undefined) continue;
      counts[kind] += 1;
      truncated += Number(before.truncated || after.truncated);
      const outcome = outcomes && (outcomes.get(messageId ?? '') ?? 'unknown');
      if (kind !== 'reasonOnly') {
        unevaluated[kind] += Number(isUnsure || wasUnsure);
        if (outcome !== undefined) outcomeCounts[kind][outcome] += 1;
      }
      table.add({ kind, message, messageId, before, after, outcome });
    }
  });
  return {
    ...counts,
    causes: table.causes(),
    unevaluated,
    truncated,
    issues: { rules: errors.rules.length, against: errors.against.length },
    errors,
    ...(outcomes && { outcomes: outcomeCounts }),
    changes: describeChange(sidesOf(options)),
    receipt: { ...(await receiptOf(options, signal)), messages: messagesDigest.end() },
  };
}

function sidesOf({ rules, against, semantics, againstSemantics }: DiffSides): DiffSides {
  return { rules, against, semantics, againstSemantics };
}

/** The digest of a sequence of messages, kept while they pass. */
interface MessagesDigest {
  /** Throws `UsageError` for what has no JSON. */
  add(message: Auditable, scores: readonly MediaScores[] | undefined): void;
  /** Nothing may be added afterwards. */
  end(): string;
}

/** So many UTF-16 units are hashed at once. */
const hashedAtOnce = 1 << 16;

/**
 * Starts a digest: the first 32 hexadecimal characters of a SHA-256 of the messages as JSON, one a line. It depends on their order.
 * By `node:crypto` and `JSON.stringify`, since canonical JSON and a SHA-256 in JavaScript took a third of the time of a diff.
 */
function startDigest(): MessagesDigest {
  const hash = createHash('sha256');
  let text = '';
  return {
    add(message, scores) {
      text += `${jsonOf(message)}${scores === undefined || scores.length === 0 ? '' : jsonOf(scores)}\n`;
      if (text.length < hashedAtOnce) return;
      hash.update(text);
      text = '';
    },
    end: () => hash.update(text).digest('hex').slice(0, 32),
  };
}

/**
 * JSON with the fields of an object in code unit order, those inside of them as they stand: parsing a message again, from a file for
 * instance, reorders the outer ones alone.
 */
function jsonOf(value: Auditable | readonly MediaScores[]): string {
  const sorted = typeof value === 'object' && !Array.isArray(value) ? inKeyOrder(value as MessageDraft) : value;
  try {
    return JSON.stringify(sorted);
  } catch (error) {
    // The call stack is too short for a value that is nested some thousand levels deep.
    if (error instanceof RangeError) return canonicalJson(sorted);
    throw new UsageError(
      'a message of a diff must be plain JSON: it holds a cycle, or a value that JSON has no word for',
      {
        cause: error,
      },
    );
  }
}

/** Built field by field: `Object.fromEntries` over sorted entries took half as long again. */
function inKeyOrder(message: MessageDraft): object {
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(message).sort()) sorted[key] = message[key];
  return sorted;
}

async function withEngines(
  { rules, against, semantics, againstSemantics = semantics, signal }: DiffSides & Pick<DiffOptions, 'signal'>,
  use: (rules: Engine, against: Engine) => Promise<void>,
): Promise<void> {
  const engine = await compileEngine(rules, semantics, { signal });
  try {
    const other = await compileEngine(against, againstSemantics, { signal });
    try {
      await use(engine, other);
    } finally {
      other.close();
    }
  } finally {
    engine.close();
  }
}

function errorsOfEngines(sides: DiffSides, { issues }: Engine, { issues: others }: Engine): SideErrors {
  return compareErrors({ ruleSet: sides.rules, issues }, { ruleSet: sides.against, issues: others });
}

/** The errors of both sides of a diff without messages. Rejects with what `createEngine` throws, and with `signal.reason`. */
export async function errorsOfSides(sides: DiffSides, signal?: AbortSignal): Promise<SideErrors> {
  let errors: SideErrors | undefined;
  await withEngines({ ...sides, signal }, async (rules, against) => {
    errors = errorsOfEngines(sides, rules, against);
  });
  return errors!;
}

const noOutcomes = () => ({ right: 0, wrong: 0, unknown: 0 });

function outcomesById(given: NonNullable<DiffOptions['outcomes']>): ReadonlyMap<string, Outcome> {
  const byId = given instanceof Map ? given : new Map<string, Outcome>();
  if (given !== byId) for (const { messageId, outcome } of given as Iterable<OutcomeRow>) byId.set(messageId, outcome);
  for (const outcome of byId.values()) {
    if (outcome !== 'right' && outcome !== 'wrong') throw new UsageError('an `outcome` must be `right` or `wrong`');
  }
  return byId;
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

/** Counts what two rule sets do with the same messages, by kind and by cause. */
import type { Decision } from '../../engine/evaluate/decision.js';
import type { JudgedMessage } from '../audit-entry.js';
import {
  createCauseTable,
  type DiffCause,
  type DiffKind,
  diffKindOf,
  noOutcomes,
  type Outcome,
  type OutcomeCounts,
} from './diff-causes.js';
import { createMessagesDigest } from './messages-digest.js';
import { addNumbers } from './tally.js';
import { countTexts } from './texts.js';

/**
 * Counts of what two rule sets do with the same messages. Plain JSON. The counts of disjoint parts
 * add up to those of the whole.
 */
export interface Differences extends Readonly<Record<DiffKind, number>> {
  /** All judged messages, whether their decisions differ or not. */
  readonly messages: number;
  /**
   * Messages without a time that were left out, since a window of time was requested; absent
   * instead of 0.
   */
  readonly undated?: number | undefined;
  /** Messages with a text, and messages whose text cannot be read, as in `AuditSummary`. */
  readonly texts: number;
  readonly unreadable: number;
  /**
   * The causes of the differences, sorted by kind, then by messages, most first. A message counts
   * for each of its causes.
   */
  readonly causes: readonly DiffCause[];
  /**
   * Messages with a condition that could not be evaluated, by the new rules and by the old ones,
   * and the messages of each kind among them.
   */
  readonly unevaluated: Readonly<Record<'rules' | 'against' | VerdictKind, number>>;
  /**
   * Messages that differ and have more matches than a decision lists, so that causes may be
   * missing.
   */
  readonly truncated: number;
  /** Outcomes of the messages of each kind; present when outcomes were given. */
  readonly outcomes?: Readonly<Record<VerdictKind, OutcomeCounts>>;
  /**
   * Digest of the messages with their scores, 32 hexadecimal characters. Neither the digest nor any
   * count depends on the order of the messages.
   */
  readonly digest: string;
}

/** The kinds of differences in which the verdicts differ. */
type VerdictKind = Exclude<DiffKind, 'reasonOnly'>;

/**
 * A message with its decisions: `decision` by the new rules, `against` by the old ones, both made
 * with `scores`.
 */
export type DifferenceEntry = Pick<JudgedMessage, 'message' | 'messageId' | 'scores' | 'decision'> & {
  readonly against: Decision;
};

/**
 * Starts counts of differences. Memory grows with causes and examples, which the rules bound, not
 * with messages. `examples` is the largest number of examples of a cause; `outcomes` has outcomes
 * by message id.
 */
export function createDifferences(options: {
  readonly examples: number;
  readonly redact: boolean;
  readonly outcomes?: ReadonlyMap<string, Outcome> | undefined;
}) {
  const { examples, redact, outcomes } = options;
  const causes = createCauseTable({ examples, redact, hasOutcomes: outcomes !== undefined });
  const unevaluated = { rules: 0, against: 0, newlyStopped: 0, released: 0, changed: 0 };
  const kinds = { newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0 };
  const totals = { messages: 0, ...kinds, texts: 0, unreadable: 0, truncated: 0, undated: 0, unevaluated };
  const ofOutcomes = { newlyStopped: noOutcomes(), released: noOutcomes(), changed: noOutcomes() };
  const digest = createMessagesDigest();
  return {
    /** Counts a message and returns its kind. Throws `UsageError` for one that has no JSON. */
    add({ message, messageId, scores, decision: after, against: before }: DifferenceEntry): DiffKind | undefined {
      digest.add(message, scores);
      totals.messages += 1;
      countTexts(totals, message);
      const [isUnsure, wasUnsure] = [after.unevaluated.length > 0, before.unevaluated.length > 0];
      unevaluated.rules += Number(isUnsure);
      unevaluated.against += Number(wasUnsure);
      const kind = diffKindOf(before, after);
      if (kind === undefined) return undefined;
      totals[kind] += 1;
      totals.truncated += Number(before.truncated || after.truncated);
      const outcome = outcomes && (outcomes.get(messageId ?? '') ?? 'unknown');
      if (kind !== 'reasonOnly') {
        unevaluated[kind] += Number(isUnsure || wasUnsure);
        if (outcome !== undefined) ofOutcomes[kind][outcome] += 1;
      }
      causes.add({ kind, message, messageId, before, after, outcome });
      return kind;
    },
    /** Counts a message that was left out because it has no time. */
    addUndated(): void {
      totals.undated += 1;
    },
    /** Adds the differences of other messages of the same diff, counted with the same options. */
    merge(added: Differences): void {
      addNumbers(totals, added);
      if (added.outcomes) addNumbers(ofOutcomes, added.outcomes);
      digest.merge(added.digest);
      causes.merge(added.causes);
    },
    toJSON: (): Differences => {
      const { undated, ...counts } = structuredClone(totals);
      return {
        ...counts,
        ...(undated > 0 && { undated }),
        causes: causes.toJSON(),
        ...(outcomes && { outcomes: structuredClone(ofOutcomes) }),
        digest: digest.toJSON(),
      };
    },
  };
}

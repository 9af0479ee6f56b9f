import { stops } from '../../engine/compile/verdicts.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import type { AuditEntry, JudgedMessage } from '../audit-entry.js';
import type { DiffKind } from '../count/diff-causes.js';

/** Fields of a row that come from its message; null if it lacks them. */
interface MessageFields {
  readonly messageId: string | null;
  readonly conversationId: string | null;
  readonly sender: string | null;
  /** Seconds since the epoch. */
  readonly sentAt: number | null;
}

/** One line of `decisions.ndjson`: ids of the message and the whole decision, without the message itself. */
export interface DecisionRow extends MessageFields {
  readonly decision: Decision;
  /** `data.text` of a message that is not allowed; only where texts are kept. */
  readonly text?: string | undefined;
}

/** One line of `differences.ndjson`: ids of a message that two rule sets treat differently, and both decisions. */
interface DifferenceRow extends MessageFields {
  readonly kind: DiffKind;
  /** The verdict or decision by the old rules. */
  readonly before: Decision;
  /** The verdict or decision by the new rules. */
  readonly after: Decision;
}

/** Returns the row of an entry; with `withText` it has the text of a message that is not allowed. */
export function decisionRow({ messageId, message, decision }: AuditEntry, withText = false): DecisionRow {
  const text: unknown = typeof message === 'string' ? message : message.data?.text;
  return {
    ...fieldsOf(messageId, message),
    decision,
    ...(withText && stops(decision.verdict) && typeof text === 'string' && { text }),
  };
}

/** Returns the row of an entry whose two decisions differ. */
export function differenceRow(
  { messageId, message, decision, against }: JudgedMessage & { readonly against: Decision },
  kind: DiffKind,
): DifferenceRow {
  return { ...fieldsOf(messageId, message), kind, before: against, after: decision };
}

function fieldsOf(messageId: string | undefined, message: AuditEntry['message']): MessageFields {
  const draft = typeof message === 'string' ? {} : message;
  return {
    messageId: messageId ?? null,
    conversationId: draft.conversationId ?? null,
    sender: draft.sender ?? null,
    sentAt: typeof draft.sentAt === 'number' ? draft.sentAt : null,
  };
}

/**
 * Reports whether a decision has nothing to report: allowed, no rule matched (shadow rules included), every condition evaluated, not
 * truncated. An exempt message is plainly allowed.
 */
export function isPlainlyAllowed(decision: Decision): boolean {
  return (
    !stops(decision.verdict) &&
    decision.matched.length === 0 &&
    decision.unevaluated.length === 0 &&
    !decision.truncated
  );
}

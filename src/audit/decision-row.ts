import type { Decision } from '../evaluate/decision.js';
import type { AuditEntry } from './audit.js';

/** One line of `decisions.ndjson`: ids of the message and the whole decision, without the message itself. */
export interface DecisionRow {
  readonly messageId: string | null;
  readonly conversationId: string | null;
  readonly sender: string | null;
  /** Seconds since the epoch. */
  readonly sentAt: number | null;
  readonly decision: Decision;
}

/** The row of an entry; fields that the message lacks are null. */
export function decisionRow({ messageId, message, decision }: AuditEntry): DecisionRow {
  const draft = typeof message === 'string' ? {} : message;
  return {
    messageId: messageId ?? null,
    conversationId: draft.conversationId ?? null,
    sender: draft.sender ?? null,
    sentAt: typeof draft.sentAt === 'number' ? draft.sentAt : null,
    decision,
  };
}

/**
 * Whether a decision has nothing to report: allowed, no rule matched (shadow rules included), every condition evaluated, not
 * truncated. An exempt message is plainly allowed.
 */
export function isPlainlyAllowed(decision: Decision): boolean {
  return (
    decision.verdict === 'allow' &&
    decision.matched.length === 0 &&
    decision.unevaluated.length === 0 &&
    !decision.truncated
  );
}

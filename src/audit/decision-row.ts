import type { Decision } from '../evaluate/decision.js';
import type { AuditEntry } from './audit.js';

/** One line of `decisions.ndjson`: whose message it was and the whole decision. The message itself stays out. */
export interface DecisionRow {
  readonly messageId: string | null;
  readonly conversationId: string | null;
  readonly sender: string | null;
  /** Seconds since the epoch. */
  readonly sentAt: number | null;
  readonly decision: Decision;
}

/** The row of an entry; what the message does not say is null. */
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
 * Whether there is nothing to say about a decision: allowed, no rule matched (shadow rules included), every condition
 * evaluated, nothing cut off. An exempt message is plainly allowed.
 */
export function isPlainlyAllowed(decision: Decision): boolean {
  return (
    decision.verdict === 'allow' &&
    decision.matched.length === 0 &&
    decision.unevaluated.length === 0 &&
    !decision.truncated
  );
}

import { stops } from '../../engine/compile/verdicts.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import type { AuditEntry, JudgedMessage } from '../audit-entry.js';

/**
 * One line of `decisions.ndjson`: ids of the message and the whole decision, without the message
 * itself.
 */
export interface DecisionRow {
  // A field that the message lacks is null.
  readonly messageId: string | null;
  /** The position of a message without an id among all rows or messages, from 1. */
  readonly row?: number | undefined;
  readonly conversationId: string | null;
  readonly sender: string | null;
  /** Seconds since the epoch. */
  readonly sentAt: number | null;
  readonly decision: Decision;
  /** `data.text` of a message that is not allowed; present only if texts are kept. */
  readonly text?: string | undefined;
}

/**
 * Returns the row of an entry; with `withText` it has the text of a message that is not allowed.
 */
export function decisionRow(
  { messageId, message, decision, place }: AuditEntry & Partial<Pick<JudgedMessage, 'place'>>,
  withText = false,
): DecisionRow {
  const draft = typeof message === 'string' ? {} : message;
  const text: unknown = typeof message === 'string' ? message : message.data?.text;
  return {
    messageId: messageId ?? null,
    ...(messageId === undefined && { row: place }),
    conversationId: draft.conversationId ?? null,
    sender: draft.sender ?? null,
    sentAt: typeof draft.sentAt === 'number' ? draft.sentAt : null,
    decision,
    ...(withText && stops(decision.verdict) && typeof text === 'string' && { text }),
  };
}

/**
 * Reports whether a decision has nothing to report: allowed, no rule matched (shadow rules
 * included), every condition evaluated, not truncated. An exempt message is plainly allowed.
 */
export function isPlainlyAllowed(decision: Decision): boolean {
  return (
    !stops(decision.verdict) &&
    decision.matched.length === 0 &&
    decision.unevaluated.length === 0 &&
    !decision.truncated
  );
}

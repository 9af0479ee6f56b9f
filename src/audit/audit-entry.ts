import type { Decision } from '../engine/evaluate/decision.js';
import type { Scores } from '../engine/evaluate/scores.js';
import type { MessageDraft } from '../platform/contract/message-draft.js';

/** An item of an audit: a text, a draft, or a full message (§2.4). */
export type Auditable = string | MessageDraft;

/** A message with its decision. */
export interface AuditEntry<Item extends Auditable = Auditable> {
  /** Id of the message; a text or a draft may lack it. */
  readonly messageId: string | undefined;
  readonly message: Item;
  readonly decision: Decision;
}

/** A message with what all engines of a run decided. */
export interface JudgedMessage<Item extends Auditable = Auditable> extends AuditEntry<Item> {
  /** The position of the message among all rows or messages of the source, from 1. */
  readonly place: number;
  /** The scores of its text and its files. */
  readonly scores?: readonly Scores[] | undefined;
  /** The decision by the old rules; present only in a run that compares two rule sets. */
  readonly against?: Decision | undefined;
}

/** Options of `audit`. */
export interface AuditOptions<Item extends Auditable = Auditable> {
  /**
   * Returns the scores of the text and the files of a message, 0 to 100 by label; a message itself
   * carries no scores.
   */
  readonly scores?: ((message: Item) => readonly Scores[] | Promise<readonly Scores[]>) | undefined;
  /**
   * Stops the audit: it rejects with `signal.reason`, immediately even while the source has no next
   * message.
   */
  readonly signal?: AbortSignal | undefined;
}

import type { Open } from './fields.js';
import type { MediaOperand } from './rule.js';

/**
 * A message as a caller may have it before it is sent: the fields of a `Message`, all optional
 * (§2.4). A full `Message` is one too. Unknown fields are fine.
 *
 * @example
 * ```ts
 * const draft: MessageDraft = { sender: 'ana', receiver: 'team', receiverType: 'group', data: { text: 'see you at eight' } };
 * ```
 */
export interface MessageDraft {
  readonly id?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Uid of the sender. */
  readonly sender?: string | undefined;
  readonly receiverType?: Open<'user' | 'group'> | undefined;
  /** Uid of the receiving user, or guid of the receiving group. */
  readonly receiver?: string | undefined;
  /** Absent: `message`. */
  readonly category?: Open<'message' | 'custom' | 'action' | 'call' | 'interactive'> | undefined;
  /** The kind of content that the message carries. Absent: `text`. */
  readonly type?: Open<'text' | MediaOperand> | undefined;
  /**
   * The content: `text`, and by category and type `attachments`, `customData`, `entities`,
   * `metadata`.
   */
  readonly data?: { readonly text?: string | undefined; readonly [field: string]: unknown } | undefined;
  /** The text is at `data.text`; a message that has a text only here is refused. */
  readonly text?: never;
  readonly [field: string]: unknown;
}

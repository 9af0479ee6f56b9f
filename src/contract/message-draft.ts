/**
 * A message as a caller may have it before it is sent: the fields of §2.4, all optional. A full `Message` is one too.
 * Unknown fields are fine.
 */
export interface MessageDraft {
  readonly id?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly sender?: string | undefined;
  readonly receiverType?: string | undefined;
  readonly receiver?: string | undefined;
  readonly category?: string | undefined;
  readonly type?: string | undefined;
  readonly data?: { readonly text?: unknown; readonly [field: string]: unknown } | undefined;
  /** The text stands at `data.text`; a message with a `text` of its own and no `data` is refused. */
  readonly text?: never;
  readonly [field: string]: unknown;
}

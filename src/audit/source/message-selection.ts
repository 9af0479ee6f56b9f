import type { MessageDraft } from '../../contract/message-draft.js';

/** Which messages are judged. Times in whole seconds since the epoch, both inclusive. */
export interface MessageSelection {
  readonly conversation?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Whether a message is one of them. One without `sentAt` is in no window of time. */
export function selects({ conversation, since, until }: MessageSelection, message: MessageDraft): boolean {
  if (conversation !== undefined && message.conversationId !== conversation) return false;
  if (since === undefined && until === undefined) return true;
  const { sentAt } = message;
  if (typeof sentAt !== 'number') return false;
  // `until` is a whole second: what was sent within it is at or before its end.
  return sentAt >= (since ?? Number.NEGATIVE_INFINITY) && Math.floor(sentAt) <= (until ?? Number.POSITIVE_INFINITY);
}

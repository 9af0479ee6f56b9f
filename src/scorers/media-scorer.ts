/** The port to whatever scores pictures and videos, and the media of a message that it is given. */
import { asFields, asString, read, readItems } from '../compile/untrusted.js';
import type { MessageDraft } from '../contract/message-draft.js';

/** One picture or video of a message. */
export interface MediaAttachment {
  readonly operand: 'image' | 'video';
  /** Where the file is. Addresses may be signed: the query is as good as a password. */
  readonly url: string;
  /** As the message states it. */
  readonly mimeType?: string | undefined;
  /** The message that holds it, as the caller gave it. */
  readonly message: MessageDraft;
}

/** Scores by label, each from 0 to 100 percent, as the thresholds of media conditions are (§2.5). */
export type Labels = Readonly<Record<string, number>>;

/** Gives the scores of pictures and videos, which the interface has none of (§2.5 has thresholds only). */
export interface MediaScorer {
  /**
   * The scores of one file, 0 to 100 by label; `undefined` when none are known. They are taken to depend on the file alone, so
   * those of one address serve every message that holds it. The signal aborts when nobody waits any more, or the time is up.
   */
  score(
    attachment: MediaAttachment,
    options: { readonly signal: AbortSignal },
  ): Promise<Readonly<Record<string, number>> | undefined>;
}

/** Whether a value is scores by label. */
export function isLabels(value: unknown): value is Labels {
  const fields = asFields(value);
  return (
    fields !== undefined &&
    Object.values(fields).every((score) => typeof score === 'number' && score >= 0 && score <= 100)
  );
}

/** What identifies a file: its address, and what it is scored as. */
export function keyOf({ operand, url }: MediaAttachment): string {
  return `${operand} ${url}`;
}

/**
 * The pictures and videos of a message whose address is known, each once. An attachment is what its MIME type says, else what
 * the type of the message says; a message of type `image` or `video` may also have an address in `data.url`. Whatever is found
 * here is media to the engine as well (`holdsMedia`).
 */
export function mediaOf(message: string | MessageDraft): MediaAttachment[] {
  if (typeof message === 'string') return [];
  const fields = asFields(message);
  const data = asFields(read(fields, 'data'));
  const type = operandOf(read(fields, 'type'));
  const files = readItems(read(data, 'attachments')).map(asFields);
  if (type !== undefined) files.push({ url: read(data, 'url') });
  const media = new Map<string, MediaAttachment>();
  for (const file of files) {
    const mimeType = asString(read(file, 'mimeType'));
    const operand = operandOf(/^(image|video)\//i.exec(mimeType ?? '')?.[1]?.toLowerCase()) ?? type;
    const url = asString(read(file, 'url'));
    if (operand === undefined || url === undefined || url === '') continue;
    const attachment = { operand, url, mimeType, message };
    if (!media.has(keyOf(attachment))) media.set(keyOf(attachment), attachment);
  }
  return [...media.values()];
}

function operandOf(kind: unknown): 'image' | 'video' | undefined {
  return kind === 'image' || kind === 'video' ? kind : undefined;
}

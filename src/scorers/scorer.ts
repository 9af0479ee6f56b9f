/** The port to whatever scores files, and the files of a message that it is given. */
import { asFields } from '../compile/untrusted.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { filesOf, type MediaOperand } from '../media.js';

/** One file of a message. */
export interface MediaAttachment {
  /** What it is to be scored as. */
  readonly operand: MediaOperand;
  /** Where the file is. Addresses may be signed: the query is as good as a password. */
  readonly url: string;
  /** As the message states it. */
  readonly mimeType?: string | undefined;
  /** The message that holds it, as the caller gave it. */
  readonly message: MessageDraft;
}

/** Scores by label, each from 0 to 100 percent, as the thresholds of media conditions are (§2.5). */
export type Labels = Readonly<Record<string, number>>;

/** Gives the scores of files, which the interface has none of (§2.5 has thresholds only). */
export interface Scorer {
  /**
   * The scores of one file, 0 to 100 by label; `undefined` when none are known. They are taken to depend on the file alone, so
   * those of one address serve every message that holds it. The signal aborts when nobody waits any more, or the time is up.
   */
  score(
    attachment: MediaAttachment,
    options: { readonly signal: AbortSignal },
  ): Promise<Readonly<Record<string, number>> | undefined>;
}

/** Whether a value is scores by label, from 0 to 100 or to what else they count to. */
export function isLabels(value: unknown, highest = 100): value is Labels {
  const fields = asFields(value);
  return (
    fields !== undefined &&
    Object.values(fields).every((score) => typeof score === 'number' && score >= 0 && score <= highest)
  );
}

/** The files of a message whose address is known: those that a scorer can be asked for. */
export function mediaOf(message: string | MessageDraft): MediaAttachment[] {
  const fields = asFields(message);
  if (typeof message === 'string' || fields === undefined) return [];
  return filesOf(fields).flatMap(({ operand, url, mimeType }) =>
    url === undefined ? [] : [{ operand, url, mimeType, message }],
  );
}

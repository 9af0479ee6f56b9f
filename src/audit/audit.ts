import type { MessageDraft } from '../contract/message-draft.js';
import type { Engine } from '../engine.js';
import type { Decision } from '../evaluate/decision.js';
import type { MediaScores } from '../evaluate/media.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import { abortable } from './source/abortable.js';

/** An item of an audit: a text, a draft, or a full message (§2.4). */
export type Auditable = string | MessageDraft;

/** A message with its decision. */
export interface AuditEntry<Item extends Auditable = Auditable> {
  /** Id of the message; a text and a draft may have none. */
  readonly messageId: string | undefined;
  readonly message: Item;
  readonly decision: Decision;
}

/** Options of `audit`. */
export interface AuditOptions<Item extends Auditable = Auditable> {
  /** Scores of the pictures and videos of a message, 0..100 by label; messages carry none. */
  readonly media?: ((message: Item) => readonly MediaScores[] | Promise<readonly MediaScores[]>) | undefined;
  /** Stops the audit: it rejects with `signal.reason`, immediately even while the source has no next message. */
  readonly signal?: AbortSignal | undefined;
}

/** Longest time for which a source that never waits may block the event loop, in milliseconds; then timers and signals run. */
const maxHoldMs = 10;

/**
 * Evaluates a stream of messages and yields one entry per message, in the order of the source. Holds one message at a time,
 * so the source may be endless. Rejects with `signal.reason` on abort, with errors of the source or `media`, and with
 * `UsageError` for unknown options or an item that is no message. The source is closed when the caller stops early.
 *
 * @example
 * ```ts
 * async function stopped(client: Client, engine: Engine): Promise<string[]> {
 *   const ids: string[] = [];
 *   for await (const { messageId = '', decision } of audit(client.messages.iterate(), engine)) {
 *     if (decision.verdict !== 'allow') ids.push(messageId);
 *   }
 *   return ids;
 * }
 * ```
 */
export async function* audit<Item extends Auditable>(
  messages: Iterable<Item> | AsyncIterable<Item>,
  engine: Pick<Engine, 'explain'>,
  options: AuditOptions<Item> = {},
): AsyncGenerator<AuditEntry<Item>, void, undefined> {
  refuseUnknownOptions('`audit`', options, ['media', 'signal'] satisfies (keyof AuditOptions)[]);
  const { media, signal } = options;
  signal?.throwIfAborted();
  let heldSince = performance.now();
  for await (const message of abortable(messages, signal)) {
    const found = media?.(message);
    const scores = found instanceof Promise ? await found : found;
    if (performance.now() - heldSince > maxHoldMs) {
      await new Promise((resume) => setImmediate(resume));
      heldSince = performance.now();
    }
    signal?.throwIfAborted();
    const decision = engine.explain(message, scores);
    yield { messageId: typeof message === 'string' ? undefined : message.id, message, decision };
  }
}

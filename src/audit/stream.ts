/**
 * Judges the messages of a stream one by one, by the engines of a run: for callers of the library,
 * golden cases and a diff in memory. The loop over files and platforms is `run.ts`.
 */

import type { Engine } from '../engine/engine.js';
import type { Scores } from '../engine/evaluate/scores.js';
import { refuseUnknownOptions } from '../foundation/options.js';
import { createPace } from '../foundation/portions.js';
import type { Auditable, AuditEntry, AuditOptions, JudgedMessage } from './audit-entry.js';
import type { StartCounter } from './count/counter.js';
import type { Engines } from './engines.js';
import { judgeMessage } from './judge.js';
import { abortable } from './source/abortable.js';

/** The options of judging a stream of messages, besides the engines. */
interface StreamOptions<Given, Item extends Auditable> {
  /** Returns the message of an item of the stream. */
  readonly messageOf: (given: Given) => Item;
  readonly scoresOf?: ((given: Given) => readonly Scores[] | Promise<readonly Scores[]>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Judges the messages of a stream one by one, in its order, and yields each with what the stream
 * gave. Rejects with `signal.reason` on abort, with errors of the stream, of `messageOf` and
 * `scoresOf`, and with `UsageError` for a value that is not a message. The stream is closed when
 * the caller stops early.
 */
export async function* judgeEach<Given, Item extends Auditable>(
  stream: Iterable<Given> | AsyncIterable<Given>,
  engines: Engines,
  { messageOf, scoresOf, signal }: StreamOptions<Given, Item>,
): AsyncGenerator<JudgedMessage<Item> & { readonly given: Given }, void, undefined> {
  signal?.throwIfAborted();
  const pause = createPace();
  let place = 0;
  for await (const given of abortable(stream, signal)) {
    const message = messageOf(given);
    const found = scoresOf?.(given);
    const scores = found instanceof Promise ? await found : found;
    // A source that never waits blocks neither timers nor signals.
    const due = pause();
    if (due !== undefined) await due;
    signal?.throwIfAborted();
    place++;
    yield { ...judgeMessage(engines, message, scores, place), given };
  }
}

/** The number of messages in each part of a stream that is counted. */
const messagesOfPart = 5000;

/**
 * Judges the messages of a stream one by one and counts them as a run does, in parts. Rejects as
 * `judgeEach` does.
 */
export async function countEach<Item extends Auditable, Part>(
  stream: Iterable<Item> | AsyncIterable<Item>,
  engines: Engines,
  start: StartCounter<Part>,
  options: Omit<StreamOptions<Item, Item>, 'messageOf'> = {},
): Promise<Part> {
  const whole = start();
  let counter = start();
  for await (const entry of judgeEach(stream, engines, { ...options, messageOf: (message) => message })) {
    counter.add(entry);
    if (entry.place % messagesOfPart !== 0) continue;
    whole.merge(counter.toJSON());
    counter = start();
  }
  whole.merge(counter.toJSON());
  return whole.toJSON();
}

/**
 * Evaluates a stream of messages and yields one entry per message, in the order of the source. It
 * holds one message at a time, so the source may be endless. Rejects with `signal.reason` on abort,
 * with errors of the source or `scores`, and with `UsageError` for unknown options or an item that
 * is not a message. The source is closed when the caller stops early.
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
  refuseUnknownOptions('`audit`', options, ['scores', 'signal'] satisfies (keyof AuditOptions)[]);
  const { scores, signal } = options;
  const judged = judgeEach(messages, { engine }, { messageOf: (message) => message, scoresOf: scores, signal });
  for await (const { messageId, message, decision } of judged) yield { messageId, message, decision };
}

/** The changed verdicts between two engines over the same messages: how many, and their causes. */
import { createCauseTable, type DiffCause } from '../../audit/count/diff-causes.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Engine } from '../../engine/engine.js';
import { UsageError } from '../../foundation/errors.js';
import type { Portions } from '../../foundation/portions.js';

/** The arguments of a decision. */
export type Judged = Parameters<Engine['decide']>;

/**
 * Counts of messages, and the causes: those of newly stopped messages first, then by the number of
 * messages. They contain no examples.
 */
export interface VerdictChanges {
  readonly messages: number;
  /** Messages that `before` allows and `after` does not. */
  readonly newlyStopped: number;
  /** Messages that `after` allows and `before` does not. */
  readonly released: number;
  readonly causes: readonly DiffCause[];
}

/**
 * Judges messages by two engines, one decision between two pauses. Messages are explained only if
 * their verdicts differ. Items that are not messages are left out.
 */
export function* verdictChanges(messages: Iterable<Judged>, before: Engine, after: Engine): Portions<VerdictChanges> {
  const causes = createCauseTable({ examples: 0, redact: true, hasOutcomes: false });
  const counts = { messages: 0, newlyStopped: 0, released: 0 };
  for (const judged of messages) {
    try {
      const wasAllowed = !stops(before.decide(...judged));
      yield;
      const isAllowed = !stops(after.decide(...judged));
      yield;
      counts.messages += 1;
      if (wasAllowed === isAllowed) continue;
      const kind = wasAllowed ? 'newlyStopped' : 'released';
      counts[kind] += 1;
      const old = before.explain(...judged);
      yield;
      const [message] = judged;
      const entry = { message, messageId: undefined, outcome: undefined };
      causes.add({ kind, ...entry, before: old, after: after.explain(...judged) });
      yield;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
  }
  return { ...counts, causes: causes.toJSON() };
}

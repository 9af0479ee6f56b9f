/** A moderator that answers before its first rules are loaded. */
import { setTimeout } from 'node:timers/promises';
import { type ScoreTable, scoresFromTable } from '../../audit/source/scores.js';
import { engineParts } from '../../engine/evaluate/engine-parts.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { isRefusal, RuleSetError, SluiceError, UsageError } from '../../foundation/errors.js';
import type { MessageJudge } from '../../live/http/handler.js';
import type { Moderator } from '../../live/moderator/moderator.js';
import type { RefreshEvent } from '../../live/moderator/status.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';

/**
 * A moderator whose rules may be loaded later. Until then its state is `loading`, and it judges
 * nothing.
 */
export interface LateModerator extends MessageJudge {
  /** Resolves after the first attempt to load rules. */
  readonly attempted: Promise<void>;
  /** Rejects with an error that further attempts cannot fix. Never resolves. */
  readonly failed: Promise<never>;
  on(event: 'refresh', listener: (event: RefreshEvent) => void): void;
  close(): Promise<void>;
}

const longestPauseMs = 30_000;

/**
 * Creates a moderator, and tries again after each failure that may be temporary: a platform that is
 * down or gives invalid answers may recover. If `onFailure` throws, the attempts end. Messages
 * without scores get those of `table`. A scorer could not give these, since the table has some by
 * the ids of messages.
 */
export function lateModerator(
  make: (signal: AbortSignal) => Promise<Moderator>,
  onFailure: (error: SluiceError) => void,
  table: ScoreTable,
): LateModerator {
  const closing = new AbortController();
  const { signal } = closing;
  const listeners: ((event: RefreshEvent) => void)[] = [];
  let moderator: Moderator | undefined;
  const attempt = async (): Promise<void> => {
    try {
      moderator = await make(signal);
      for (const listener of listeners) moderator.on('refresh', listener);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SluiceError) || error instanceof UsageError || isRefusal(error)) throw error;
      onFailure(error);
    }
  };
  const begin = async (attempted: Promise<void>): Promise<never> => {
    await attempted;
    for (let pauseMs = 1_000; moderator === undefined && !signal.aborted; pauseMs *= 2) {
      await setTimeout(Math.min(pauseMs, longestPauseMs), undefined, { signal }).catch(() => {});
      await attempt();
    }
    return new Promise(() => {});
  };
  const present = (): Moderator => {
    if (moderator !== undefined) return moderator;
    throw new RuleSetError('the rules are not there yet', { code: 'loading' });
  };
  const known = (message: string | MessageDraft, given: readonly Scores[] | undefined) =>
    table.size === 0 || (given !== undefined && given.length > 0) ? given : scoresFromTable(message, table);
  const attempted = attempt();
  const failed = begin(attempted);
  // A caller that waits for the promise handles its rejection. There may be no such caller.
  failed.catch(() => {});
  return {
    attempted,
    failed,
    decide: (message, scores) => present().decide(message, known(message, scores)),
    explain: (message, scores) => present().explain(message, known(message, scores)),
    explainAsync: async (message, scores, options) => present().explainAsync(message, known(message, scores), options),
    scoreRequests: (message, scores, options) => present().scoreRequests(message, known(message, scores), options),
    [engineParts]: () => present()[engineParts](),
    hasRule: (ruleId) => present().hasRule(ruleId),
    hasAction: (action) => present().hasAction(action),
    get status() {
      return moderator?.status ?? { state: 'loading' };
    },
    on: (_event, listener) => {
      listeners.push(listener);
      moderator?.on('refresh', listener);
    },
    close: async () => {
      closing.abort(new UsageError('the moderator was closed'));
      await moderator?.close();
    },
  };
}

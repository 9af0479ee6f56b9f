import pLimit from 'p-limit';
import type { Operation, ResponseOf } from '../contract/endpoints.js';
import type { CallFacts } from '../errors.js';
import { abortable, type Deadline, pause, startDeadline, unlessAborted } from './deadline.js';
import { type CallProgress, withRequestEvent } from './diagnostics.js';
import type { Environment } from './environment.js';
import { attemptsNote, blockedError, deadlineError, transportError } from './errors.js';
import type { Settings } from './options.js';
import { demandedDelayMs, readRateLimit } from './rate-limit.js';
import { type Redact, redactor } from './redact.js';
import { type Call, type WireRequest, writeRequest } from './request.js';
import { type FinalResponse, readRequestId, readResponse } from './response.js';
import { type AttemptResult, createRetryBudget, isTransient, planRetry } from './retry.js';
import { createThrottle } from './throttle.js';
import { type Dispatchers, exchange } from './transport.js';

/** Sends one operation of the table and resolves with its parsed response. */
export type Send = <Name extends Operation>(name: Name, call: Call<Name>) => Promise<ResponseOf<Name>>;

/**
 * Creates the function that every operation goes through: the request is written by the operation's row (§4), sent with
 * retry, and its response read by the row's schema. Its promise rejects with `UsageError` before anything is sent, with
 * `NetworkError`, `TimeoutError`, `HttpError` or `ShapeError` after, or with the reason of the caller's own signal.
 */
export function createSend(settings: Settings, dispatchers: Dispatchers, environment: Environment): Send {
  const { retry, totalMs } = settings;
  const { origin } = settings.base;
  const { random } = environment;
  const redact = redactor(settings.apiKey);
  const throttle = createThrottle(environment);
  const budget = createRetryBudget(retry.budget);
  const limit = pLimit(settings.concurrency);

  async function attempt(
    request: WireRequest,
    deadline: Deadline,
    progress: CallProgress,
    previous: AttemptResult | undefined,
  ): Promise<AttemptResult> {
    // An entry of the limit's queue cannot be removed: one of an aborted call ends here.
    deadline.signal.throwIfAborted();
    // Less than a millisecond is left: nothing is sent any more, and the deadline's timer is due.
    if (deadline.remainingMs() < 1) await abortable(deadline.signal, () => () => {});
    const blockedMs = await throttle.acquire(deadline);
    if (blockedMs > 0) return { kind: 'blocked', blockedMs };
    progress.attempts++;
    progress.status = undefined;
    const dispatcher = previous?.kind === 'fault' ? dispatchers.fresh : dispatchers.pooled;
    try {
      const response = await exchange(dispatcher, request, settings, deadline.signal);
      const rateLimit = readRateLimit(response.headers, environment.wallMs());
      progress.status = response.status;
      throttle.release({ status: response.status, rateLimit });
      return { kind: 'response', response, rateLimit };
    } catch (thrown) {
      throttle.release();
      return { kind: 'fault', thrown };
    }
  }

  /**
   * Makes attempts until `planRetry` calls the result final. All calls share one retry budget, one throttle and one
   * concurrency limit; a call between two attempts does not count in the latter.
   */
  async function sendWithRetry(
    request: WireRequest,
    deadline: Deadline,
    progress: CallProgress,
  ): Promise<FinalResponse> {
    const { operation, row } = request;
    let result: AttemptResult | undefined;
    for (;;) {
      const previous = result;
      const blockedMs = throttle.blockedMs();
      if (blockedMs > 0 && blockedMs >= deadline.remainingMs()) result = { kind: 'blocked', blockedMs };
      else result = await unlessAborted(deadline.signal, limit(attempt, request, deadline, progress, previous));
      deadline.signal.throwIfAborted();
      if (result.kind === 'response' && !isTransient(result)) budget.refill();
      const { attempts } = progress;
      const context = {
        repeatable: row.repeatable,
        attempts,
        remainingMs: deadline.remainingMs(),
        retry,
        budget,
        random,
      };
      const plan = planRetry(result, context);
      if (typeof plan === 'object') {
        await pause(plan.waitMs, deadline.signal, environment);
        continue;
      }
      const facts = factsOf(result, attempts, redact);
      const note = attemptsNote(facts, plan === 'budget-spent');
      if (result.kind === 'response') return { response: result.response, facts, note };
      if (result.kind === 'blocked') throw blockedError(operation, facts);
      throw transportError(result.thrown, { ...settings, operation, origin, redact, facts, note });
    }
  }

  async function withinDeadline(request: WireRequest, caller: AbortSignal | undefined, progress: CallProgress) {
    caller?.throwIfAborted();
    const deadline = startDeadline(totalMs, caller, environment);
    try {
      return await sendWithRetry(request, deadline, progress);
    } catch (error) {
      if (deadline.endedBy() === 'caller') throw caller?.reason;
      if (deadline.endedBy() === 'deadline') throw deadlineError(request.operation, totalMs, progress.attempts);
      throw error;
    } finally {
      deadline.clear();
    }
  }

  return async (name, call) => {
    const request = writeRequest(name, call, settings);
    const progress: CallProgress = { attempts: 0 };
    return withRequestEvent(request, progress, environment, async () =>
      readResponse(name, await withinDeadline(request, call.options?.signal, progress), origin, redact),
    );
  };
}

/** Facts are assigned to errors, so an unknown one is absent rather than `undefined`. */
function factsOf(result: AttemptResult, attempts: number, redact: Redact): CallFacts {
  if (result.kind === 'fault') return { attempts };
  if (result.kind === 'blocked') return { attempts, retryAfterMs: result.blockedMs };
  const { status, headers } = result.response;
  const retryAfterMs = status === 200 ? undefined : demandedDelayMs(status, result.rateLimit);
  const requestId = readRequestId(headers, redact);
  return {
    attempts,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

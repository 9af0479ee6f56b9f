import pLimit from 'p-limit';
import type { Operation, ResponseOf } from '../contract/endpoints.js';
import type { CallFacts } from '../errors.js';
import { abortable, type Deadline, pause, startDeadline } from './deadline.js';
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
  const redact = redactor(settings.apiKey);
  const sendWithRetry = createSendWithRetry(settings, dispatchers, environment, redact);
  return async (name, call) => {
    const request = writeRequest(name, call, settings);
    const progress: CallProgress = { attempts: 0 };
    return withRequestEvent(request, progress, environment, async () =>
      readResponse(name, await sendWithRetry(request, call.options?.signal, progress), settings.base.origin, redact),
    );
  };
}

type SendWithRetry = (
  request: WireRequest,
  caller: AbortSignal | undefined,
  progress: CallProgress,
) => Promise<FinalResponse>;

/**
 * Makes attempts until `planRetry` says that the result is final. All calls share one retry budget, one throttle and one
 * concurrency limit. Rejects with the error of the last attempt, with `HttpError` where the throttle blocks beyond the
 * deadline, and with the reason of the caller's signal unchanged, also while waiting between attempts.
 */
function createSendWithRetry(
  settings: Settings,
  dispatchers: Dispatchers,
  environment: Environment,
  redact: Redact,
): SendWithRetry {
  const { retry, totalMs, base } = settings;
  const { random } = environment;
  const throttle = createThrottle(environment);
  const budget = createRetryBudget(retry.budget);
  const limited = createConcurrencyLimit(settings.concurrency);

  async function attempt(
    request: WireRequest,
    deadline: Deadline,
    progress: CallProgress,
    previous: AttemptResult | undefined,
  ): Promise<AttemptResult> {
    // Less than a millisecond is left: nothing is sent any more, and the deadline's timer is due.
    if (deadline.remainingMs() < 1) await abortable(deadline.signal, () => () => {});
    const blockedMs = await throttle.acquire(deadline);
    if (blockedMs > 0) return { kind: 'blocked', blockedMs };
    progress.attempts++;
    const dispatcher = previous?.kind === 'fault' ? dispatchers.fresh : dispatchers.pooled;
    try {
      const response = await exchange(dispatcher, request, settings, deadline.signal);
      const rateLimit = readRateLimit(response.headers, environment.wallMs());
      progress.status = response.status;
      throttle.release({ status: response.status, rateLimit });
      return { kind: 'response', response, rateLimit };
    } catch (thrown) {
      progress.status = undefined;
      throttle.release();
      return { kind: 'fault', thrown };
    }
  }

  function finalResponse(result: AttemptResult, request: WireRequest, facts: CallFacts, note: string): FinalResponse {
    if (result.kind === 'response') return { response: result.response, facts, note };
    const { operation } = request;
    if (result.kind === 'blocked') throw blockedError(operation, facts);
    throw transportError(result.thrown, { ...settings, operation, origin: base.origin, redact, facts, note });
  }

  return async (request, caller, progress) => {
    caller?.throwIfAborted();
    const deadline = startDeadline(totalMs, caller, environment);
    let result: AttemptResult | undefined;
    try {
      for (;;) {
        const blockedMs = throttle.blockedMs();
        result =
          blockedMs > 0 && blockedMs >= deadline.remainingMs()
            ? { kind: 'blocked', blockedMs }
            : await limited(deadline.signal, () => attempt(request, deadline, progress, result));
        deadline.signal.throwIfAborted();
        if (result.kind === 'response' && !isTransient(result)) budget.refill();
        const { repeatable } = request;
        const { attempts } = progress;
        const context = { repeatable, attempts, remainingMs: deadline.remainingMs(), retry, budget, random };
        const plan = planRetry(result, context);
        if (typeof plan === 'string') {
          const facts = factsOf(result, attempts, redact);
          return finalResponse(result, request, facts, attemptsNote(facts, plan === 'budget-spent'));
        }
        await pause(plan.waitMs, deadline.signal, environment);
      }
    } catch (error) {
      if (deadline.endedBy() === 'caller') throw caller?.reason;
      if (deadline.endedBy() === 'deadline') throw deadlineError(request.operation, totalMs, progress.attempts);
      throw error;
    } finally {
      deadline.clear();
    }
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

/** Runs `work` when fewer than the limit are running. Rejects with the signal's reason when that aborts before. */
type Limited = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

function createConcurrencyLimit(concurrency: number): Limited {
  const limit = pLimit(concurrency);
  return <T>(signal: AbortSignal, work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      // An entry of the queue cannot be removed: an aborted one returns at once when it is started.
      void limit(async () => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) return;
        await work().then(resolve, reject);
      });
    });
}

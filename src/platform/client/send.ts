import pLimit from 'p-limit';
import type { CallFacts } from '../../foundation/errors.js';
import type { Operation, ResponseOf } from '../contract/endpoints.js';
import { type Deadline, type Environment, pause, startDeadline, unlessAborted } from './deadline.js';
import { type CallProgress, withRequestEvent } from './diagnostics.js';
import { attemptsNote, blockedError, deadlineError, type Redact, redactor, transportError } from './errors.js';
import type { Settings } from './options.js';
import { readRateLimit } from './rate-limit.js';
import { type Call, type CallRequest, writeRequest } from './request.js';
import { readRequestId, readResponse } from './response.js';
import { type AttemptResult, createRetryPolicy } from './retry.js';
import { Throttle } from './throttle.js';
import { type Dispatchers, exchange } from './transport.js';

/** Sends one operation of the table and resolves with its parsed response. */
export type Send = <Name extends Operation>(name: Name, call: Call<Name>) => Promise<ResponseOf<Name>>;

/** Makes one attempt of a call, after the result of the attempt before it. */
type Attempt = (
  request: CallRequest,
  deadline: Deadline,
  progress: CallProgress,
  previous: AttemptResult | undefined,
) => Promise<AttemptResult>;

/**
 * Creates the attempts of all calls, which share one throttle and one concurrency limit. At most `concurrency` requests are in flight; a
 * call between two attempts does not count. An attempt that would stay blocked beyond its deadline ends at once, unsent. After a fault the
 * next attempt has a connection of its own. An attempt rejects only when its deadline has ended, or its caller has aborted it.
 */
function createAttempt(settings: Settings, dispatchers: Dispatchers, environment: Environment): Attempt {
  const throttle = new Throttle(settings.retry.maxWaitMs, environment);
  const limit = pLimit(settings.concurrency);

  async function attempt(
    request: CallRequest,
    deadline: Deadline,
    progress: CallProgress,
    previous: AttemptResult | undefined,
  ): Promise<AttemptResult> {
    // An entry of the limit's queue cannot be removed: one of an aborted call ends here.
    deadline.throwIfEnded();
    const blockedMs = await throttle.acquire(deadline);
    if (blockedMs > 0) return { kind: 'blocked', blockedMs };
    progress.attempts++;
    progress.status = undefined;
    const dispatcher = previous?.kind === 'fault' ? dispatchers.fresh : dispatchers.pooled;
    try {
      const response = await exchange(dispatcher, request, settings, deadline.signal);
      const rateLimit = readRateLimit(response.status, response.headers, environment.wallMs());
      progress.status = response.status;
      throttle.release({ status: response.status, rateLimit });
      return { kind: 'response', response, rateLimit };
    } catch (thrown) {
      throttle.release();
      return { kind: 'fault', thrown };
    }
  }

  return async (request, deadline, progress, previous) => {
    const blockedMs = throttle.blockedMs();
    if (blockedMs > 0 && blockedMs >= deadline.remainingMs()) return { kind: 'blocked', blockedMs };
    return unlessAborted(deadline.signal, limit(attempt, request, deadline, progress, previous));
  };
}

/**
 * Creates the function that every operation goes through: the request is written by the operation's row (§4), sent with
 * retry, and its response read by the row's schema. Its promise rejects as those of the methods of `Client` do.
 */
export function createSend(settings: Settings, dispatchers: Dispatchers, environment: Environment): Send {
  const { totalMs } = settings;
  const { origin } = settings.base;
  const redact = redactor(settings.apiKey);
  const attempt = createAttempt(settings, dispatchers, environment);
  const retries = createRetryPolicy(settings.retry, environment.random);

  /** Makes attempts until the policy calls a result final, and reads that. All calls share one retry budget. */
  async function sendWithRetry<Name extends Operation>(
    name: Name,
    request: CallRequest,
    deadline: Deadline,
    progress: CallProgress,
  ): Promise<ResponseOf<Name>> {
    const { operation, row } = request;
    let result: AttemptResult | undefined;
    for (;;) {
      result = await attempt(request, deadline, progress, result);
      deadline.signal.throwIfAborted();
      const { attempts } = progress;
      const remainingMs = deadline.remainingMs();
      const plan = retries.plan(result, { repeatable: row.repeatable, attempts, remainingMs });
      if (typeof plan === 'object') {
        await pause(plan.waitMs, deadline.signal, environment);
        continue;
      }
      const facts = factsOf(result, attempts, redact);
      if (result.kind === 'blocked') throw blockedError(operation, facts);
      const note = attemptsNote(facts, plan === 'budget-spent');
      const context = { operation, origin, limits: settings, redact, facts, note };
      if (result.kind === 'fault') throw transportError(result.thrown, context);
      const response = readResponse(name, result.response, context);
      // A large response takes a while to parse, in which no timer fires.
      deadline.throwIfEnded();
      return response;
    }
  }

  return async (name, call) => {
    const request = writeRequest(name, call, settings);
    const progress: CallProgress = { attempts: 0 };
    const caller = call.options?.signal;
    return withRequestEvent(request, progress, environment, async () => {
      caller?.throwIfAborted();
      const deadline = startDeadline(totalMs, caller, environment);
      try {
        return await sendWithRetry(name, request, deadline, progress);
      } catch (error) {
        if (deadline.endedBy() === 'caller') throw caller?.reason;
        if (deadline.endedBy() === 'deadline') throw deadlineError(request.operation, totalMs, progress.attempts);
        throw error;
      } finally {
        deadline.clear();
      }
    });
  };
}

function factsOf(result: AttemptResult, attempts: number, redact: Redact): CallFacts {
  if (result.kind === 'fault') return { attempts };
  if (result.kind === 'blocked') return { attempts, retryAfterMs: result.blockedMs };
  const { status, headers } = result.response;
  const retryAfterMs = status === 200 ? undefined : result.rateLimit.demandedMs;
  return { attempts, retryAfterMs, requestId: readRequestId(headers, redact) };
}

import type { Dispatcher } from 'undici';
import { type CallFacts, HttpError, ShapeError, type SluiceError, TimeoutError } from '../errors.js';
import { type Ending, isTransient, planAfter } from './attempts.js';
import type { Settings } from './client-options.js';
import { type Deadline, startDeadline } from './deadline.js';
import { type Answer, exchange, type WireRequest } from './exchange.js';
import { faultOf } from './fault.js';
import { askedMs, readPacing } from './pacing.js';
import { interruptible, pause } from './pause.js';
import { createRateGate } from './rate-gate.js';
import type { Redact } from './redact.js';
import { readRequestId } from './request-id.js';
import { createRetryBudget } from './retry-budget.js';
import type { Surroundings } from './surroundings.js';
import { createTurns } from './turns.js';

/** Where requests go. The same one twice where a dispatcher was injected. */
export interface Dispatchers {
  /** Keeps connections. */
  readonly pooled: Dispatcher;
  /** Opens a connection for each request: after a fault, the next kept one may be just as dead. */
  readonly fresh: Dispatcher;
}

/** What is known of a call while it runs, for whoever watches it. */
export interface Trail {
  attempts: number;
  status?: number | undefined;
}

/** The last answer of a call, with what an error about it should say. */
export interface Settled {
  readonly answer: Answer;
  readonly facts: CallFacts;
  /** How the attempts ended, for people; empty, or starts with a blank or a comma. */
  readonly note: string;
}

/** Sends a request until it has an answer that stays, and keeps `trail` up to date. */
export type Settle = (request: WireRequest, caller: AbortSignal | undefined, trail: Trail) => Promise<Settled>;

/**
 * Makes attempts at requests, all under one budget, one gate and one count of turns. Rejects with `NetworkError`,
 * `TimeoutError` or `ShapeError` of the last attempt, with `HttpError` where the gate stays shut, and with the reason of
 * the caller's signal untouched, also while it waits between attempts.
 */
export function createSettle(
  settings: Settings,
  dispatchers: Dispatchers,
  surroundings: Surroundings,
  redact: Redact,
): Settle {
  const { retry, totalMs, base } = settings;
  const gate = createRateGate(surroundings);
  const budget = createRetryBudget(retry.budget);
  const inTurn = createTurns(settings.concurrency);

  async function attempt(request: WireRequest, deadline: Deadline, trail: Trail, to: Dispatcher): Promise<Ending> {
    // No time to be answered in: the deadline's own timer is about to say so, a turn too late to keep this one back.
    if (deadline.remainingMs() < 1) await interruptible(deadline.signal, () => () => {});
    const heldMs = await gate.enter(deadline);
    if (heldMs > 0) return { kind: 'held', heldMs };
    trail.attempts++;
    let ending: Ending | undefined;
    try {
      const answer = await exchange(to, request, settings, deadline.signal);
      trail.status = answer.status;
      ending = { kind: 'answer', answer, pacing: readPacing(answer.headers, surroundings.wallMs()) };
    } catch (thrown) {
      trail.status = undefined;
      ending = { kind: 'fault', thrown };
    }
    gate.left(ending.kind === 'answer' ? { status: ending.answer.status, pacing: ending.pacing } : undefined);
    return ending;
  }

  /** What is not known is left out, since facts are laid over errors. */
  function factsOf(ending: Ending, { attempts }: Trail): CallFacts {
    if (ending.kind === 'fault') return { attempts };
    if (ending.kind === 'held') return { attempts, retryAfterMs: ending.heldMs };
    const { answer, pacing } = ending;
    const retryAfterMs = answer.status === 200 ? undefined : askedMs(answer.status, pacing);
    const requestId = readRequestId(answer.headers, redact);
    return {
      attempts,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(requestId === undefined ? {} : { requestId }),
    };
  }

  function settled(request: WireRequest, ending: Ending, facts: CallFacts, spent: boolean): Settled {
    const note = noteOf(facts, spent);
    if (ending.kind === 'answer') return { answer: ending.answer, facts, note };
    if (ending.kind === 'held') throw heldBack(request, facts);
    if (ending.thrown instanceof ShapeError) throw Object.assign(ending.thrown, facts);
    throw faultOf(ending.thrown, {
      ...settings,
      operation: request.operation,
      origin: base.origin,
      redact,
      facts,
      note,
    });
  }

  return async (request, caller, trail) => {
    caller?.throwIfAborted();
    const deadline = startDeadline(totalMs, caller, surroundings);
    let last: Ending | undefined;
    try {
      for (;;) {
        const to = last?.kind === 'fault' ? dispatchers.fresh : dispatchers.pooled;
        const heldMs = gate.heldMs();
        last =
          heldMs >= deadline.remainingMs() && heldMs > 0
            ? { kind: 'held', heldMs }
            : await inTurn(deadline.signal, () => attempt(request, deadline, trail, to));
        deadline.signal.throwIfAborted();
        if (last.kind === 'answer' && !isTransient(last)) budget.refill();
        const { attempts } = trail;
        const context = { attempts, remainingMs: deadline.remainingMs(), retry, budget, random: surroundings.random };
        const plan = planAfter(last, { ...context, repeatable: request.repeatable });
        if (plan.waitMs === undefined) return settled(request, last, factsOf(last, trail), plan.spent);
        await pause(plan.waitMs, deadline.signal, surroundings);
      }
    } catch (error) {
      if (deadline.endedBy() === 'caller') throw caller?.reason;
      if (deadline.endedBy() === 'deadline') throw outOfTime(request, totalMs, trail);
      throw error;
    } finally {
      deadline.clear();
    }
  };
}

function noteOf({ attempts = 0, retryAfterMs }: CallFacts, spent: boolean): string {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const budget = spent ? ', not tried again since the retry budget of the client is spent' : '';
  return `${tries}${budget}${retryAfterMs === undefined ? '' : `, come back in ${seconds(retryAfterMs)}`}`;
}

function heldBack({ operation }: WireRequest, facts: CallFacts): SluiceError {
  const until = seconds(facts.retryAfterMs ?? 0);
  const message = `${operation} was not sent: the platform asked for no more requests, come back in ${until}`;
  return new HttpError(operation, message, { ...facts, status: 429 });
}

function outOfTime({ operation }: WireRequest, totalMs: number, { attempts }: Trail): TimeoutError {
  const tries = attempts > 1 ? ` (${attempts} attempts)` : '';
  const note = attempts === 0 ? ', nor was it sent: raise `concurrency`, or ask for less at a time' : tries;
  return new TimeoutError(operation, totalMs, { attempts, note });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

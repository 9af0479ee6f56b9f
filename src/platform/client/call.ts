/**
 * A call of one operation: attempts over one pool of connections, each response read whole before
 * it is parsed, and one deadline over all. No redirect is followed, since the key would be sent
 * along.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import { Agent, type Dispatcher } from 'undici';
import { type Deadline, pause, startDeadline, unlessAborted } from '../../foundation/deadline.js';
import { HttpError, isTransientStatus, TimeoutError } from '../../foundation/errors.js';
import type { Operation, ResponseOf } from '../contract/endpoints.js';
import {
  type Answer,
  type ErrorContext,
  errorCode,
  type Limits,
  readResponse,
  redactor,
  retryAfterMs,
  transportError,
} from './answer.js';
import type { Settings } from './options.js';
import { type Call, type CallRequest, type WireRequest, writeRequest } from './request.js';

/** Sends one operation of the table and resolves with its parsed response. */
export type Send = <Name extends Operation>(name: Name, call: Call<Name>) => Promise<ResponseOf<Name>>;

/** The connections that a client sends over. */
interface Pool {
  readonly dispatcher: Dispatcher;
  readonly close: () => Promise<void>;
}

/** Opens a pool of connections, or uses the injected dispatcher, which `close` leaves open. */
export function openPool(injected: Dispatcher | undefined, connectMs: number): Pool {
  if (injected !== undefined) return { dispatcher: injected, close: async () => {} };
  const agent = new Agent({ connect: { timeout: connectMs } });
  // `destroy`, since `close` would wait for a connection that an ended call had requested.
  return { dispatcher: agent, close: () => agent.destroy() };
}

/** The most bytes that are read of a failure, of which only the error code is used. */
const maxFailureBytes = 64 * 1024;

/**
 * Sends one request and reads the whole response. Rejects with whatever the dispatcher rejects
 * with.
 */
export async function exchange(
  dispatcher: Dispatcher,
  { method, origin, path, headers, body }: WireRequest,
  { headersMs: headersTimeout, bodyMs: bodyTimeout, maxResponseBytes }: Limits,
  signal: AbortSignal,
): Promise<Answer> {
  const options = { method, origin, path, headers, body, headersTimeout, bodyTimeout, signal };
  const sent = dispatcher.request(options);
  // Measured: undici settles an aborted request only when its connection opens or fails.
  const response = await unlessAborted(signal, sent).catch((error: unknown) => {
    sent.then(
      ({ body: unread }) => unread.on('error', () => {}).destroy(),
      () => {},
    );
    throw error;
  });
  const { statusCode: status } = response;
  const most = status === 200 ? maxResponseBytes : Math.min(maxFailureBytes, maxResponseBytes);
  // A body that is left before its end emits an error, which would end the process without a
  // listener.
  response.body.on('error', () => {});
  try {
    return { status, headers: response.headers, body: await readUpTo(most, response) };
  } catch (error) {
    if (status === 200 || signal.aborted) throw error;
    return { status, headers: response.headers, body: undefined };
  } finally {
    response.body.destroy();
  }
}

async function readUpTo(most: number, { headers, body }: Dispatcher.ResponseData): Promise<Uint8Array | undefined> {
  if (Number(headers['content-length']) > most) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** A call while it runs. */
interface Running {
  readonly request: CallRequest;
  readonly deadline: Deadline;
  /** The number of times that the request was sent. */
  attempts: number;
}

/**
 * Number of answers after which one more request may be in flight, once a 429 has reduced the
 * number to one.
 */
const answersForOneMore = 40;

/**
 * Sends the calls of a client. They share the connections, the limit of concurrency, one budget of
 * retries, and the pause that a `Retry-After` demands.
 */
export class Calls {
  readonly close: () => Promise<void>;
  readonly #settings: Settings;
  readonly #dispatcher: Dispatcher;
  readonly #limit: LimitFunction;
  readonly #budget: Budget;
  readonly #known: Omit<ErrorContext, 'operation'>;
  #pausedUntil = 0;
  /** Number of answers since the last 429. */
  #answers = 0;

  constructor(settings: Settings, injected: Dispatcher | undefined) {
    this.#settings = settings;
    const { dispatcher, close } = openPool(injected, settings.connectMs);
    [this.#dispatcher, this.close] = [dispatcher, close];
    this.#limit = pLimit(settings.concurrency);
    this.#budget = createBudget(settings.retry);
    this.#known = { origin: settings.base.origin, limits: settings, redact: redactor(settings.apiKey) };
  }

  readonly send: Send = async (name, call) => {
    const request = writeRequest(name, call, this.#settings);
    const { operation } = request;
    const { totalMs } = this.#settings;
    const caller = call.options?.signal;
    caller?.throwIfAborted();
    const deadline = startDeadline(totalMs, caller);
    const running: Running = { request, deadline, attempts: 0 };
    try {
      const { answer, note } = await this.#lastAnswer(running);
      const response = readResponse(name, answer, { ...this.#known, operation }, running.attempts, note);
      // A large response takes a while to parse, in which no timer fires.
      deadline.throwIfEnded();
      return response;
    } catch (error) {
      if (deadline.endedBy() === 'caller') throw caller?.reason;
      if (deadline.endedBy() !== 'deadline') throw error;
      const { attempts } = running;
      const tries = attempts > 1 ? ` (${attempts} attempts)` : '';
      const note = attempts === 0 ? ', nor was it sent: too many calls were waiting' : tries;
      throw new TimeoutError(operation, totalMs, { attempts, note });
    } finally {
      deadline.clear();
    }
  };

  /**
   * Makes attempts until a further one would not help, is not allowed, or could not end in time.
   */
  async #lastAnswer(call: Running): Promise<{ readonly answer: Answer; readonly note: string }> {
    const { request, deadline } = call;
    const { retry } = this.#settings;
    for (;;) {
      this.#pausedMs(call);
      const turn = this.#limit(() => this.#attempt(call));
      const ending = await unlessAborted(deadline.signal, turn).catch((thrown: unknown) => ({ thrown }));
      deadline.signal.throwIfAborted();
      const answer = 'thrown' in ending ? undefined : ending;
      const isTransient =
        'thrown' in ending ? transientCodes.has(errorCode(ending.thrown)) : isTransientStatus(ending.status);
      if (!isTransient && answer !== undefined) this.#budget.earn();
      const demandedMs = answer && retryAfterMs(answer.headers);
      const waitMs = Math.min(demandedMs ?? 0, retry.maxWaitMs);
      const leftMs = deadline.remainingMs() - waitMs;
      const isWanted = isTransient && request.row.repeatable && call.attempts < retry.attempts && leftMs > 0;
      if (isWanted && this.#budget.spend()) {
        // Full jitter: clients that failed together do not return together.
        const backoffMs = Math.random() * Math.min(retry.capMs, retry.baseMs * 2 ** (call.attempts - 1));
        await pause(waitMs + Math.min(backoffMs, leftMs / 2), deadline.signal);
        continue;
      }
      const note = noteOf(call.attempts, isWanted, demandedMs);
      if (answer !== undefined) return { answer, note };
      const { thrown } = ending as { readonly thrown: unknown };
      throw transportError(thrown, { ...this.#known, operation: request.operation }, call.attempts, note);
    }
  }

  async #attempt(call: Running): Promise<Answer> {
    const { request, deadline } = call;
    const { retry } = this.#settings;
    // A call that ended while it waited for its turn is not sent.
    deadline.throwIfEnded();
    for (let ms = this.#pausedMs(call); ms > 0; ms = this.#pausedMs(call)) await pause(ms, deadline.signal);
    call.attempts++;
    const answer = await exchange(this.#dispatcher, request, this.#settings, deadline.signal);
    const demandedMs = (isTransientStatus(answer.status) && retryAfterMs(answer.headers)) || 0;
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + Math.min(demandedMs, retry.maxWaitMs));
    // A 429 is met by all requests in flight, and each of them costs a retry.
    if (answer.status === 429) [this.#limit.concurrency, this.#answers] = [1, 0];
    else if (++this.#answers % answersForOneMore === 0 && this.#limit.concurrency < this.#settings.concurrency)
      this.#limit.concurrency++;
    return answer;
  }

  /** Returns the milliseconds until a request may be sent. Throws if that is after the deadline. */
  #pausedMs({ request: { operation }, deadline, attempts }: Running): number {
    const ms = this.#pausedUntil - performance.now();
    if (ms <= 0 || ms < deadline.remainingMs()) return ms;
    const fact = 'was not sent: the platform takes no more requests for now, try again in';
    const failure = { status: 429, attempts, retryAfterMs: ms };
    throw new HttpError(operation, `${operation} ${fact} ${seconds(ms)}`, failure);
  }
}

type Budget = ReturnType<typeof createBudget>;

/**
 * The budget of retries of a client: a token bucket that starts full. Only final responses refill
 * it, so against a dead platform N calls become at most N + `budget` requests, and against one that
 * fails half of the time the retries stay under `budgetRatio` of the calls once the bucket is
 * empty.
 */
function createBudget({ budget, budgetRatio }: Settings['retry']) {
  // Counted in thousandths, since ten times 0.1 is not 1.
  let left = budget * 1000;
  return {
    earn: () => {
      left = Math.min(budget * 1000, left + Math.round(budgetRatio * 1000));
    },
    /** Takes one retry; false if none is left. */
    spend: () => {
      if (left < 1000) return false;
      left -= 1000;
      return true;
    },
  };
}

/**
 * Faults of a connection that failed or broke off, and the time-outs of the dispatcher. All others,
 * such as a wrong certificate or invalid HTTP, would come again.
 */
const transientCodes: ReadonlySet<string> = new Set(
  (
    'ECONNRESET ECONNREFUSED ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET ' +
    'ENOTFOUND EAI_AGAIN UND_ERR_SOCKET UND_ERR_RES_CONTENT_LENGTH_MISMATCH UND_ERR_CONNECT_TIMEOUT ' +
    'UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT'
  ).split(' '),
);

/** Tells how the attempts of a call ended, as the end of a message. */
function noteOf(attempts: number, isBudgetSpent: boolean, demandedMs: number | undefined): string {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const budget = isBudgetSpent ? ', not tried again since the retry budget of the client is spent' : '';
  return `${tries}${budget}${demandedMs === undefined ? '' : `, try again in ${seconds(demandedMs)}`}`;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

/**
 * The error classes thrown at the edges. Everything about rules is a value (`Issue`), not an error.
 * Each has a stable `code`; none carries an api key or the text of a message.
 */

/** Base of every error that Sluice throws on purpose. `code` is stable; `message` is for people. */
export class SluiceError extends Error {
  /** A literal in every class, as in those below: a bundler that minifies renames classes. */
  override readonly name: string = 'SluiceError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Misuse by the caller, found before anything was sent or evaluated. */
export class UsageError extends SluiceError {
  override readonly name: string = 'UsageError';
  constructor(message: string, options?: ErrorOptions) {
    super('usage', message, options);
  }
}

/** Facts of the call that failed. */
export interface CallFacts {
  /** How often the request was sent, 0 when it never was. Retries are over when an error is thrown. */
  readonly attempts?: number | undefined;
  /** Id of the response, from the header `x-request-id` or `request-id`, to be quoted to the platform's support. */
  readonly requestId?: string | undefined;
  /** The delay before the next request that the response states, in milliseconds; a client believes it up to `retry.maxWaitMs`. */
  readonly retryAfterMs?: number | undefined;
}

/** Options of the errors of a call. */
export interface CallErrorOptions extends ErrorOptions, CallFacts {}

abstract class CallError extends SluiceError implements CallFacts {
  /** Method and path template of the operation, such as `GET /users/{uid}`. */
  readonly operation: string;
  readonly attempts: number;
  // Declared only, so that they are own properties of no error that lacks them.
  declare readonly requestId?: string | undefined;
  declare readonly retryAfterMs?: number | undefined;

  constructor(code: string, operation: string, message: string, options: CallErrorOptions = {}) {
    super(code, message, options);
    this.operation = operation;
    this.attempts = options.attempts ?? 1;
    if (options.requestId !== undefined) this.requestId = options.requestId;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** No complete response arrived: connection refused or reset, host unresolvable, or body cut off. */
export class NetworkError extends CallError {
  override readonly name: string = 'NetworkError';
  constructor(operation: string, message: string, options?: CallErrorOptions) {
    super('network', operation, message, options);
  }
}

/** The deadline that passed: that of the whole call (`total`), or of a phase of one attempt. */
export type TimeoutPhase = 'total' | 'connect' | 'headers' | 'body';

const phaseWords: Readonly<Record<TimeoutPhase, string>> = {
  total: 'did not finish',
  connect: 'did not connect',
  headers: 'got no answer',
  body: 'got no further part of its answer',
};

/** A deadline passed before the response was complete. */
export class TimeoutError extends CallError {
  override readonly name: string = 'TimeoutError';
  readonly phase: TimeoutPhase;
  /** The deadline that passed, in milliseconds. */
  readonly afterMs: number;

  constructor(
    operation: string,
    afterMs: number,
    options: CallErrorOptions & { readonly phase?: TimeoutPhase; readonly note?: string } = {},
  ) {
    const { phase = 'total', note = '' } = options;
    super('timeout', operation, `${operation} ${phaseWords[phase]} within ${afterMs} ms${note}`, options);
    this.phase = phase;
    this.afterMs = afterMs;
  }
}

/** Facts of a response with a status other than 200. */
export interface HttpFailure extends CallFacts {
  readonly status: number;
  /** The platform's own error code, such as `ERR_UID_NOT_FOUND`, when the body carried one. */
  readonly platformCode?: string | undefined;
  /** The platform's validation details by field, when the body carried them. */
  readonly details?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * The response has a status other than 200 (§7: only 200 is specified). Status 429 with `attempts` 0: an earlier response
 * forbids requests until after the deadline of this call, so it was not sent.
 */
export class HttpError extends CallError implements HttpFailure {
  override readonly name: string = 'HttpError';
  readonly status: number;
  readonly platformCode?: string | undefined;
  readonly details?: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(operation: string, message: string, failure: HttpFailure, options?: ErrorOptions) {
    super('http', operation, message, { ...options, ...failure });
    this.status = failure.status;
    this.platformCode = failure.platformCode;
    this.details = failure.details;
  }
}

/** Whether another request may be answered otherwise than by this status. 501 is permanent: the platform lacks the operation. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status <= 599 && status !== 501);
}

/** A response or a file whose shape is not the one of the interface document (§2). */
export class ShapeError extends SluiceError implements CallFacts {
  override readonly name: string = 'ShapeError';
  /** Where the value came from: an operation, or a file with its line. */
  readonly source: string;
  /** Path of the offending field, such as `data[3].conditions[0].value`. */
  readonly path: string;
  /** Set for responses only; a file has none. */
  declare readonly attempts?: number | undefined;
  declare readonly requestId?: string | undefined;

  constructor(source: string, path: string, expected: string, options: CallErrorOptions = {}) {
    super('shape', `${source}: \`${path}\` ${expected}`, options);
    this.source = source;
    this.path = path;
    if (options.attempts !== undefined) this.attempts = options.attempts;
    if (options.requestId !== undefined) this.requestId = options.requestId;
  }
}

/**
 * A rule set that cannot be used: not a rule set at all, or with broken parts under `broken: 'fail'` (`rule-set`), cut off
 * (`truncated`), without a list that it had (`list-unreachable`), or too old to decide with (`stale`).
 */
export class RuleSetError extends SluiceError {
  override readonly name: string = 'RuleSetError';
  constructor(message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(options.code ?? 'rule-set', message, options);
  }
}

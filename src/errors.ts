/**
 * The error classes thrown at the edges. Everything about rules is a value (`Issue`), not an error.
 * Each has a stable `code`; none carries an api key or the text of a message.
 */

/** Base of every error that Sluice throws on purpose. `code` is stable; `message` is for people. */
export class SluiceError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The caller did something that cannot work, found before anything was sent or judged. */
export class UsageError extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('usage', message, options);
  }
}

/** No answer came: refused, reset, unresolvable, or cut off in the middle of a body. */
export class NetworkError extends SluiceError {
  /** Method and path template of the operation, such as `GET /users/{uid}`. */
  readonly operation: string;

  constructor(operation: string, message: string, options?: ErrorOptions) {
    super('network', message, options);
    this.operation = operation;
  }
}

/** The deadline of a call passed before the whole answer had come. */
export class TimeoutError extends SluiceError {
  readonly operation: string;
  /** The deadline that passed, in milliseconds. */
  readonly afterMs: number;

  constructor(operation: string, afterMs: number, options?: ErrorOptions) {
    super('timeout', `${operation} did not finish within ${afterMs} ms`, options);
    this.operation = operation;
    this.afterMs = afterMs;
  }
}

/** What an `HttpError` knows of an answer. */
export interface HttpFailure {
  readonly status: number;
  /** The platform's own error code, such as `ERR_UID_NOT_FOUND`, when the body carried one. */
  readonly platformCode?: string | undefined;
  /** The platform's validation details by field, when the body carried them. */
  readonly details?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The platform answered with a status other than 200 (§7: only 200 is specified). */
export class HttpError extends SluiceError implements HttpFailure {
  readonly operation: string;
  readonly status: number;
  readonly platformCode?: string | undefined;
  readonly details?: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(operation: string, message: string, failure: HttpFailure, options?: ErrorOptions) {
    super('http', message, options);
    this.operation = operation;
    this.status = failure.status;
    this.platformCode = failure.platformCode;
    this.details = failure.details;
  }
}

/** An answer or a file whose shape is not the one that the interface document gives (§2). */
export class ShapeError extends SluiceError {
  /** Where the value came from: an operation, or a file with its line. */
  readonly source: string;
  /** Path of the offending field, such as `data[3].conditions[0].value`. */
  readonly path: string;

  constructor(source: string, path: string, expected: string, options?: ErrorOptions) {
    super('shape', `${source}: \`${path}\` ${expected}`, options);
    this.source = source;
    this.path = path;
  }
}

/** A rule set that cannot make an engine: not a rule set at all, or broken parts under `broken: 'fail'`. */
export class RuleSetError extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('rule-set', message, options);
  }
}

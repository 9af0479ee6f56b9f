/**
 * The error classes thrown at the edges. Everything about rules is a value (`Issue`), not an error.
 * Each has a stable `code`; none carries an api key or the text of a message.
 */

/** What the end of a message advises, in words of the library; empty where it has nothing to add to the fact. */
const adviceWords = {
  'acting-user': ": pass that user's uid as `onBehalfOf`",
  'allow-empty': '; check that it is the right one',
  'allow-http': ': use https, or set `allowHttp: true`',
  /** Nobody answers at the address. */
  'check-address': '',
  'check-base-url': ': check `baseUrl`',
  /** What answers at the address is no platform, or another path of it. */
  'check-path': '',
  'key-apart': ': leave them out and pass the key as `apiKey`',
  'larger-responses': ', see `maxResponseBytes`',
  /** Columns that are not where they are looked for. */
  'map-columns': '',
  /** NDJSON, where a first line makes it probable that the file is something else. */
  'line-values': '; each line of the file has a value of its own (NDJSON)',
  'make-room': '; make room, and start it again: it goes on from what is kept',
  'move-away': '; move it away, and start it again: it goes on from what is kept',
  'raise-concurrency': ': raise `concurrency`, or ask for less at a time',
  'replace-results': '; choose another directory, or begin anew',
  'serve-as-data': '; move that file away, serve it with `data`, or choose another directory',
  'start-anew': '; choose another directory, or begin anew',
} as const;

/** Which advice ends a message. Who knows another way than the options of the library, such as a command line, words it anew. */
export type AdviceCode = keyof typeof adviceWords;

/** A value that was kept, and is another one now; `undefined` where there is none. */
export interface Difference {
  readonly name: string;
  readonly was: string | number | boolean | undefined;
  readonly is: string | number | boolean | undefined;
}

/** A message in parts, so that nobody has to read them out of its words. */
export interface MessageParts {
  /** Where the value stands that the message is about, such as a file with its line; the message begins with it. */
  readonly source?: string | undefined;
  /** The option of the library that the message is about, and begins with. */
  readonly option?: string | undefined;
  /** The fact, in words that hold wherever the option came from. */
  readonly fact: string;
  /** What differs, where the fact is that something does. */
  readonly differences?: readonly Difference[] | undefined;
  readonly advice?: AdviceCode | undefined;
}

/** The words of what a message is put together from. */
export interface MessageWords {
  option(name: string): string;
  difference(difference: Difference): string;
  advice(code: AdviceCode): string;
}

const libraryWords: MessageWords = {
  option: (name) => `\`${name}\``,
  difference: ({ name, was, is }) => `\`${name}\` was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`,
  advice: (code) => adviceWords[code],
};

/** A message from its parts, in words of the library where no others are given. */
export function joinMessage(parts: MessageParts, words = libraryWords): string {
  const { source, option, fact, differences = [], advice } = parts;
  const begin = `${source === undefined ? '' : `${source}: `}${option === undefined ? '' : `${words.option(option)} `}`;
  const listed = differences.length === 0 ? '' : `: ${differences.map(words.difference).join('; ')}`;
  return `${begin}${fact}${listed}${advice === undefined ? '' : words.advice(advice)}`;
}

/** Base of every error that Sluice throws on purpose. `code` is stable; `message` is for people. */
export class SluiceError extends Error {
  /** A literal in every class, as in those below: a bundler that minifies renames classes. */
  override readonly name: string = 'SluiceError';
  readonly code: string;
  /** The parts of the message, where it has more than a fact; declared only, as the facts of a call are. */
  declare readonly parts?: MessageParts | undefined;

  constructor(code: string, message: string | MessageParts, options?: ErrorOptions) {
    super(typeof message === 'string' ? message : joinMessage(message), options);
    this.code = code;
    if (typeof message !== 'string') this.parts = message;
  }
}

/** Adds words to the fact of an error that was made just now, and of which nobody else has hold. */
export function addToFact<Failure extends SluiceError>(error: Failure, words: string): Failure {
  const { message: before, parts: old } = error;
  const parts = old && { ...old, fact: old.fact + words };
  const message = parts === undefined ? before + words : joinMessage(parts);
  const stack = error.stack?.replace(before, () => message);
  return Object.assign(error, { message, stack, ...(parts && { parts }) });
}

/** Misuse by the caller, found before anything was sent or evaluated. */
export class UsageError extends SluiceError {
  override readonly name: string = 'UsageError';
  constructor(message: string | MessageParts, options?: ErrorOptions) {
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

  constructor(code: string, operation: string, message: string | MessageParts, options: CallErrorOptions = {}) {
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
  constructor(operation: string, message: string | MessageParts, options?: CallErrorOptions) {
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
    options: CallErrorOptions & {
      readonly phase?: TimeoutPhase;
      readonly note?: string;
      readonly advice?: AdviceCode;
    } = {},
  ) {
    const { phase = 'total', note = '', advice } = options;
    const fact = `${operation} ${phaseWords[phase]} within ${afterMs} ms${note}`;
    super('timeout', operation, advice === undefined ? fact : { fact, advice }, options);
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

  constructor(operation: string, message: string | MessageParts, failure: HttpFailure, options?: ErrorOptions) {
    super('http', operation, message, { ...options, ...failure });
    this.status = failure.status;
    this.platformCode = failure.platformCode;
    this.details = failure.details;
  }
}

/**
 * Whether another request may be answered otherwise than by this status. 501 is permanent: the platform lacks the operation. The retries of
 * the client rest on it, and by `isRefusal` all that decides what a failed call means.
 */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status <= 599 && status !== 501);
}

/**
 * Whether an error is the answer of a platform that another request would get again, however often the client repeated it: to a keyword
 * list that is refused, or to a query that the platform does not know.
 */
export function isRefusal(error: unknown): error is HttpError {
  return error instanceof HttpError && !isTransientStatus(error.status);
}

/** A response or a file whose shape is not the one of the interface document (§2). */
export class ShapeError extends SluiceError implements CallFacts {
  override readonly name: string = 'ShapeError';
  /** Where the value came from: an operation, or a file with its line. */
  readonly source: string;
  /** Path of the offending field, such as `data[3].conditions[0].value`. */
  readonly path: string;
  /** What the field has to be, or what is wrong with it, as the end of the message. */
  readonly expected: string;
  /** Set for responses only; a file has none. */
  declare readonly attempts?: number | undefined;
  declare readonly requestId?: string | undefined;

  constructor(
    source: string,
    path: string,
    expected: string,
    options: CallErrorOptions & { readonly advice?: AdviceCode | undefined } = {},
  ) {
    const { advice } = options;
    super('shape', { source, fact: `\`${path}\` ${expected}`, ...(advice && { advice }) }, options);
    this.source = source;
    this.path = path;
    this.expected = expected;
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

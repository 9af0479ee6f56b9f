/**
 * The error classes thrown at the edges. Problems of rules are values (`Issue`), not errors. Each
 * error has a stable `code`, and contains neither an api key nor the text of a message.
 */

/** The advice at the end of messages that name an option, in the wording of the library. */
const adviceWords = {
  'acting-user': ": pass that user's uid as `onBehalfOf`",
  'allow-http': ': use https, or set `allowHttp: true`',
  'check-base-url': ': check `baseUrl`',
  'key-apart': ': leave them out and pass the key as `apiKey`',
  'replace-results': '; choose another directory, or start over',
} as const;

/** The advice at the end of a message. The command line has another wording of it. */
export type AdviceCode = keyof typeof adviceWords;

/** A kept value that has changed; it is `undefined` if it is absent. */
export interface Difference {
  readonly name: string;
  readonly was: string | number | boolean | undefined;
  readonly is: string | number | boolean | undefined;
}

/** A message in parts, for callers that need only some of them. */
interface MessageParts {
  /**
   * The origin of the value that the message is about, such as a file with its line; the message
   * begins with it.
   */
  readonly source?: string | undefined;
  /** The option of the library that the message is about and begins with. */
  readonly option?: string | undefined;
  /** The fact, in a wording that suits options of the library and of the command line. */
  readonly fact: string;
  /** The differences, if the fact is that values differ. */
  readonly differences?: readonly Difference[] | undefined;
  /**
   * Advice after the fact that does not name an option. Messages are counted by their facts,
   * whatever the advice.
   */
  readonly hint?: string | undefined;
  readonly advice?: AdviceCode | undefined;
}

/** The wordings from which messages are built. */
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

/** Joins a message from its parts, in the wording of the library unless another is given. */
export function joinMessage(message: MessageParts, wording = libraryWords): string {
  const { source, option, fact, differences = [], hint = '', advice } = message;
  const begin = `${source === undefined ? '' : `${source}: `}${option === undefined ? '' : `${wording.option(option)} `}`;
  const listed = differences.length === 0 ? '' : `: ${differences.map(wording.difference).join('; ')}`;
  return `${begin}${fact}${listed}${hint}${advice === undefined ? '' : wording.advice(advice)}`;
}

/** Base of every error that Sluice throws on purpose. `code` is stable; `message` is for people. */
export class SluiceError extends Error {
  /** The name is a literal in every class, since bundlers that minify rename classes. */
  override readonly name: string = 'SluiceError';
  readonly code: string;
  /** The parts of a message that has more than a fact. */
  declare readonly parts?: MessageParts | undefined;

  constructor(code: string, message: string | MessageParts, options?: ErrorOptions) {
    super(typeof message === 'string' ? message : joinMessage(message), options);
    this.code = code;
    if (typeof message !== 'string') this.parts = message;
  }
}

/** Adds text to the fact of an error that was just made and is not shared yet. */
export function addToFact<Failure extends SluiceError>(error: Failure, text: string): Failure {
  const { message: before, parts: old } = error;
  const parts = old && { ...old, fact: old.fact + text };
  const message = parts === undefined ? before + text : joinMessage(parts);
  const stack = error.stack?.replace(before, () => message);
  return Object.assign(error, { message, stack, ...(parts && { parts }) });
}

/** Misuse by the caller, noticed before anything was sent or evaluated. */
export class UsageError extends SluiceError {
  override readonly name: string = 'UsageError';
  constructor(message: string | MessageParts, options?: ErrorOptions) {
    super('usage', message, options);
  }
}

/** Facts about a failed call. */
export interface CallFacts {
  /** The number of times that the request was sent. When an error is thrown, no retry follows. */
  readonly attempts?: number | undefined;
  /**
   * The id of the response, from the header `x-request-id` or `request-id`, for the support of the
   * platform.
   */
  readonly requestId?: string | undefined;
  /**
   * The delay before the next request that the response states, in milliseconds; a client obeys it
   * up to `retry.maxWaitMs`.
   */
  readonly retryAfterMs?: number | undefined;
}

/** Options of the errors of a call. */
export interface CallErrorOptions extends ErrorOptions, CallFacts {}

abstract class CallError extends SluiceError implements CallFacts {
  /** Method and path template of the operation, such as `GET /users/{uid}`. */
  readonly operation: string;
  readonly attempts: number;
  // These are only declared, so that errors which lack them do not have such properties.
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

/**
 * No complete response arrived: connection refused or reset, host unresolvable, or body cut off.
 */
export class NetworkError extends CallError {
  override readonly name: string = 'NetworkError';
  constructor(operation: string, message: string | MessageParts, options?: CallErrorOptions) {
    super('network', operation, message, options);
  }
}

/** The deadline that passed: of the whole call (`total`), or of a phase of one attempt. */
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
    } = {},
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
  /** The platform's own error code, such as `ERR_UID_NOT_FOUND`, if the body has one. */
  readonly platformCode?: string | undefined;
  /** The platform's validation details by field, if the body has them. */
  readonly details?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * A response with a status other than 200 (§7: only 200 is specified). Status 429 with `attempts`
 * 0: the request was not sent, since an earlier response forbids requests until after the deadline
 * of this call.
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
 * Reports whether a repeated request may get another status. 501 is permanent: the platform lacks
 * the operation. The client's retries use it, and through `isRefusal` everything that interprets a
 * failed call.
 */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status <= 599 && status !== 501);
}

/**
 * Reports whether an error is an answer that the same request would get again, such as the refusal
 * of a keyword list, or of a query that the platform does not know.
 */
export function isRefusal(error: unknown): error is HttpError {
  return error instanceof HttpError && !isTransientStatus(error.status);
}

/**
 * Reports whether a code of the system, such as `ECONNREFUSED`, says that nothing answers at an
 * address.
 */
export function isUnreachable(code: string | undefined): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code ?? '');
}

/** A response or a file with another shape than the interface document has (§2). */
export class ShapeError extends SluiceError implements CallFacts {
  override readonly name: string = 'ShapeError';
  /** The origin of the value: an operation, or a file with its line. */
  readonly source: string;
  /** The path of the offending field, such as `data[3].conditions[0].value`. */
  readonly path: string;
  /** The end of the message: the expected value of the field, or its problem. */
  readonly expected: string;
  /** The number of attempts; set for responses only. */
  declare readonly attempts?: number | undefined;
  declare readonly requestId?: string | undefined;

  constructor(
    source: string,
    path: string,
    expected: string,
    options: CallErrorOptions & Pick<MessageParts, 'hint' | 'advice'> = {},
  ) {
    const { hint, advice } = options;
    // A path such as `the whole file` is not the name of a field.
    const fact = `${path.startsWith('the ') ? path : `\`${path}\``} ${expected}`;
    super('shape', { source, fact, ...(hint && { hint }), ...(advice && { advice }) }, options);
    this.source = source;
    this.path = path;
    this.expected = expected;
    if (options.attempts !== undefined) this.attempts = options.attempts;
    if (options.requestId !== undefined) this.requestId = options.requestId;
  }
}

/**
 * A rule set that cannot be used: not a rule set at all, or with broken parts under `broken:
 * 'fail'` (`rule-set`), cut off (`truncated`), without a list that it had (`list-unreachable`), or
 * too old to decide with (`stale`).
 */
export class RuleSetError extends SluiceError {
  override readonly name: string = 'RuleSetError';
  constructor(message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(options.code ?? 'rule-set', message, options);
  }
}

/** Thrown inside the service to end a request; sent as `{ "error": { message, devMessage, source, code, details? } }`. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** What a developer does about it. */
  readonly advice: string;
  /** What is wrong, by field. */
  readonly details: Readonly<Record<string, readonly string[]>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    advice: string,
    extras: {
      readonly details?: Readonly<Record<string, readonly string[]>>;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.advice = advice;
    this.details = extras.details;
    this.headers = extras.headers ?? {};
  }
}

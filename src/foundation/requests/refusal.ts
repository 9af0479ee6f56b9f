/** The header that tells a client to try again. */
export const again = { 'retry-after': '1' };

/**
 * Ends a request with a status other than 200. Its message holds no key and no text of a message.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Answers before they are responses: their bytes are counted first. */
import { Refusal } from '../../foundation/requests/refusal.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /**
   * Called once the client has taken the answer, or is gone: until then the answer counts as in
   * flight.
   */
  readonly release?: (() => void) | undefined;
}

/**
 * Refuses a request beyond a limit of size or number, such as full slots or too large a body. Its
 * message was not judged, so at `/custom-api` the option `onUnanswered` determines the answer.
 */
export class LimitRefusal extends Refusal {}

export function jsonAnswer(value: unknown): Answer {
  return textAnswer(JSON.stringify(value), 'application/json');
}

export function textAnswer(body: string, type: string): Answer {
  return { status: 200, headers: { 'content-type': type }, body };
}

export function refused({ status, message, headers }: Refusal): Answer {
  return { ...jsonAnswer({ error: message }), status, headers: { 'content-type': 'application/json', ...headers } };
}

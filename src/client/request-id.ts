import type { AnswerHeaders } from './pacing.js';
import type { Redact } from './redact.js';

/** The names in use; the document states none (§7). */
const names = ['x-request-id', 'request-id'];

/** The platform's name for an answer, when it is one that can be shown. */
export function readRequestId(headers: AnswerHeaders, redact: Redact): string | undefined {
  const value = names.map((name) => headers[name]).find((each) => each !== undefined);
  return typeof value === 'string' && /^[\w.:+/=-]{1,128}$/.test(value) ? redact(value) : undefined;
}

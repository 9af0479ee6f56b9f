import type { HttpFailure } from '../errors.js';
import type { Answer } from './exchange.js';
import type { Redact } from './redact.js';

/** More than a person reads; a hostile body could hold any number. */
const maxDetails = 50;

/**
 * What an answer other than 200 says of itself. §7 shows no error body; live platforms send
 * `{ error: { code, message, details } }`. Code and details are kept when they have that shape, everything else is not.
 */
export function readFailure(answer: Answer, redact: Redact): HttpFailure {
  const error = errorObject(answer);
  const { code, details } = error;
  return {
    status: answer.status,
    platformCode: typeof code === 'string' && /^[\w.-]{1,100}$/.test(code) ? redact(code) : undefined,
    details: readDetails(details, redact),
  };
}

function errorObject(answer: Answer): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body));
    return isObject(body) && isObject(body.error) ? body.error : {};
  } catch {
    return {};
  }
}

function readDetails(details: unknown, redact: Redact): Record<string, readonly string[]> | undefined {
  if (!isObject(details)) return undefined;
  const kept = Object.entries(details)
    .filter((entry): entry is [string, string[]] => isStrings(entry[1]))
    .slice(0, maxDetails)
    .map(([field, reasons]) => [redact(field), reasons.slice(0, maxDetails).map(redact)] as const);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { HttpError, SluiceError } from '../errors.js';

/** Why something could not be fetched, in a few words that hold nothing of its content: `http 404 (ERR_RULE_NOT_FOUND)`. */
export function failureReason(error: unknown): string {
  if (error instanceof HttpError) {
    const code = error.platformCode === undefined ? '' : ` (${error.platformCode})`;
    return `http ${error.status}${code}`;
  }
  return error instanceof SluiceError ? error.code : 'unknown failure';
}

/** Nothing has the id. Some platforms name it in their own code, with a status that no page states. */
export function isNotFound(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 404 || error.platformCode === 'ERR_RULE_NOT_FOUND');
}

/** Somebody gave up inside the source; no failure of what was asked for. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

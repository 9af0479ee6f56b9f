import type { MissingKind } from '../contract/rule-set.js';
import { HttpError, isTransientStatus, SluiceError, UsageError } from '../errors.js';

/** Why a request failed, in a few words and without any content: `http 404 (ERR_RULE_NOT_FOUND)`. */
export function failureReason(error: unknown): string {
  if (error instanceof HttpError) {
    const code = error.platformCode === undefined ? '' : ` (${error.platformCode})`;
    return `http ${error.status}${code}`;
  }
  return error instanceof SluiceError ? error.code : 'unknown failure';
}

/** Of what kind a failure is: of the call, or of the list. */
export function failureKind(error: unknown): MissingKind {
  if (isNotFound(error)) return 'gone';
  // An id that cannot be sent is the same the next time.
  const isFinal = error instanceof HttpError ? !isTransientStatus(error.status) : error instanceof UsageError;
  return isFinal ? 'refused' : 'unreachable';
}

/** Whether the id does not exist. Some live platforms use this code, with an undocumented status. */
export function isNotFound(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 404 || error.platformCode === 'ERR_RULE_NOT_FOUND');
}

/** Whether the request was aborted inside the source, which is no failure of the list. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

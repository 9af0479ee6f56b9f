/** Why a keyword list is missing from a rule set, and which missing lists are lost. */

import { HttpError, isRefusal, SluiceError, UsageError } from '../../foundation/errors.js';
import type { MissingKind, MissingList, RuleSet } from '../contract/rule-set.js';

/**
 * The lists that a rule set lacks though the platform may have them: all that are missing but those that do not exist. Rules without one of
 * them are not the rules of the platform, so that they replace none and nothing that lasts is made of them. A list of no kind counts as
 * lost: a file that somebody wrote does not say that the list does not exist.
 */
export function lostLists({ missing }: Pick<RuleSet, 'missing'>): readonly MissingList[] {
  return missing.filter(({ kind }) => kind !== 'gone');
}

/** A list that is missing because the id is that of something else. */
export function notAList(listId: string): MissingList {
  return { listId, reason: 'not a keyword list', kind: 'gone' };
}

/** A list that is missing because the platform gave another in its place. */
export function anotherList(listId: string): MissingList {
  return { listId, reason: 'answered with another id', kind: 'refused' };
}

/** A list that is missing because the request for it failed; its reason has a few words without any content: `http 404 (ERR_RULE_NOT_FOUND)`. */
export function failedList(listId: string, error: unknown): MissingList {
  return { listId, reason: failureReason(error), kind: failureKind(error) };
}

function failureReason(error: unknown): string {
  if (error instanceof HttpError) {
    const code = error.platformCode === undefined ? '' : ` (${error.platformCode})`;
    return `http ${error.status}${code}`;
  }
  return error instanceof SluiceError ? error.code : 'unknown failure';
}

/** Of what kind a failure is: of the call, or of the list. */
function failureKind(error: unknown): MissingKind {
  if (isNotFound(error)) return 'gone';
  // An id that cannot be sent is the same the next time.
  return isRefusal(error) || error instanceof UsageError ? 'refused' : 'unreachable';
}

/** Whether the id does not exist. Some live platforms use this code, with an undocumented status. */
export function isNotFound(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 404 || error.platformCode === 'ERR_RULE_NOT_FOUND');
}

/** Whether the request was aborted inside the source, which is no failure of the list. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

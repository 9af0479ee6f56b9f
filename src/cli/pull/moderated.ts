/**
 * Messages that a platform stopped, and the decisions of its reviewers, in the form in which
 * `sluice pull` keeps them.
 */
import { platformDecision } from '../../audit/count/platform.js';
import type { Label } from '../../audit/sample/label.js';
import { HttpError } from '../../foundation/errors.js';
import type { Client } from '../../platform/client/client.js';
import type { ModeratedMessage } from '../../platform/contract/moderated-message.js';
import { counted, formatCount } from '../terminal/text.js';

/** A page of a list that has no cursor. */
export interface ModeratedPage {
  readonly entries: readonly ModeratedMessage[];
  /** Whether the page has as many entries as possible, so that there may be more. */
  readonly isFull: boolean;
}

/** Fetches the page of a list, without a limit if the platform rejects the limit. */
export async function fetchModerated(
  list: Client['blockedMessages']['list'],
  limit: number,
  signal: AbortSignal,
): Promise<ModeratedPage> {
  const { data, meta } = await list({ limit, signal }).catch((error: unknown) => {
    if (error instanceof HttpError && error.status === 400) return list({ signal });
    throw error;
  });
  return { entries: data, isFull: data.length >= (meta.current?.limit ?? limit) };
}

/**
 * Returns the decisions of reviewers as labels, and the number of entries without a decision. The
 * oldest come first, so that the last one about a message and a rule counts. If a reviewer approves
 * a message that a rule stopped, the rule was wrong. A message without a rule was allowed and then
 * reported by a user: if it is approved, that was right.
 */
export function labelsOfReviews(entries: readonly ModeratedMessage[]) {
  const timeOf = ({ updatedAt, createdAt }: ModeratedMessage) => updatedAt ?? createdAt ?? 0;
  const sorted = entries.toSorted((left, right) => timeOf(left) - timeOf(right));
  const labels = sorted.flatMap(({ message, ruleId, revisionId, status }): Label[] => {
    const decision = (status ?? platformDecision(message)?.status)?.trim().toLowerCase() ?? '';
    if (!['approved', 'rejected', 'disapproved'].includes(decision)) return [];
    const outcome = (decision === 'approved') === (ruleId === undefined) ? 'right' : 'wrong';
    const noted = { ...(revisionId && { ruleRevision: revisionId }) };
    return [{ messageId: message.id, ...(ruleId && { ruleId }), outcome, source: 'reviewed', ...noted }];
  });
  return { labels, undecided: entries.length - labels.length };
}

/** Returns a warning about a page that may be incomplete, or undefined. */
export function fullWords({ entries, isFull }: ModeratedPage, what: string): string | undefined {
  if (!isFull) return undefined;
  return `warning: the list of ${what} filled its page of ${formatCount(entries.length)}, and the platform has no next one: there may be more`;
}

/** Describes what happened with blocked messages. */
export function blockedWords({ added, listed, other }: BlockedCounts): string {
  const clauses = [
    `added ${counted(added, 'blocked message')}`,
    ...(listed > 0 ? [`${formatCount(listed)} had been listed`] : []),
    ...(other > 0 ? [`${formatCount(other)} not selected by the filters`] : []),
  ];
  return clauses.join('; ');
}

/**
 * Numbers of blocked messages that were added to a history, that it had already, and that the
 * filters excluded.
 */
interface BlockedCounts {
  readonly added: number;
  readonly listed: number;
  readonly other: number;
}

/**
 * Publishes the events of moderators over `node:diagnostics_channel`: `sluice:moderator:decision`
 * and `sluice:moderator:refresh`. Events have ids, revisions, spans and times; no text of a
 * message, no term and no key.
 */
import { channel } from 'node:diagnostics_channel';
import type { Decision, Unevaluated, Verdict } from '../../engine/evaluate/decision.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { RefreshEvent } from './status.js';

/** A decision of a moderator: that of its engine, with the age of the rules. */
export interface LiveDecision extends Decision {
  /** Milliseconds since the source last confirmed the rules. */
  readonly ageMs: number;
  /**
   * The reason for blocking what no rule stops: the rules are too old, under `whenStale: 'block'`.
   */
  readonly reason?: string;
}

/** The event of `sluice:moderator:decision`: a decision without texts. */
export interface DecisionEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Ids of the message, if it has them. */
  readonly messageId?: string;
  readonly conversationId?: string;
  readonly sender?: string;
  readonly verdict: Verdict;
  readonly actions: readonly string[];
  readonly exempt: boolean;
  readonly truncated: boolean;
  /** The matched rules, those that determine the verdict first. */
  readonly matched: readonly MatchedRule[];
  /**
   * `decideAsync` also lists conditions whose scores were not requested, since they could not
   * change the verdict, as `no-scores`.
   */
  readonly unevaluated: readonly Pick<Unevaluated, 'ruleId' | 'conditionId' | 'why'>[];
  /** Revision of the engine that decided. */
  readonly revision: string;
  readonly ageMs: number;
  /** Time of the evaluation, in milliseconds. */
  readonly durationMs: number;
}

/** A matched rule with its spans. */
export interface MatchedRule {
  readonly ruleId: string;
  readonly revisionId?: string;
  readonly determining: boolean;
  readonly shadow: boolean;
  readonly conditions: readonly {
    readonly conditionId: number;
    /**
     * Spans in the text at `path`, and the keyword lists of the entries that matched; at most ten.
     */
    readonly matches: readonly {
      readonly path: string;
      readonly span?: { start: number; end: number };
      readonly listId?: string;
    }[];
  }[];
}

export const decisionChannel = channel('sluice:moderator:decision');
const refreshChannel = channel('sluice:moderator:refresh');

/** Publishes a decision; called when there are subscribers. */
export function publishDecision(message: string | MessageDraft, decision: LiveDecision, durationMs: number): void {
  const { verdict, actions, exempt, truncated, revision, ageMs } = decision;
  decisionChannel.publish({
    at: Date.now(),
    ...idsOf(message),
    verdict,
    actions,
    exempt,
    truncated,
    matched: decision.matched.map(withoutTexts),
    unevaluated: decision.unevaluated.map(({ ruleId, conditionId, why }) => ({ ruleId, conditionId, why })),
    revision,
    ageMs,
    durationMs,
  } satisfies DecisionEvent);
}

export function publishRefresh(event: RefreshEvent): void {
  if (refreshChannel.hasSubscribers) refreshChannel.publish(event);
}

function idsOf(message: string | MessageDraft): Pick<DecisionEvent, 'messageId' | 'conversationId' | 'sender'> {
  if (typeof message === 'string') return {};
  try {
    const { id, conversationId, sender } = message;
    return {
      ...(typeof id === 'string' && { messageId: id }),
      ...(typeof conversationId === 'string' && { conversationId }),
      ...(typeof sender === 'string' && { sender }),
    };
  } catch {
    // A getter threw: the decision is published without ids.
    return {};
  }
}

const mostMatches = 10;

function withoutTexts({
  ruleId,
  revisionId,
  determining,
  shadow,
  conditions,
}: LiveDecision['matched'][number]): MatchedRule {
  return {
    ruleId,
    ...(revisionId !== undefined && { revisionId }),
    determining,
    shadow,
    conditions: conditions.map(({ conditionId, matches }) => ({
      conditionId,
      matches: matches.slice(0, mostMatches).map((match) => ({
        path: match.path,
        ...(match.kind !== 'score' && { span: { ...match.span } }),
        ...(match.kind !== 'score' && match.listId !== undefined && { listId: match.listId }),
      })),
    })),
  };
}

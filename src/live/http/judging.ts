/** Judges of messages, their input, and batches. */
import type { Issue } from '../../engine/compile/issue.js';
import { asFields } from '../../engine/compile/untrusted.js';
import type { Decision, Verdict } from '../../engine/evaluate/decision.js';
import type { EngineParts, engineParts } from '../../engine/evaluate/engine-parts.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { UsageError } from '../../foundation/errors.js';
import { createPace } from '../../foundation/portions.js';
import { Refusal } from '../../foundation/requests/refusal.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { Slot } from './slots.js';

/** A decision, with the reason if it rests on no rule. */
type ReasonedDecision = Decision & { readonly reason?: string };

/** The judge of a handler: a moderator, an engine, or any object with these methods. */
export interface MessageJudge {
  /** Not called, since short answers too have the number of unevaluated conditions. */
  decide(message: string | MessageDraft, scores?: readonly Scores[]): Verdict;
  explain(message: string | MessageDraft, scores?: readonly Scores[]): ReasonedDecision;
  /**
   * Called in place of `explain` where a scorer is to be asked. Once `deadline` aborts, it should
   * answer by what it has; else `explain` is called. With `all: false`, only scores that can change
   * the verdict are of use.
   */
  explainAsync?(
    message: string | MessageDraft,
    scores?: readonly Scores[],
    options?: { readonly signal?: AbortSignal; readonly deadline?: AbortSignal; readonly all?: boolean },
  ): Promise<ReasonedDecision>;
  /**
   * Returns the requests for the scorer; `undefined` without a scorer. A message without requests
   * is judged by `explain`. Without the method, all messages are judged by `explainAsync`, if that
   * is there.
   */
  scoreRequests?(
    message: string | MessageDraft,
    scores: readonly Scores[] | undefined,
    options: { readonly all: boolean },
  ): readonly unknown[] | undefined;
  /**
   * The parts of the engine that judges: by them `/custom-api` knows which unevaluated conditions
   * could have changed its answer.
   */
  [engineParts]?(): EngineParts;
  /** Whether there is a rule of this id; without the method, any id counts as that of one. */
  hasRule?(ruleId: string): boolean;
  /** The same of the actions of rules. */
  hasAction?(action: string): boolean;
  /**
   * Rules are there in the states `fresh` and `stale`, unless they are `expired`; without a status
   * they always are.
   */
  readonly status?: {
    readonly state: string;
    readonly ageMs?: number | undefined;
    readonly expired?: boolean | undefined;
    /** Other rules that were fetched and wait until a person accepts them. */
    readonly held?: { readonly revision: string; readonly since: number } | undefined;
    /** Issues of the rules in use. */
    readonly issues?: RuleIssues | undefined;
    /** Why scores have no effect. */
    readonly scoresWarning?: { readonly code: string } | undefined;
  };
  /** Calls the listener at the end of each refresh. */
  on?(event: 'refresh', listener: (event: { readonly outcome: string }) => void): unknown;
}

/** The number of issues of each severity, and the first of them. */
interface RuleIssues {
  readonly error: number;
  readonly warning: number;
  readonly first: readonly Issue[];
}

/** Returns why a judge has no rules to answer by; `undefined` when it has. */
export function whyNoRules({ status }: MessageJudge): string | undefined {
  if (status === undefined) return undefined;
  if (status.state === 'no-rules') return 'no-rules: nothing in the rules that were fetched can stop a message';
  if (status.state !== 'fresh' && status.state !== 'stale') return 'the rules are not there';
  return status.expired === true ? 'the rules are too old' : undefined;
}

/**
 * Returns the body of `/readyz` for rules that are there. It needs no key, so it quotes no term,
 * which the details of issues may do.
 */
export function readinessOf({ status }: MessageJudge): object {
  const { held, issues } = status ?? {};
  const first = issues?.first.map(({ detail: _, ...location }) => location);
  return {
    status: 'ready',
    ...(held && { held: { revision: held.revision, since: held.since } }),
    ...(issues && issues.error + issues.warning > 0 && { issues: { ...issues, first } }),
  };
}

/** A message, with the scores that were brought with it. */
export interface Judged {
  readonly message: string | MessageDraft;
  readonly scores?: readonly Scores[];
}

/**
 * Reads `{ message, scores? }`, or a message alone. What is neither is refused where it is judged;
 * a text that is no string is refused here, since it would be allowed unread.
 */
export function readJudged(value: unknown): Judged {
  const judged = readParts(value);
  const text = asFields(asFields(judged.message)?.data)?.text ?? undefined;
  if (text === undefined || typeof text === 'string') return judged;
  throw new UsageError('`data.text` of a message must be a string');
}

function readParts(value: unknown): Judged {
  const fields = asFields(value);
  if (fields === undefined || !Object.hasOwn(fields, 'message') || Object.hasOwn(fields, 'data')) {
    return { message: value as string };
  }
  const { message, scores, ...unknownFields } = fields as unknown as Judged;
  const [unknown] = Object.keys(unknownFields);
  if (unknown === undefined) return { message, ...(scores && { scores }) };
  throw new UsageError('beside `message` there may be `scores`, and nothing else');
}

/** Judges one message and resolves to the answer. */
export type Judge = (judged: Judged) => Promise<unknown>;

/**
 * Messages of a batch that are judged at a time: the scorer is kept busy, and the loop is not held
 * for long.
 */
const atATime = 16;

/** The most messages of a batch. */
const mostMessages = 1_000;

/**
 * Characters of the answer to a batch: a message may have a thousand matches, which take many times
 * its room. Messages after that are entries of errors.
 */
const mostAnswered = 4 * 2 ** 20;

/**
 * Bytes of an answer that are set aside for each message of a batch: a batch that was begun is
 * rarely given up for want of room.
 */
const bytesOfAnswer = 1_024;

/**
 * Judges a batch, in its order; the answer as JSON. Throws a `Refusal` if it is not a batch, or if
 * there is no room for its answer.
 */
export async function judgeBatch(batch: unknown, judge: Judge, slot: Slot): Promise<string> {
  if (!Array.isArray(batch)) throw new Refusal(400, 'the body must be an array of messages');
  if (batch.length > mostMessages) throw new Refusal(400, `a batch is at most ${mostMessages} messages`);
  const bytesOfBatch = slot.bytes;
  slot.hold(bytesOfBatch + batch.length * bytesOfAnswer);
  const answers: string[] = [];
  let length = 0;
  let made = 0;
  const judgeEntry = async (entry: unknown): Promise<string> => {
    try {
      const answer = JSON.stringify(await judge(readJudged(entry)));
      made += answer.length;
      if (bytesOfBatch + made > slot.bytes) slot.hold(bytesOfBatch + made);
      return answer;
    } catch (error) {
      if (codeOf(error) !== 'usage') throw error;
      return JSON.stringify({ error: (error as Error).message });
    }
  };
  const pause = createPace();
  const left = '{"error":"the answer would be too large: send fewer messages at a time"}';
  for (let at = 0; at < batch.length; at += atATime) {
    const portion = batch.slice(at, at + atATime);
    for (const answer of length > mostAnswered ? portion.map(() => left) : await Promise.all(portion.map(judgeEntry))) {
      answers.push(length > mostAnswered ? left : answer);
      length += answer.length;
    }
    await pause();
  }
  return `[${answers.join(',')}]`;
}

/** Returns the code of an error of ours, whichever copy of the library made it. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
}

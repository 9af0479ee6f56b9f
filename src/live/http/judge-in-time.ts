/**
 * Judges one message: with the scores of a scorer where they can change the answer, and within its
 * deadline.
 */
import type { Decision } from '../../engine/evaluate/decision.js';
import { nextTask } from '../../foundation/portions.js';
import { codeOf, type Judged, type MessageJudge } from './judging.js';
import type { Slot } from './slots.js';

interface InTimeOptions {
  /** The request: once its client is gone, it frees its slot and does not wait for scores. */
  readonly request: Request;
  readonly slot: Slot;
  readonly deadlineMs: number;
  /** Whether the answer is about all that rules need scores of, and not about the verdict alone. */
  readonly all: boolean;
  /**
   * Whether no score can change the answer, by the decision without scores; left out, each that is
   * requested can.
   */
  readonly isSettled?: ((byWords: Decision) => boolean) | undefined;
}

interface JudgedInTime {
  readonly decision: ReturnType<MessageJudge['explain']>;
  /**
   * The outcome of the scorer; absent without one. `not-needed`: no score can change the answer.
   * `late`: the deadline passed first. `no-slot`: too many requests wait for it.
   */
  readonly scorer?: 'asked' | 'not-needed' | 'late' | 'no-slot';
}

/**
 * Judges a message by words, patterns and the scores that arrive in time; `unevaluated` of the
 * decision has the rest. Rejects with what the judge throws, or with the reason of the request's
 * signal.
 */
export async function judgeInTime(
  judge: MessageJudge,
  judged: Judged,
  { request, slot, deadlineMs, all, isSettled }: InTimeOptions,
): Promise<JudgedInTime> {
  const { message, scores } = judged;
  if (judge.explainAsync === undefined) return { decision: await judge.explain(message, scores) };
  // A moderator warns of a call beside its scorer without scores.
  const byWords = () => judge.explain(message, scores ?? []);
  if (judge.scoreRequests !== undefined) {
    const requests = judge.scoreRequests(message, scores, { all });
    if (requests === undefined) return { decision: byWords() };
    if (requests.length === 0) return { decision: byWords(), scorer: 'not-needed' };
    const decision = isSettled && byWords();
    if (decision !== undefined && isSettled?.(decision) === true) return { decision, scorer: 'not-needed' };
  }
  if (!slot.wait()) return { decision: byWords(), scorer: 'no-slot' };
  try {
    const signal = request.signal;
    const { result, isLate } = await unlessLate(deadlineMs, (deadline) =>
      judge.explainAsync!(message, scores, { signal, deadline, all }).catch((error) => {
        // An error that is not ours is one of a scorer: words and patterns are there all the same.
        if (codeOf(error) !== undefined || signal.aborted) throw error;
        return undefined;
      }),
    );
    return { decision: result ?? byWords(), scorer: isLate ? 'late' : 'asked' };
  } finally {
    slot.resume();
  }
}

/** Reports whether scores cannot change the verdict. */
export function isVerdictSettled(judge: MessageJudge, { message, scores }: Judged): boolean {
  return judge.scoreRequests?.(message, scores, { all: false })?.length === 0;
}

/**
 * Resolves with the result of `begin`. At the deadline its signal aborts; without a result one task
 * later, there is none.
 */
async function unlessLate<T>(ms: number, begin: (deadline: AbortSignal) => Promise<T>) {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      void nextTask().then(() => resolve(undefined));
    }, ms);
  });
  try {
    const result = await Promise.race([begin(signal), late]);
    return { result, isLate: signal.aborted };
  } finally {
    clearTimeout(timer);
  }
}

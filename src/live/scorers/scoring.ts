/** Calls a scorer for texts and files: bounded, in turns, and with a cache. */
import { channel } from 'node:diagnostics_channel';
import { asFields, read } from '../../engine/compile/untrusted.js';
import type { ScoreRequest } from '../../engine/evaluate/score-requests.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { startDeadline, unlessAborted } from '../../foundation/deadline.js';
import { digest } from '../../foundation/digest.js';
import { SluiceError, UsageError } from '../../foundation/errors.js';
import {
  type Complete,
  checkOptions,
  type OptionChecks,
  timerMs,
  wholeNumber,
  withDefaults,
} from '../../foundation/options.js';
import { isLabels, type Labels, type Scorer } from './scorer.js';
import { Turns } from './turns.js';

/** Options of scoring. An unknown one is a `UsageError`. */
export interface ScoringOptions {
  /** Number of texts and files that are scored at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** Time limit of scoring one of them, in milliseconds from its turn on. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Number of texts and files whose scores are cached, the least recently used dropped first; 0 for
   * none. Default 10,000. Keys are digests.
   */
  readonly cacheSize?: number | undefined;
}

/** A text or a file that has no scores because its scorer failed. */
export interface ScoringFailure {
  readonly operand: Scores['operand'];
  /** The address of the file; absent for a text. */
  readonly url?: string;
  /** The reason, for people; it has no part of the text or the address. */
  readonly why: string;
}

/** Scores texts and files. */
export interface Scoring {
  /**
   * Resolves to the scores of the requests, in their order. A text or file whose scorer failed, or
   * has not answered when `deadline` aborts, is in `failures` instead; one without known scores is
   * in neither. Rejects only with the reason of `signal`.
   */
  readonly scoresOf: (
    requests: readonly ScoreRequest[],
    signal?: AbortSignal,
    deadline?: AbortSignal,
  ) => Promise<{ readonly scores: readonly Scores[]; readonly failures: readonly ScoringFailure[] }>;
}

/**
 * The event of `sluice:scorer:call` of `node:diagnostics_channel`, one for each call. It has no
 * text and no address.
 */
export interface ScorerCallEvent {
  readonly operand: Scores['operand'];
  readonly outcome: 'scored' | 'unknown' | 'failed';
  /** The reason of a failure. */
  readonly why?: string;
  readonly durationMs: number;
}

const scorerCalls = channel('sluice:scorer:call');

type Outcome = { readonly labels: Labels | undefined } | { readonly why: string };

const late: Outcome = { why: 'the scorer did not answer before the deadline of the message' };

/**
 * A call of the scorer, shared by all that wait for the same scores. It begins with the first turn
 * of one of them.
 */
class SharedCall {
  readonly outcome: Promise<Outcome>;
  /** Number of callers that have joined and not left. */
  waiting = 0;
  readonly #score: (signal: AbortSignal) => Promise<Outcome>;
  readonly #onEnd: (outcome?: Outcome) => void;
  readonly #controller = new AbortController();
  #settle!: (outcome: Outcome) => void;
  #isBegun = false;

  /** `onEnd` is called with the outcome, or without one when the last caller has left. */
  constructor(score: (signal: AbortSignal) => Promise<Outcome>, onEnd: (outcome?: Outcome) => void) {
    this.#score = score;
    this.#onEnd = onEnd;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /**
   * Begins the call and resolves at its end; returns undefined if it has begun or no caller waits
   * any more.
   */
  readonly begin = (): Promise<void> | undefined => {
    if (this.#isBegun || this.waiting === 0) return undefined;
    this.#isBegun = true;
    return this.#score(this.#controller.signal).then((outcome) => {
      this.#onEnd(outcome);
      this.#settle(outcome);
    });
  };

  /** Leaves the call. The last caller to leave aborts it. */
  leave(): void {
    this.waiting--;
    if (this.waiting > 0) return;
    this.#onEnd();
    this.#controller.abort();
  }
}

/** Labels by key, at most `size` of them; the least recently used are dropped first. */
class LabelCache {
  /** In the order of use, the least recently used first. */
  readonly #labels = new Map<string, Labels>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): Labels | undefined {
    const labels = this.#labels.get(key);
    if (labels !== undefined) this.set(key, labels);
    return labels;
  }

  set(key: string, labels: Labels): void {
    this.#labels.delete(key);
    if (this.#size === 0) return;
    this.#labels.set(key, labels);
    if (this.#labels.size > this.#size) this.#labels.delete(this.#labels.keys().next().value!);
  }
}

const checks: OptionChecks<ScoringOptions> = {
  concurrency: wholeNumber(1, 10_000),
  timeoutMs: timerMs,
  cacheSize: wholeNumber(0, 10_000_000),
};

const defaults: Complete<ScoringOptions> = { concurrency: 8, timeoutMs: 5000, cacheSize: 10_000 };

/**
 * Creates the scoring of messages by a scorer. Throws `UsageError` for an option that cannot be
 * used.
 */
export function createScoring(scorer: Scorer, options: ScoringOptions = {}): Scoring {
  checkOptions('`scoring`', options, checks, 'scoring.');
  const { concurrency, timeoutMs, cacheSize } = withDefaults(defaults, options);
  if (typeof scorer?.score !== 'function') throw new UsageError('a scorer must be an object with a `score` method');
  const turns = new Turns(concurrency);
  const cache = new LabelCache(cacheSize);
  const calls = new Map<string, SharedCall>();

  /** Joins the call for a text or a file, or creates it. A caller that joined must leave. */
  function join(request: ScoreRequest, key: string): SharedCall {
    const call =
      calls.get(key) ??
      new SharedCall(
        (signal) => score(scorer, request, timeoutMs, signal),
        (outcome) => {
          if (calls.get(key) === call) calls.delete(key);
          // Failures and unknown scores are not cached: the next call may get scores.
          if (outcome !== undefined && 'labels' in outcome && outcome.labels !== undefined) {
            cache.set(key, outcome.labels);
          }
        },
      );
    calls.set(key, call);
    call.waiting++;
    return call;
  }

  async function outcomesOf(requests: readonly ScoreRequest[], signal?: AbortSignal, deadline?: AbortSignal) {
    const joined: SharedCall[] = [];
    const outcomes = requests.map((request): Outcome | Promise<Outcome> => {
      const { operand, text, url, labels: wanted } = request;
      // A digest, so that no text or address is kept.
      const key = digest([operand, text ?? null, url ?? null, wanted]);
      const labels = cache.get(key);
      if (labels !== undefined) return { labels };
      const call = join(request, key);
      joined.push(call);
      return deadline === undefined ? call.outcome : unlessAborted(deadline, call.outcome).catch(() => late);
    });
    // Cached scores take no turn. A shared call begins in the first turn of those that wait for it.
    const withdraw = turns.queue(joined.map(({ begin }) => begin));
    try {
      const all = Promise.all(outcomes);
      return await (signal === undefined ? all : unlessAborted(signal, all));
    } finally {
      for (const call of joined) call.leave();
      withdraw();
    }
  }

  return {
    scoresOf: async (requests, signal, deadline) => {
      signal?.throwIfAborted();
      return sortOut(requests, await outcomesOf(requests, signal, deadline));
    },
  };
}

/** Returns the scores and the failures among the outcomes of requests, in their order. */
function sortOut(requests: readonly ScoreRequest[], outcomes: readonly Outcome[]) {
  const scores: Scores[] = [];
  const failures: ScoringFailure[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const { operand, url } = requests[index]!;
    const asked = { operand, ...(url !== undefined && { url }) };
    if ('why' in outcome) failures.push({ ...asked, why: outcome.why });
    else if (outcome.labels !== undefined) scores.push({ ...asked, labels: outcome.labels });
  }
  return { scores, failures };
}

/** Scores one text or file within a time, and publishes the outcome. Never rejects. */
async function score(scorer: Scorer, request: ScoreRequest, timeoutMs: number, signal: AbortSignal): Promise<Outcome> {
  const startedAt = performance.now();
  const deadline = startDeadline(timeoutMs, signal);
  const outcome = await call(scorer, request, deadline.signal).catch((error: unknown): Outcome => {
    if (deadline.endedBy() === 'deadline') return { why: `the scorer did not finish within ${timeoutMs} ms` };
    return { why: error instanceof SluiceError ? error.message : failureWords(error) };
  });
  deadline.clear();
  if (scorerCalls.hasSubscribers) {
    scorerCalls.publish({
      operand: request.operand,
      outcome: 'why' in outcome ? 'failed' : outcome.labels === undefined ? 'unknown' : 'scored',
      durationMs: performance.now() - startedAt,
      ...('why' in outcome && { why: outcome.why }),
    } satisfies ScorerCallEvent);
  }
  return outcome;
}

async function call(scorer: Scorer, request: ScoreRequest, signal: AbortSignal): Promise<Outcome> {
  signal.throwIfAborted();
  // A scorer may ignore its signal, and throw before it returns a promise.
  const scoring = (async () => scorer.score(request, { signal }))();
  const labels: unknown = await unlessAborted(signal, scoring);
  if (labels === undefined) return { labels };
  // Copied, since a scorer may fill the same object for its next file.
  const copied = { ...asFields(labels) };
  if (asFields(labels) !== undefined && isLabels(copied)) return { labels: copied };
  return { why: 'the scorer did not return scores from 0 to 100 by label' };
}

const kinds = [/^[A-Z][A-Za-z]{0,38}Error$/, /^(?:E|ERR_|UND_ERR_)[A-Z_]{2,40}$/, /^[1-5]\d\d$/];

/**
 * Describes a failure by kind, code and status of the error and its cause. Messages are left out:
 * they may quote a key or a text.
 */
function failureWords(error: unknown): string {
  const facts = [asFields(error), asFields(asFields(error)?.cause)].flatMap((fields) =>
    ['name', 'code', 'status', 'statusCode'].map((field) => String(read(fields, field) ?? '')),
  );
  const known = facts.filter((fact) => fact !== 'Error' && kinds.some((kind) => kind.test(fact)));
  return known.length === 0 ? 'the scorer failed' : `the scorer failed: ${[...new Set(known)].join(', ')}`;
}

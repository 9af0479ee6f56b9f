import { channel } from 'node:diagnostics_channel';
import { asFields, read } from '../../engine/compile/untrusted.js';
import type { ScoreRequest } from '../../engine/evaluate/score-requests.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { digest } from '../../foundation/digest.js';
import { SluiceError, UsageError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import { type Environment, startDeadline, systemEnvironment, unlessAborted } from '../../platform/client/deadline.js';
import { longestTimerMs, type NumberOptions, readNumbers } from '../../platform/client/validate.js';
import { isLabels, type Labels, type Scorer } from './scorer.js';
import { Turns } from './turns.js';

/** Options of scoring. An unknown one is a `UsageError`. */
export interface ScoringOptions {
  /** Number of texts and files that are scored at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** Time limit of scoring one of them, in milliseconds from its turn on. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Number of texts and files whose scores are cached, the least recently used dropped first; 0 for none. Default 10,000. Keys are digests. */
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
   * Resolves to the scores of the requests, in their order. A text or file whose scorer failed, or has not answered when `deadline`
   * aborts, is in `failures` instead; one without known scores is in neither. Rejects only with the reason of `signal`.
   */
  readonly scoresOf: (
    requests: readonly ScoreRequest[],
    signal?: AbortSignal,
    deadline?: AbortSignal,
  ) => Promise<{ readonly scores: readonly Scores[]; readonly failures: readonly ScoringFailure[] }>;
}

/** The event of `sluice:scorer:call` of `node:diagnostics_channel`, one for each call. It has no text and no address. */
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

/** A call of the scorer, shared by all that wait for the same scores. It begins with the first turn of one of them. */
interface SharedCall {
  readonly outcome: Promise<Outcome>;
  /** Begins the call and resolves at its end; returns undefined if it has begun or no caller waits any more. */
  readonly begin: () => Promise<void> | undefined;
  readonly leave: () => void;
  /** Number of callers that have joined and not left. */
  waiting: number;
}

const numbers = {
  concurrency: [8, 1, 10_000],
  timeoutMs: [5000, 1, longestTimerMs],
  cacheSize: [10_000, 0, 10_000_000],
} satisfies NumberOptions;

/** Creates the scoring of messages by a scorer. Throws `UsageError` for an option that cannot be used. */
export function createScoring(scorer: Scorer, options: ScoringOptions = {}): Scoring {
  return createScoringIn(systemEnvironment, scorer, options);
}

/** Creates the scoring with the given clocks and timers. */
export function createScoringIn(environment: Environment, scorer: Scorer, options: ScoringOptions = {}): Scoring {
  refuseUnknownOptions('`scoring`', options, Object.keys(numbers));
  const { concurrency, timeoutMs, cacheSize } = readNumbers('scoring.', options, numbers);
  if (typeof scorer?.score !== 'function') throw new UsageError('a scorer must be an object with a `score` method');
  const turns = new Turns(concurrency);
  /** In the order of use, the least recently used first. */
  const cache = new Map<string, Labels>();
  const calls = new Map<string, SharedCall>();

  /** Scores one text or file, and publishes the outcome. */
  async function score(request: ScoreRequest, signal: AbortSignal): Promise<Outcome> {
    const startedAt = environment.elapsedMs();
    const outcome = await call(request, signal);
    if (scorerCalls.hasSubscribers) {
      const result = 'why' in outcome ? 'failed' : outcome.labels === undefined ? 'unknown' : 'scored';
      const durationMs = environment.elapsedMs() - startedAt;
      scorerCalls.publish({
        operand: request.operand,
        outcome: result,
        durationMs,
        ...('why' in outcome && { why: outcome.why }),
      } satisfies ScorerCallEvent);
    }
    return outcome;
  }

  async function call(request: ScoreRequest, signal: AbortSignal): Promise<Outcome> {
    const deadline = startDeadline(timeoutMs, signal, environment);
    try {
      deadline.signal.throwIfAborted();
      // A scorer may ignore its signal, and throw before it returns a promise.
      const scoring = (async () => scorer.score(request, { signal: deadline.signal }))();
      const labels: unknown = await unlessAborted(deadline.signal, scoring);
      if (labels === undefined) return { labels };
      // Copied, since a scorer may fill the same object for its next file.
      const own = { ...asFields(labels) };
      if (asFields(labels) !== undefined && isLabels(own)) return { labels: own };
      return { why: 'the scorer gave something else than scores from 0 to 100 by label' };
    } catch (error) {
      if (deadline.endedBy() === 'deadline') return { why: `the scorer did not finish within ${timeoutMs} ms` };
      return { why: error instanceof SluiceError ? error.message : failureWords(error) };
    } finally {
      deadline.clear();
    }
  }

  function keep(key: string, labels: Labels): void {
    cache.delete(key);
    if (cacheSize === 0) return;
    cache.set(key, labels);
    if (cache.size > cacheSize) cache.delete(cache.keys().next().value!);
  }

  /** Joins the call for a text or a file, or creates it. A caller that joined must leave; the last one to leave aborts the call. */
  function join(key: string, request: ScoreRequest): SharedCall {
    const joined = calls.get(key);
    if (joined !== undefined) {
      joined.waiting++;
      return joined;
    }
    const controller = new AbortController();
    let settle!: (outcome: Outcome) => void;
    const outcome = new Promise<Outcome>((resolve) => {
      settle = resolve;
    });
    let isBegun = false;
    const begin = (): Promise<void> | undefined => {
      if (isBegun || call.waiting === 0) return undefined;
      isBegun = true;
      return score(request, controller.signal).then((ended) => {
        forget();
        // Failures and unknown scores are not cached: the next call may get scores.
        if ('labels' in ended && ended.labels !== undefined) keep(key, ended.labels);
        settle(ended);
      });
    };
    const forget = (): void => {
      if (calls.get(key) === call) calls.delete(key);
    };
    const leave = (): void => {
      call.waiting--;
      if (call.waiting > 0) return;
      forget();
      controller.abort();
    };
    const call: SharedCall = { outcome, begin, leave, waiting: 1 };
    calls.set(key, call);
    return call;
  }

  async function outcomesOf(
    requests: readonly ScoreRequest[],
    signal: AbortSignal | undefined,
    deadline: AbortSignal | undefined,
  ) {
    const joined: SharedCall[] = [];
    const outcomes = requests.map((request): Outcome | Promise<Outcome> => {
      const key = keyOf(request);
      const labels = cache.get(key);
      if (labels !== undefined) {
        keep(key, labels);
        return { labels };
      }
      const call = join(key, request);
      joined.push(call);
      return deadline === undefined ? call.outcome : unlessAborted(deadline, call.outcome).catch(() => late);
    });
    // Cached scores take no turn. A shared call begins in the first turn of those that wait for it.
    const withdraw = turns.queue(joined.map(({ begin }) => begin));
    try {
      const all = Promise.all(outcomes);
      if (signal === undefined) return await all;
      return await unlessAborted(signal, all);
    } finally {
      for (const { leave } of joined) leave();
      withdraw();
    }
  }

  return {
    scoresOf: async (requests, signal, deadline) => {
      signal?.throwIfAborted();
      const scores: Scores[] = [];
      const failures: ScoringFailure[] = [];
      for (const [index, outcome] of (await outcomesOf(requests, signal, deadline)).entries()) {
        const { operand, url } = requests[index]!;
        const of = { operand, ...(url !== undefined && { url }) };
        if ('why' in outcome) failures.push({ ...of, why: outcome.why });
        else if (outcome.labels !== undefined) scores.push({ ...of, labels: outcome.labels });
      }
      return { scores, failures };
    },
  };
}

const kinds = [/^[A-Z][A-Za-z]{0,38}Error$/, /^(?:E|ERR_|UND_ERR_)[A-Z_]{2,40}$/, /^[1-5]\d\d$/];

/** Describes a failure by kind, code and status of the error and its cause. Messages are left out: they may quote a key or a text. */
function failureWords(error: unknown): string {
  const facts = [asFields(error), asFields(asFields(error)?.cause)].flatMap((own) =>
    ['name', 'code', 'status', 'statusCode'].map((field) => String(read(own, field) ?? '')),
  );
  const known = facts.filter((fact) => fact !== 'Error' && kinds.some((kind) => kind.test(fact)));
  return known.length === 0 ? 'the scorer failed' : `the scorer failed: ${[...new Set(known)].join(', ')}`;
}

/** Digests what scores depend on, so that no text or address is kept. */
function keyOf({ operand, text, url, labels }: ScoreRequest): string {
  return digest([operand, text ?? null, url ?? null, labels]);
}

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

/** Options of the scoring of messages. An unknown one is a `UsageError`. */
export interface ScoringOptions {
  /** Texts and files that are scored at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** Time limit of scoring one of them, in milliseconds, from when its turn has come. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Texts and files whose scores are kept, texts by their digest alone, the least recently used ones dropped first; 0 for none. Default 10,000. */
  readonly cacheSize?: number | undefined;
}

/** A text or a file that has no scores because its scorer failed. */
export interface ScoringFailure {
  readonly operand: Scores['operand'];
  /** Of a file. */
  readonly url?: string;
  /** For people; holds no part of the text or the url. */
  readonly why: string;
}

/** Scores texts and files. */
export interface Scoring {
  /**
   * The scores of what is requested, in its order. A text or file whose scorer failed, or has not answered when `deadline` aborts, is in
   * `failures` instead; one that no scores are known of is in neither. Rejects only with the reason of the signal.
   */
  readonly scoresOf: (
    requests: readonly ScoreRequest[],
    signal?: AbortSignal,
    deadline?: AbortSignal,
  ) => Promise<{ readonly scores: readonly Scores[]; readonly failures: readonly ScoringFailure[] }>;
}

/** What subscribers of `sluice:scorer:call` of `node:diagnostics_channel` receive, one for each call. It holds no text and no address. */
export interface ScorerCallEvent {
  readonly operand: Scores['operand'];
  readonly outcome: 'scored' | 'unknown' | 'failed';
  /** Why it failed. */
  readonly why?: string;
  readonly durationMs: number;
}

const scorerCalls = channel('sluice:scorer:call');

type Outcome = { readonly labels: Labels | undefined } | { readonly why: string };

const late: Outcome = { why: 'the scorer did not answer before the deadline of the message' };

/** A call of the scorer, shared by all that wait for the scores of one text or file. It begins when the turn of one of them has come. */
interface SharedCall {
  readonly outcome: Promise<Outcome>;
  /** Resolves when the call has ended; does nothing but that, at once, when it has begun before or nobody waits any more. */
  readonly begin: () => Promise<void> | undefined;
  readonly leave: () => void;
  /** How many have joined and not left. */
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

/** Creates it with the given clocks and timers. */
export function createScoringIn(environment: Environment, scorer: Scorer, options: ScoringOptions = {}): Scoring {
  refuseUnknownOptions('`scoring`', options, Object.keys(numbers));
  const { concurrency, timeoutMs, cacheSize } = readNumbers('scoring.', options, numbers);
  if (typeof scorer?.score !== 'function') throw new UsageError('a scorer must be an object with a `score` method');
  const turns = new Turns(concurrency);
  /** In the order of use, the least recent first. */
  const cache = new Map<string, Labels>();
  const calls = new Map<string, SharedCall>();

  /** Scores one text or file, and publishes how that went. */
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

  /** Joins the call for a text or a file, or begins it. Whoever joined must leave; the last one to leave aborts it. */
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
        // Neither a failure nor unknown scores: either may be over when the file is next met.
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
    // What is kept takes no turn. A call that another message waits for as well begins in whichever turn comes first.
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

/** Why a scorer failed: kind, code and status of the error and of its cause. Its message is left out, which may quote a key or a text. */
function failureWords(error: unknown): string {
  const facts = [asFields(error), asFields(asFields(error)?.cause)].flatMap((own) =>
    ['name', 'code', 'status', 'statusCode'].map((field) => String(read(own, field) ?? '')),
  );
  const known = facts.filter((fact) => fact !== 'Error' && kinds.some((kind) => kind.test(fact)));
  return known.length === 0 ? 'the scorer failed' : `the scorer failed: ${[...new Set(known)].join(', ')}`;
}

/** What scores depend on, as a digest: nothing is kept of a text or an address. */
function keyOf({ operand, text, url, labels }: ScoreRequest): string {
  return digest([operand, text ?? null, url ?? null, labels]);
}

import { channel } from 'node:diagnostics_channel';
import { type Environment, startDeadline, systemEnvironment, unlessAborted } from '../client/deadline.js';
import { longestTimerMs, type NumberOptions, readNumbers } from '../client/validate.js';
import { asFields } from '../compile/untrusted.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { SluiceError, UsageError } from '../errors.js';
import type { Scores } from '../evaluate/media.js';
import { keyOf, type MediaOperand, mostScoredFiles } from '../media.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import { isLabels, type Labels, type MediaAttachment, mediaOf, type Scorer } from './scorer.js';
import { Turns } from './turns.js';

/** Options of the scoring of messages. An unknown one is a `UsageError`. */
export interface ScoringOptions {
  /** Files that are scored at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** Time limit of scoring one file, in milliseconds, from when its turn has come. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Files whose scores are kept, the least recently used ones dropped first; 0 for none. Default 10,000. */
  readonly cacheSize?: number | undefined;
}

/** A file that has no scores because its scorer failed. */
export interface ScoringFailure {
  readonly operand: MediaOperand;
  readonly url: string;
  /** For people; holds no part of the url. */
  readonly why: string;
}

/** Scores the files of messages. */
export interface Scoring {
  /**
   * The scores of the files of a message, in its order, of the given operands (all without), those that `given` has left out. A file
   * whose scorer failed is in `failures` instead; one that no scores are known of is in neither, nor are those behind the first
   * `mostScoredFiles`. Rejects only with the reason of the signal.
   */
  readonly scoresFor: (
    message: string | MessageDraft,
    signal?: AbortSignal,
    given?: readonly Scores[],
    operands?: readonly MediaOperand[],
  ) => Promise<{ readonly media: readonly Scores[]; readonly failures: readonly ScoringFailure[] }>;
}

/** What subscribers of `sluice:scorer:call` of `node:diagnostics_channel` receive, one for each call. It holds no address. */
export interface ScorerCallEvent {
  readonly operand: MediaOperand;
  readonly outcome: 'scored' | 'unknown' | 'failed';
  /** Why it failed. */
  readonly why?: string;
  readonly durationMs: number;
}

const scorerCalls = channel('sluice:scorer:call');

type Outcome = { readonly labels: Labels | undefined } | { readonly why: string };

/** A call of the scorer, shared by all that wait for the scores of one file. It begins when the turn of one of them has come. */
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

/** Addresses beyond this many characters, such as `data:` ones, are not kept: ten thousand of them could fill the memory. */
const longestCachedUrl = 4096;

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

  /** Scores one file, and publishes how that went. */
  async function score(attachment: MediaAttachment, signal: AbortSignal): Promise<Outcome> {
    const startedAt = environment.elapsedMs();
    const outcome = await call(attachment, signal);
    if (scorerCalls.hasSubscribers) {
      const result = 'why' in outcome ? 'failed' : outcome.labels === undefined ? 'unknown' : 'scored';
      const durationMs = environment.elapsedMs() - startedAt;
      scorerCalls.publish({
        operand: attachment.operand,
        outcome: result,
        durationMs,
        ...('why' in outcome && { why: outcome.why }),
      } satisfies ScorerCallEvent);
    }
    return outcome;
  }

  async function call(attachment: MediaAttachment, signal: AbortSignal): Promise<Outcome> {
    const deadline = startDeadline(timeoutMs, signal, environment);
    try {
      deadline.signal.throwIfAborted();
      // A scorer may ignore its signal, and throw before it returns a promise.
      const scoring = (async () => scorer.score(attachment, { signal: deadline.signal }))();
      const labels: unknown = await unlessAborted(deadline.signal, scoring);
      if (labels === undefined) return { labels };
      // Copied, since a scorer may fill the same object for its next file.
      const own = { ...asFields(labels) };
      if (asFields(labels) !== undefined && isLabels(own)) return { labels: own };
      return { why: 'the scorer gave something else than scores from 0 to 100 by label' };
    } catch (error) {
      if (deadline.endedBy() === 'deadline') return { why: `the scorer did not finish within ${timeoutMs} ms` };
      // An error that is not ours may quote anything.
      return { why: error instanceof SluiceError ? error.message : 'the scorer failed' };
    } finally {
      deadline.clear();
    }
  }

  function keep(key: string, labels: Labels): void {
    cache.delete(key);
    if (key.length > longestCachedUrl || cacheSize === 0) return;
    cache.set(key, labels);
    if (cache.size > cacheSize) cache.delete(cache.keys().next().value!);
  }

  /** Joins the call for a file, or begins it. Whoever joined must leave; the last one to leave aborts it. */
  function join(key: string, attachment: MediaAttachment): SharedCall {
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
      return score(attachment, controller.signal).then((ended) => {
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

  async function outcomesOf(attachments: readonly MediaAttachment[], signal: AbortSignal | undefined) {
    const joined: SharedCall[] = [];
    const outcomes = attachments.map((attachment): Outcome | Promise<Outcome> => {
      const key = keyOf(attachment);
      const labels = cache.get(key);
      if (labels !== undefined) {
        keep(key, labels);
        return { labels };
      }
      const call = join(key, attachment);
      joined.push(call);
      return call.outcome;
    });
    // What is kept takes no turn. A call that another message waits for as well begins in whichever turn comes first.
    const withdraw = turns.queue(joined.map(({ begin }) => begin));
    try {
      const all = Promise.all(outcomes);
      return await (signal === undefined ? all : unlessAborted(signal, all));
    } finally {
      for (const { leave } of joined) leave();
      withdraw();
    }
  }

  return {
    scoresFor: async (message, signal, given = [], operands = undefined) => {
      signal?.throwIfAborted();
      const scored = new Set(given.flatMap(({ operand, url }) => (url === undefined ? [] : [keyOf({ operand, url })])));
      const attachments = mediaOf(message)
        .filter((file) => operands?.includes(file.operand) !== false && !scored.has(keyOf(file)))
        .slice(0, mostScoredFiles);
      const media: Scores[] = [];
      const failures: ScoringFailure[] = [];
      for (const [index, outcome] of (await outcomesOf(attachments, signal)).entries()) {
        const { operand, url } = attachments[index]!;
        if ('why' in outcome) failures.push({ operand, url, why: outcome.why });
        else if (outcome.labels !== undefined) media.push({ operand, labels: outcome.labels, url });
      }
      return { media, failures };
    },
  };
}

import { channel } from 'node:diagnostics_channel';
import pLimit from 'p-limit';
import { type Environment, startDeadline, systemEnvironment, unlessAborted } from '../client/deadline.js';
import { longestTimerMs, type NumberOptions, readNumbers } from '../client/validate.js';
import { asFields } from '../compile/untrusted.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { SluiceError, UsageError } from '../errors.js';
import type { MediaScores } from '../evaluate/media.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import { isLabels, keyOf, type Labels, type MediaAttachment, type MediaScorer, mediaOf } from './media-scorer.js';

/** Options of the scoring of messages. An unknown one is a `UsageError`. */
export interface ScoringOptions {
  /** Files that are scored at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** Time limit of scoring one file, in milliseconds, from when its turn has come. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Files whose scores are kept, the least recently used ones dropped first; 0 for none. Default 10,000. */
  readonly cacheSize?: number | undefined;
}

/** A picture or video that has no scores because its scorer failed. */
export interface ScoringFailure {
  readonly operand: 'image' | 'video';
  readonly url: string;
  /** For people; holds no part of the url. */
  readonly why: string;
}

/** Scores the media of messages. */
export interface Scoring {
  /**
   * The scores of the pictures and videos of a message, in its order, those that `given` has left out. A file whose scorer
   * failed is in `failures` instead; one that no scores are known of is in neither. Rejects only with the reason of the signal.
   */
  readonly scoresFor: (
    message: string | MessageDraft,
    signal?: AbortSignal,
    given?: readonly MediaScores[],
  ) => Promise<{ readonly media: readonly MediaScores[]; readonly failures: readonly ScoringFailure[] }>;
}

/** What subscribers of `sluice:scorer:call` of `node:diagnostics_channel` receive, one for each call. It holds no address. */
export interface ScorerCallEvent {
  readonly operand: 'image' | 'video';
  readonly outcome: 'scored' | 'unknown' | 'failed';
  /** Why it failed. */
  readonly why?: string;
  readonly durationMs: number;
}

const scorerCalls = channel('sluice:scorer:call');

type Outcome = { readonly labels: Labels | undefined } | { readonly why: string };

/** A call of the scorer, shared by all that wait for the scores of one file. */
interface SharedCall {
  readonly outcome: Promise<Outcome>;
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
export function createScoring(scorer: MediaScorer, options: ScoringOptions = {}): Scoring {
  return createScoringIn(systemEnvironment, scorer, options);
}

/** Creates it with the given clocks and timers. */
export function createScoringIn(environment: Environment, scorer: MediaScorer, options: ScoringOptions = {}): Scoring {
  refuseUnknownOptions('`scoring`', options, Object.keys(numbers));
  const { concurrency, timeoutMs, cacheSize } = readNumbers('scoring.', options, numbers);
  if (typeof scorer?.score !== 'function')
    throw new UsageError('a media scorer should be an object with a `score` method');
  const limit = pLimit(concurrency);
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
    const outcome = limit(score, attachment, controller.signal).then((ended) => {
      forget();
      // Neither a failure nor unknown scores: either may be over when the file is next met.
      if ('labels' in ended && ended.labels !== undefined) keep(key, ended.labels);
      return ended;
    });
    const forget = (): void => {
      if (calls.get(key) === call) calls.delete(key);
    };
    const leave = (): void => {
      call.waiting--;
      if (call.waiting > 0) return;
      forget();
      controller.abort();
    };
    const call: SharedCall = { outcome, leave, waiting: 1 };
    calls.set(key, call);
    return call;
  }

  function outcomeOf(attachment: MediaAttachment): Pick<SharedCall, 'leave'> & { outcome: Outcome | Promise<Outcome> } {
    const key = keyOf(attachment);
    const labels = cache.get(key);
    if (labels === undefined) return join(key, attachment);
    keep(key, labels);
    return { outcome: { labels }, leave: () => {} };
  }

  async function outcomesOf(attachments: readonly MediaAttachment[], signal: AbortSignal | undefined) {
    const parts = attachments.map(outcomeOf);
    const outcomes = Promise.all(parts.map(({ outcome }) => outcome));
    try {
      return await (signal === undefined ? outcomes : unlessAborted(signal, outcomes));
    } finally {
      for (const { leave } of parts) leave();
    }
  }

  return {
    scoresFor: async (message, signal, given = []) => {
      signal?.throwIfAborted();
      const attachments = mediaOf(message).filter(
        ({ operand, url }) => !given.some((own) => own.operand === operand && own.url === url),
      );
      const media: MediaScores[] = [];
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

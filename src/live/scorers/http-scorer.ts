/** A scorer that calls an endpoint over HTTP. */
import type { Dispatcher } from 'undici';
import * as z from 'zod';
import { asFields } from '../../engine/compile/untrusted.js';
import type { ScoreRequest } from '../../engine/evaluate/score-requests.js';
import { asPercent, type ScoreScale } from '../../engine/score-scale.js';
import { startDeadline } from '../../foundation/deadline.js';
import { HttpError, TimeoutError, UsageError } from '../../foundation/errors.js';
import { checkOptions, type OptionChecks, timerMs, validHeader } from '../../foundation/options.js';
import { type Answer, readJson, redactor, transportError } from '../../platform/client/answer.js';
import { exchange, openPool } from '../../platform/client/call.js';
import { parse } from '../../platform/contract/parse.js';
import { isLabels, type Labels, type Scorer } from './scorer.js';

/** Options of `createHttpScorer`. An unknown one is a `UsageError`. */
export interface HttpScorerOptions {
  /** The address of your endpoint, http or https. It may have a query, which no error shows. */
  readonly url: string;
  /** Further headers, such as `authorization`. No error shows their values. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time limit of one request in milliseconds, to the last byte of its answer. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * The highest score of your endpoint: 100, or 1 for scores from 0 to 1, which are multiplied by
   * 100. Default 100.
   */
  readonly scale?: ScoreScale | undefined;
  /**
   * The dispatcher that replaces the scorer's own pool, such as a proxy agent. It must not follow
   * redirects.
   */
  readonly dispatcher?: Dispatcher | undefined;
}

type Redact = (text: string) => string;

/** Scores of some dozens of labels take a kilobyte. */
const maxBytes = 64 * 1024;

const checks: OptionChecks<HttpScorerOptions> = {
  url: undefined,
  headers: [(headers: unknown) => asFields(headers) !== undefined, 'an object of strings by name'],
  timeoutMs: timerMs,
  scale: [(scale: unknown) => scale === 1 || scale === 100, '1 or 100: what the scores count to'],
  dispatcher: undefined,
};

const answerSchema = (scale: ScoreScale) =>
  z.object({
    labels: z.custom<Labels | null>((value) => value === null || isLabels(value, scale), {
      error: `must be scores from 0 to ${scale} by label, or null`,
    }),
  });

/**
 * Creates a scorer that POSTs each request as JSON to an endpoint of your own: `{ operand, text,
 * labels, message }` or `{ operand, url, mimeType, labels, message }`. It expects status 200 with
 * `{ labels: { <label>: <0..100> } }` (0 to 1 with `scale: 1`), or `{ labels: null }` if no scores
 * are known. It makes one attempt and follows no redirect. Throws `UsageError` for an option that
 * cannot be used; `score` rejects with `NetworkError`, `TimeoutError`, `HttpError` or `ShapeError`,
 * or with the reason of its signal. No error shows the query or path of the endpoint, the value of
 * a header, a text, or the address of the file.
 */
export function createHttpScorer(options: HttpScorerOptions): Scorer {
  checkOptions('`createHttpScorer`', options, checks);
  const { origin, path } = readUrl(options.url);
  const { scale = 100, timeoutMs = 5000 } = options;
  const schema = answerSchema(scale);
  const json = 'application/json';
  const ownHeaders = { accept: json, 'accept-encoding': 'identity', 'content-type': json, 'user-agent': 'sluice' };
  const headers = { ...readHeaders(options.headers), ...ownHeaders };
  const { dispatcher } = openPool(options.dispatcher, timeoutMs);
  const limits = { connectMs: timeoutMs, headersMs: timeoutMs, bodyMs: timeoutMs, maxResponseBytes: maxBytes };
  const operation = `POST ${origin}`;
  const secrets = [path, ...Object.values(options.headers ?? {})];

  async function send(body: string, signal: AbortSignal, redact: Redact): Promise<Answer> {
    try {
      return await exchange(dispatcher, { method: 'POST', origin, path, headers, body }, limits, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      throw transportError(thrown, { operation, origin, limits, redact }, 1, '');
    }
  }

  async function score(body: string, signal: AbortSignal, redact: Redact): Promise<Labels | undefined> {
    const response = await send(body, signal, redact);
    const { status } = response;
    if (status !== 200)
      throw new HttpError(operation, `${operation} was answered with status ${status}`, { attempts: 1, status });
    const { labels } = parse(schema, readJson(operation, response, maxBytes, redact), operation);
    return labels === null ? undefined : asPercent(labels, scale);
  }

  return {
    score: async (request, { signal }) => {
      signal.throwIfAborted();
      const redact: Redact = (text) =>
        [...secrets, ...[request.text, request.url].flatMap((sent) => sent?.toWellFormed() ?? [])]
          .map(redactor)
          .reduce((left, remove) => remove(left), text);
      const deadline = startDeadline(timeoutMs, signal);
      try {
        return await score(bodyOf(request), deadline.signal, redact);
      } catch (error) {
        if (deadline.endedBy() === 'caller') throw signal.reason;
        if (deadline.endedBy() === 'deadline') throw new TimeoutError(operation, timeoutMs);
        throw error;
      } finally {
        deadline.clear();
      }
    },
  };
}

/** The error does not quote the address, since it may contain credentials. */
function readUrl(given: unknown): { readonly origin: string; readonly path: string } {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UsageError('`url` must be an http or https address, such as `https://scores.example/score`');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('`url` holds credentials: leave them out and pass them in `headers`');
  }
  return { origin: url.origin, path: `${url.pathname}${url.search}` };
}

function readHeaders(given: HttpScorerOptions['headers'] = {}): Record<string, string> {
  const read = Object.entries(given).map(([name, value]) => {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new UsageError('`headers` has a name that is not that of a header');
    const shown = `\`headers.${name.toLowerCase()}\``;
    return [name.toLowerCase(), validHeader(shown, value, 'must be a string with at least one character')];
  });
  return Object.fromEntries(read) as Record<string, string>;
}

/**
 * Writes the body. A message that cannot be written as JSON is left out, so that its sender cannot
 * prevent scoring.
 */
function bodyOf(request: ScoreRequest): string {
  try {
    return JSON.stringify(request);
  } catch {
    return JSON.stringify({ ...request, message: undefined });
  }
}

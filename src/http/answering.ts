/** The way of a request: key, route, place, body, judgement; and what each error means. */
import { UsageError } from '../errors.js';
import { nearestNames } from '../nearest-names.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import { type Answer, jsonAnswer, type PlainRequest, Refusal, refused, textAnswer } from './answer.js';
import { answerOf, isByRules, messageOf, type ReasonDetail, readCounted } from './custom-api.js';
import { codeOf, type Judge, judgeBatch, type MessageJudge, readinessOf, readJudged, whyNoRules } from './judging.js';
import { createKeyGuard, type HandlerKeys } from './keys.js';
import { Metrics } from './metrics.js';
import { type Place, Places } from './places.js';
import { readJson } from './request-body.js';

/** Options of `createModerationHandler`. An unknown one is a `UsageError`. */
export interface ModerationHandlerOptions {
  /** The keys of which requests must carry one; left out, requests need none. `/healthz` and `/readyz` never do. */
  readonly auth?: HandlerKeys | undefined;
  /** How much the `reason` of `/custom-api` says. Default `full`. */
  readonly reason?: ReasonDetail | undefined;
  /**
   * What a platform gets when its message cannot be judged: there are no rules, they are too old, or a scorer is late. `fail`
   * (default): a 503, and its own setting decides. `no-match`, `match`: a 200 that says so.
   */
  readonly onUnanswered?: 'fail' | 'no-match' | 'match' | undefined;
  /** Bytes of the bodies and answers that are in flight together, from 16 MiB; requests beyond are refused. Default 64 MiB. */
  readonly maxBytesInFlight?: number | undefined;
}

/** So many requests are answered at a time; more are refused before their bodies are read. */
const mostInFlight = 256;

/** The rest of the bytes is for the platform, which takes a refusal for approval: no batches keep it out. */
const shareOfBackends = 0.75;

/** So many pages of metrics wait for their clients. */
const mostPages = 16;

/** The largest batch and the answer to it, which must find room when nothing else is in flight. */
const leastBytes = 16 * 2 ** 20;

/** A platform waits for two seconds, of which the way there and back takes some. */
const customApiMs = 1_500;

type Route = RouteOptions & (Judging | { readonly places?: undefined; readonly answer: () => Answer });

interface RouteOptions {
  readonly methods: readonly string[];
  /** Those of the query; left out, any are ignored. */
  readonly parameters?: readonly string[];
  /** Needs no key. */
  readonly isOpen?: true;
}

interface Judging {
  /** Where a request takes its place. */
  readonly places: Places;
  readonly answer: (request: PlainRequest, search: URLSearchParams, place: Place) => Promise<Answer>;
}

const again = { 'retry-after': '1' };

/**
 * Answers requests by a judge. `admit` is called with each request first, and refuses it by throwing a `Refusal`. Throws `UsageError` for options
 * that cannot be used; what it returns never rejects.
 */
export function createAnswering(
  judge: MessageJudge,
  options: ModerationHandlerOptions = {},
  admit: (request: PlainRequest) => void = () => {},
): (request: PlainRequest) => Promise<Answer> {
  if (typeof judge?.decide !== 'function' || typeof judge.explain !== 'function') {
    throw new UsageError('createModerationHandler needs an object with `decide` and `explain`, such as a moderator');
  }
  refuseUnknownOptions('createModerationHandler', options, ['auth', 'reason', 'onUnanswered', 'maxBytesInFlight']);
  const { reason = 'full', onUnanswered = 'fail', maxBytesInFlight = 64 * 2 ** 20 } = options;
  if (!['full', 'rule', 'none'].includes(reason)) throw new UsageError("`reason` must be 'full', 'rule' or 'none'");
  if (!['fail', 'no-match', 'match'].includes(onUnanswered)) {
    throw new UsageError("`onUnanswered` must be 'fail', 'no-match' or 'match'");
  }
  if (!Number.isSafeInteger(maxBytesInFlight) || maxBytesInFlight < leastBytes)
    throw new UsageError(`\`maxBytesInFlight\` must be a whole number of bytes, ${leastBytes} or more`);
  const guard = createKeyGuard(options.auth);
  const metrics = new Metrics();
  judge.on?.('refresh', ({ outcome }) => metrics.refresh(outcome));
  const inFlight = { bytes: 0 };
  const places = new Places(mostInFlight, maxBytesInFlight * shareOfBackends, inFlight);
  const platformPlaces = new Places(mostInFlight, maxBytesInFlight, inFlight);
  const pages = new Places(mostPages, Number.POSITIVE_INFINITY, { bytes: 0 });

  // With the signal of the request: a client that is gone gives its place free, and waits for no scores.
  const judgeBy = (request: PlainRequest, search: URLSearchParams): Judge => {
    const given = search.get('explain') ?? 'true';
    if (given !== 'true' && given !== 'false') throw new Refusal(400, '`explain` must be true or false');
    return async ({ message, scores }) => {
      if (given === 'false') {
        const asynchronous = judge.decideAsync?.(message, scores, { signal: request.signal() });
        const verdict = await (asynchronous ?? judge.decide(message, scores));
        metrics.verdict(verdict);
        return { verdict };
      }
      const asynchronous = judge.explainAsync?.(message, scores, { signal: request.signal() });
      const decision = await (asynchronous ?? judge.explain(message, scores));
      metrics.decision(decision);
      return decision;
    };
  };

  const unanswered = (why: string): Answer => {
    metrics.unanswered(why);
    if (onUnanswered === 'fail') throw new Refusal(503, why, again);
    const isMatchingCondition = onUnanswered === 'match';
    const words = reason === 'none' ? '' : `not judged: ${why}`;
    return jsonAnswer({ isMatchingCondition, confidence: isMatchingCondition ? 1 : 0, reason: words });
  };
  const customApi = async (request: PlainRequest, search: URLSearchParams, place: Place): Promise<Answer> => {
    const startedAt = performance.now();
    const counted = readCounted(search);
    const message = messageOf(await readJson(request, place));
    const why = whyNoRules(judge);
    if (why !== undefined) return unanswered(why);
    for (const rule of counted.rules)
      if (judge.hasRule?.(rule) === false) throw new Refusal(404, `there is no rule \`${rule.slice(0, 100)}\``);
    for (const action of counted.actions)
      if (judge.hasAction?.(action) === false)
        throw new Refusal(404, `there is no rule of the action \`${action.slice(0, 100)}\``);
    try {
      const left = customApiMs - (performance.now() - startedAt);
      // A verdict that no score can change needs none: what words drop is answered while a scorer is late.
      const all = isByRules(counted);
      const decision =
        (await within(left, (signal) => judge.explainAsync?.(message, undefined, { signal, all }))) ??
        judge.explain(message);
      const answer = answerOf(decision, counted, reason);
      metrics.decision(answer.isMatchingCondition && !all ? { ...decision, unevaluated: [] } : decision);
      return jsonAnswer(answer);
    } catch (error) {
      if (codeOf(error) === 'usage') throw error;
      return unanswered(error === late ? 'the scores did not come in time' : 'the rules could not be used');
    }
  };

  const readiness = (): Answer => {
    const why = whyNoRules(judge);
    if (why !== undefined) throw new Refusal(503, why);
    return jsonAnswer(readinessOf(judge));
  };
  const printMetrics = (): Answer => {
    const { ageMs, issues } = judge.status ?? {};
    const inFlight = places.taken + platformPlaces.taken;
    const gauges = { inFlight, isReady: whyNoRules(judge) === undefined, ageMs, issues };
    return pages.take().carry(textAnswer(metrics.print(gauges), 'text/plain; version=0.0.4; charset=utf-8'));
  };

  const read = ['GET', 'HEAD'];
  const routes = new Map<string, Route>([
    [
      '/decide',
      {
        methods: ['POST'],
        parameters: ['explain'],
        places,
        answer: async (request, search, place) =>
          jsonAnswer(await judgeBy(request, search)(readJudged(await readJson(request, place)))),
      },
    ],
    [
      '/decide/batch',
      {
        methods: ['POST'],
        parameters: ['explain'],
        places,
        answer: async (request, search, place) => {
          const judgeOne = judgeBy(request, search);
          return textAnswer(await judgeBatch(await readJson(request, place), judgeOne, place), 'application/json');
        },
      },
    ],
    [
      '/custom-api',
      { methods: ['POST'], parameters: ['rule', 'verdict', 'action'], places: platformPlaces, answer: customApi },
    ],
    ['/healthz', { methods: read, isOpen: true, answer: () => jsonAnswer({ status: 'ok' }) }],
    ['/readyz', { methods: read, isOpen: true, answer: readiness }],
    ['/metrics', { methods: read, answer: printMetrics }],
  ]);

  const answerBy = async (
    route: Route | undefined,
    request: PlainRequest,
    search: URLSearchParams,
  ): Promise<Answer> => {
    admit(request);
    if (route?.isOpen !== true) guard(request);
    if (route === undefined)
      throw new Refusal(404, `there is nothing at this path; there are ${[...routes.keys()].join(', ')}`);
    const { methods, parameters } = route;
    if (!methods.includes(request.method)) {
      throw new Refusal(405, `the path takes ${methods.join(' and ')} alone`, { allow: methods.join(', ') });
    }
    if (parameters !== undefined) refuseUnknownParameters(search, parameters);
    if (route.places === undefined) return route.answer();
    const place = route.places.take();
    try {
      return place.carry(await route.answer(request, search, place));
    } catch (error) {
      place.release();
      throw error;
    }
  };

  return async (request) => {
    const startedAt = performance.now();
    const { target } = request;
    const query = target.indexOf('?');
    const pathname = query === -1 ? target : target.slice(0, query);
    const search = query === -1 ? noParameters : new URLSearchParams(target.slice(query));
    const route = routes.get(pathname);
    try {
      return await answerBy(route, request, search);
    } catch (error) {
      const refusal = request.signal().aborted ? new Refusal(499, 'the client is gone') : refusalOf(error, judge);
      // Probes are no requests.
      if (route?.isOpen !== true) metrics.refused(refusal.status);
      return refused(refusal);
    } finally {
      if (route?.places !== undefined) metrics.took(pathname, performance.now() - startedAt);
    }
  };
}

/** What an error of judging is to a client; of one that is not ours nothing is said, since it may quote anything. */
function refusalOf(error: unknown, judge: MessageJudge): Refusal {
  if (error instanceof Refusal) return error;
  const why = whyNoRules(judge);
  if (why !== undefined) return new Refusal(503, why, again);
  const code = codeOf(error);
  if (code === 'usage') return new Refusal(400, (error as Error).message);
  if (code === 'stale') return new Refusal(503, 'the rules are too old', again);
  return new Refusal(500, 'the message could not be judged');
}

function refuseUnknownParameters(search: URLSearchParams, known: readonly string[]): void {
  for (const name of search.keys()) {
    if (known.includes(name)) continue;
    const [near] = nearestNames(name, known);
    const hint = near === undefined ? `it takes ${known.join(', ')}` : `did you mean \`${near}\`?`;
    throw new Refusal(400, `the query has a parameter that the path does not take; ${hint}`);
  }
}

const noParameters = new URLSearchParams();

const late = new Error('late');

/** What `begin` promises, if anything; rejects with `late` after so many milliseconds, whether or not the signal is heeded. */
async function within<T>(ms: number, begin: (signal: AbortSignal) => Promise<T> | undefined): Promise<T | undefined> {
  const controller = new AbortController();
  const work = begin(controller.signal);
  if (work === undefined) return undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late);
      controller.abort(late);
    }, ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

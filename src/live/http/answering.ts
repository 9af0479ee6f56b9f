/** The way of a request: key, route, slot, body, judgement; and what each error means. */
import { Hono } from 'hono';
import { stops } from '../../engine/compile/verdicts.js';
import { UsageError } from '../../foundation/errors.js';
import { nearestNames } from '../../foundation/nearest-names.js';
import { checkOptions, type OptionChecks, wholeNumber } from '../../foundation/options.js';
import type { IncomingBody } from '../../foundation/requests/body.js';
import { type Answer as AnswerOf, byMethod } from '../../foundation/requests/methods.js';
import { again, Refusal } from '../../foundation/requests/refusal.js';
import { type Answer, jsonAnswer, LimitRefusal, refused, textAnswer } from './answer.js';
import type { ReasonDetail } from './custom-api.js';
import { isVerdictSettled, judgeInTime } from './judge-in-time.js';
import { codeOf, type Judge, judgeBatch, type MessageJudge, readinessOf, readJudged, whyNoRules } from './judging.js';
import { createKeyGuard, type HandlerKeys } from './keys.js';
import { Metrics } from './metrics.js';
import { PlatformAnswers, type PlatformOptions } from './platform-answers.js';
import { type Received, readJson } from './request-body.js';
import { type Slot, Slots } from './slots.js';

/** Options of `createModerationHandler`. An unknown one is a `UsageError`. */
export interface ModerationHandlerOptions {
  /**
   * The keys, one of which a request must carry; without the option requests need none. `/healthz`
   * and `/readyz` never do.
   */
  readonly auth?: HandlerKeys | undefined;
  /** The detail of the `reason` of `/custom-api`. Default `full`. */
  readonly reason?: ReasonDetail | undefined;
  /**
   * The answer to a platform when its message cannot be judged: there are no rules, they are too
   * old, scores or other parts are missing by which a rule could match, or a limit is reached.
   * `fail` (default): a 503, or the status of the limit, and its own setting decides. `no-match`,
   * `match`: a 200 that says so.
   */
  readonly onUnanswered?: PlatformOptions['onUnanswered'] | undefined;
  /**
   * Milliseconds that each message waits for its scores, 1 to 3,600,000; it is then judged by the
   * scores that have arrived. Default 5,000. Messages of `/custom-api` wait for 1,500.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * Bytes of the bodies and answers that are in flight together, from 16 MiB; requests beyond are
   * refused. Default 64 MiB.
   */
  readonly maxBytesInFlight?: number | undefined;
}

/** The most requests that are answered at a time; more are refused before their bodies are read. */
const mostInFlight = 256;

/**
 * The share of bytes for backends. The rest is for the platform, which takes a refusal for
 * approval: no batches keep it out.
 */
const shareOfBackends = 0.75;

/** The most pages of metrics that wait for their clients. */
const mostPages = 16;

/**
 * The bytes of the largest batch and the answer to it, which must find room when nothing else is in
 * flight.
 */
const leastBytes = 16 * 2 ** 20;

/** Request and response of Node's http server, where a request came through one. */
interface NodeBindings {
  readonly incoming?: IncomingBody;
  readonly outgoing?: { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown };
}

interface HandlerEnv {
  Bindings: NodeBindings;
}

/**
 * Returns a function that answers requests by a judge and never rejects. `admit` is called with
 * each request first, and refuses it by throwing a `Refusal`. Throws `UsageError` for options that
 * cannot be used.
 */
export function createAnswering(
  judge: MessageJudge,
  options: ModerationHandlerOptions = {},
  admit: (request: Request) => void = () => {},
): (request: Request, node?: NodeBindings) => Promise<Response> {
  if (typeof judge?.decide !== 'function' || typeof judge.explain !== 'function') {
    throw new UsageError('createModerationHandler needs an object with `decide` and `explain`, such as a moderator');
  }
  const { app } = new Answering(judge, { ...readOptions(options), admit });
  return async (request, node = {}) => app.fetch(request, node);
}

const checks: OptionChecks<ModerationHandlerOptions> = {
  auth: undefined,
  reason: [(reason: string) => ['full', 'rule', 'none'].includes(reason), "'full', 'rule' or 'none'"],
  onUnanswered: [(way: string) => ['fail', 'no-match', 'match'].includes(way), "'fail', 'no-match' or 'match'"],
  deadlineMs: [
    (ms: unknown) => typeof ms === 'number' && ms >= 1 && ms <= 3_600_000,
    'a number of milliseconds from 1 to 3,600,000, which is an hour',
  ],
  maxBytesInFlight: [wholeNumber(leastBytes)[0], `a whole number of bytes, ${leastBytes} or more`],
};

type Resolved = ReturnType<typeof readOptions> & { readonly admit: (request: Request) => void };

function readOptions(options: ModerationHandlerOptions) {
  checkOptions('createModerationHandler', options, checks);
  const { reason = 'full', onUnanswered = 'fail', deadlineMs = 5_000, maxBytesInFlight = 64 * 2 ** 20 } = options;
  return { guard: createKeyGuard(options.auth), reason, onUnanswered, deadlineMs, maxBytesInFlight };
}

type Route = RouteOptions & (Judging | { readonly slots?: undefined; readonly answer: () => Answer });

interface RouteOptions {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** The parameters of the query; left out, any are ignored. */
  readonly parameters?: readonly string[];
  /** Whether requests need no key. */
  readonly isOpen?: true;
}

interface Judging {
  /** The slots, of which each request takes one. */
  readonly slots: Slots;
  readonly answer: (received: Received, search: URLSearchParams, slot: Slot) => Promise<Answer>;
  /** Answers in place of a refusal for a limit, or throws it. */
  readonly onLimit?: (refusal: LimitRefusal) => Answer;
}

class Answering {
  readonly app = new Hono<HandlerEnv>();
  readonly #judge: MessageJudge;
  readonly #options: Resolved;
  readonly #metrics = new Metrics();
  /** Slots of backends, and of the platform: neither holds up the other. */
  readonly #slots: Slots;
  readonly #platformSlots: Slots;
  readonly #pages = new Slots(mostPages, Number.POSITIVE_INFINITY, { bytes: 0 });

  constructor(judge: MessageJudge, options: Resolved) {
    this.#judge = judge;
    this.#options = options;
    const { maxBytesInFlight } = options;
    const inFlight = { bytes: 0 };
    this.#slots = new Slots(mostInFlight, maxBytesInFlight * shareOfBackends, inFlight);
    this.#platformSlots = new Slots(mostInFlight, maxBytesInFlight, inFlight);
    const routes = this.#routes(new PlatformAnswers(judge, this.#metrics, options));
    for (const route of routes) this.app.all(route.path, this.#handlerOf(route));
    const paths = routes.map(({ path }) => path).join(', ');
    this.app.notFound(
      this.#guarded(undefined, () => {
        throw new Refusal(404, `there is nothing at this path; the paths are ${paths}`);
      }),
    );
    judge.on?.('refresh', ({ outcome }) => this.#metrics.refresh(outcome));
  }

  /**
   * Returns a handler that answers only authorised requests, and turns errors of `answer` into
   * responses.
   */
  #guarded(route: Route | undefined, answer: AnswerOf<HandlerEnv>): AnswerOf<HandlerEnv> {
    return async (context) => {
      const startedAt = performance.now();
      const request = context.req.raw;
      try {
        this.#options.admit(request);
        if (route?.isOpen !== true) this.#options.guard(request.headers);
        return await answer(context);
      } catch (error) {
        const refusal = request.signal.aborted ? new Refusal(499, 'the client is gone') : refusalOf(error, this.#judge);
        // Probes are not requests.
        if (route?.isOpen !== true) this.#metrics.refused(refusal.status);
        return responseOf(refused(refusal), context.env);
      } finally {
        if (route?.slots !== undefined) this.#metrics.took(route.path, performance.now() - startedAt);
      }
    };
  }

  #handlerOf(route: Route): AnswerOf<HandlerEnv> {
    const { method, parameters } = route;
    const answer: AnswerOf<HandlerEnv> = async ({ req: { raw: request }, env }) => {
      const query = request.url.indexOf('?');
      const search = query === -1 ? noParameters : new URLSearchParams(request.url.slice(query).split('#', 1)[0]);
      if (parameters !== undefined) refuseUnknownParameters(search, parameters);
      return responseOf(await this.#answerInSlot(route, { request, incoming: env.incoming }, search), env);
    };
    return this.#guarded(route, byMethod({ [method]: answer }));
  }

  async #answerInSlot(route: Route, received: Received, search: URLSearchParams): Promise<Answer> {
    if (route.slots === undefined) return route.answer();
    let slot: Slot | undefined;
    try {
      slot = route.slots.take();
      return slot.carry(await route.answer(received, search, slot));
    } catch (error) {
      slot?.release();
      if (route.onLimit === undefined || !(error instanceof LimitRefusal)) throw error;
      return route.onLimit(error);
    }
  }

  #routes(platform: PlatformAnswers): readonly Route[] {
    const decide = { method: 'POST', parameters: ['explain'], slots: this.#slots } as const;
    return [
      {
        ...decide,
        path: '/decide',
        answer: async (received: Received, search: URLSearchParams, slot: Slot) => {
          const judgeOne = this.#judgeFor(received.request, search, slot);
          return jsonAnswer(await judgeOne(readJudged(await readJson(received, slot))));
        },
      },
      {
        ...decide,
        path: '/decide/batch',
        answer: async (received: Received, search: URLSearchParams, slot: Slot) => {
          const judgeOne = this.#judgeFor(received.request, search, slot);
          return textAnswer(await judgeBatch(await readJson(received, slot), judgeOne, slot), 'application/json');
        },
      },
      {
        path: '/custom-api',
        method: 'POST',
        parameters: ['rule', 'verdict', 'action'],
        slots: this.#platformSlots,
        answer: (received, search, slot) => platform.answer(received, search, slot),
        onLimit: (refusal) => platform.unanswered(refusal),
      },
      { path: '/healthz', method: 'GET', isOpen: true, answer: () => jsonAnswer({ status: 'ok' }) },
      { path: '/readyz', method: 'GET', isOpen: true, answer: () => this.#readiness() },
      { path: '/metrics', method: 'GET', answer: () => this.#printMetrics() },
    ];
  }

  /** Judges the messages of one request of a backend. */
  #judgeFor(request: Request, search: URLSearchParams, slot: Slot): Judge {
    const given = search.get('explain') ?? 'true';
    if (given !== 'true' && given !== 'false') throw new Refusal(400, '`explain` must be true or false');
    const isFull = given === 'true';
    const { deadlineMs } = this.#options;
    return async (judged) => {
      const { decision, scorer } = await judgeInTime(this.#judge, judged, {
        request,
        slot,
        deadlineMs,
        all: isFull,
        isSettled: isFull ? ({ verdict }) => stops(verdict) && isVerdictSettled(this.#judge, judged) : undefined,
      });
      const { verdict, unevaluated, reason } = decision;
      if (scorer === 'no-slot' && !stops(verdict) && !isVerdictSettled(this.#judge, judged)) {
        throw new LimitRefusal(429, `${mostInFlight} requests are waiting for scores; try again`, again);
      }
      this.#metrics.decision(decision, scorer === 'not-needed');
      return isFull ? decision : { verdict, unevaluated: unevaluated.length, ...(reason && { reason }) };
    };
  }

  #readiness(): Answer {
    const why = whyNoRules(this.#judge);
    if (why !== undefined) throw new Refusal(503, why);
    return jsonAnswer(readinessOf(this.#judge));
  }

  #printMetrics(): Answer {
    const { ageMs, issues, scoresWarning } = this.#judge.status ?? {};
    const [backends, platform] = [this.#slots, this.#platformSlots];
    const inFlight = backends.taken + backends.waiting + platform.taken + platform.waiting;
    const gauges = { inFlight, isReady: whyNoRules(this.#judge) === undefined, ageMs, issues, scoresWarning };
    return this.#pages
      .take()
      .carry(textAnswer(this.#metrics.print(gauges), 'text/plain; version=0.0.4; charset=utf-8'));
  }
}

/**
 * Returns the refusal for an error of judging. Foreign errors may quote anything, so their messages
 * are left out.
 */
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

/**
 * Makes the response. Its bytes count as in flight until Node's server has sent it; elsewhere only
 * the server knows when that is.
 */
function responseOf({ status, headers, body, release = () => {} }: Answer, { outgoing }: NodeBindings): Response {
  if (outgoing === undefined || outgoing.destroyed) release();
  else outgoing.once('close', release);
  return new Response(body as string, { status, headers });
}

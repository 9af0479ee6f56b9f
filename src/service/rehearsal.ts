import type { IncomingMessage, RequestListener } from 'node:http';
import * as z from 'zod';
import { UsageError } from '../errors.js';
import { answer } from './answer.js';
import type { KeyGuard } from './api-key.js';
import { checkOption } from './check-option.js';
import type { FaultPlan } from './faults/fault.js';
import { faultPlanSchema } from './faults/fault-schema.js';
import { createFaultyListener } from './faults/faulty-listener.js';
import type { ServiceState } from './operation-call.js';
import { limitRate, type RateLimit } from './rate-limit.js';
import { type Reply, send } from './reply.js';
import { controlRevisions, isRevisionControl } from './revision-control.js';
import { openRevisions, type ServedRevisions } from './revisions.js';

/** What the service can do beyond the interface, so that clients are tested before a platform does it to them. All off by default. */
export interface RehearsalOptions {
  /** What goes wrong, and when: as if a faulty proxy stood in front of the service. */
  readonly faults?: FaultPlan | undefined;
  /** How many requests are answered; the others get 429. */
  readonly rateLimit?: RateLimit | undefined;
  /**
   * A directory of dated rule sets that stand in for the rules and lists of the data: files `2026-01-31.json` as `sluice pull`
   * writes them, or directories `2026-01-31` with rules.json and lists.json. Switched by `Service.revisions`, or over HTTP under
   * `/revisions` beside `/v3`, with the key and from this machine only: `GET` tells the names, `PUT` with `{ "name": … }` serves
   * another one, `POST` reads the directory again.
   */
  readonly revisions?: string | undefined;
  /** The revision that is served; the newest when absent. */
  readonly revision?: string | undefined;
}

/** How requests are answered. */
export interface Rehearsal {
  readonly listener: RequestListener;
  /** Absent without the option. */
  readonly revisions: ServedRevisions | undefined;
  /** Ends what faults hold up, so that the service can close. */
  readonly end: () => void;
}

const path = (what: string) => z.string({ error: what }).min(1, { error: what }).optional();
const namesSchema = z.object({
  revisions: path('should be the path of a directory of revisions'),
  revision: path('should be the name of a revision'),
});

/**
 * Makes the listener of the service. An option that is not given adds nothing to the way of a request. Throws `UsageError` for
 * options that cannot work, and what `openRevisions` throws.
 */
export async function createRehearsal(
  options: RehearsalOptions,
  guard: KeyGuard,
  state: ServiceState,
): Promise<Rehearsal> {
  const { faults, rateLimit } = options;
  const plan = faults === undefined ? undefined : checkOption(faultPlanSchema, faults, 'faults');
  const revisions = await revisionsOf(options);
  const plain = (request: IncomingMessage): Promise<Reply> =>
    // Taken once for each request: from then on it sees one revision, whatever is switched meanwhile.
    answer(request, guard, revisions === undefined ? state : { ...state, moderation: revisions.moderation() });
  const limited = rateLimit === undefined ? plain : limitRate(rateLimit, plain);
  const faulty = plan === undefined ? undefined : createFaultyListener(plan, limited);
  const listener = faulty?.listener ?? listenerOf(limited);
  return {
    listener: revisions === undefined ? listener : withControl(listener, guard, revisions),
    revisions,
    end: faulty?.end ?? (() => {}),
  };
}

async function revisionsOf(options: RehearsalOptions): Promise<ServedRevisions | undefined> {
  const { revisions, revision } = checkOption(namesSchema, options, 'options');
  if (revisions !== undefined) return openRevisions(revisions, revision);
  if (revision === undefined) return undefined;
  throw new UsageError('`revision` is one of a directory of them: give that as `revisions`');
}

function withControl(listener: RequestListener, guard: KeyGuard, revisions: ServedRevisions): RequestListener {
  const control = listenerOf((request) => controlRevisions(request, guard, revisions));
  return (request, response) => (isRevisionControl(request) ? control : listener)(request, response);
}

function listenerOf(answerOf: (request: IncomingMessage) => Promise<Reply>): RequestListener {
  return (request, response) => {
    answerOf(request).then(
      (reply) => send(response, reply),
      () => response.destroy(),
    );
  };
}

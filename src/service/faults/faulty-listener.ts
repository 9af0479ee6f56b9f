import { once, setMaxListeners } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Refusal } from '../refusal.js';
import { type Reply, refusalReply, send } from '../reply.js';
import { tellBug } from '../request-terms.js';
import { deliver, type Pause, realPause } from './deliver.js';
import type { Fault, FaultPlan } from './fault.js';
import { htmlReply, rateLimitedReply, statusReply } from './fault-replies.js';
import { createMeetRequest, type Meeting } from './meet-request.js';
import { createPages, type Pages } from './page-faults.js';

/** The service behind a proxy that fails by a plan. */
export interface FaultyListener {
  readonly listener: RequestListener;
  /** Ends what waits, drips or hangs, so that the service can close. */
  readonly end: () => void;
}

/**
 * Puts the faults of a plan between the connection and `answer`. Whatever happens there costs that one request: an error is
 * the end of its connection. `pause` is what faults wait with; tests put another in its place.
 */
export function createFaultyListener(
  plan: FaultPlan,
  answer: (request: IncomingMessage) => Promise<Reply>,
  pause: Pause = realPause,
): FaultyListener {
  const meet = createMeetRequest(plan);
  const pages = createPages(plan);
  const ending = new AbortController();
  const { signal } = ending;
  // Every request that waits listens to it, and node warns from the eleventh on.
  setMaxListeners(0, signal);

  const run = async (request: IncomingMessage, response: ServerResponse, meeting: Meeting): Promise<void> => {
    const wait = latencyOf(meeting);
    // An answer that only waits goes out when the service closes: it is in flight.
    if (wait > 0) await pause(wait, signal).catch(() => {});
    const fault = meeting.faults.find(({ kind }) => kind !== 'latency');
    if (fault?.kind === 'never') {
      if (!response.destroyed) await once(response, 'close', { signal });
      return;
    }
    const reply = early(fault) ?? spoiled(await answer(request), request, fault, meeting, pages);
    await deliver(response, reply, fault, meeting.chance, signal, pause);
  };

  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const isCut = signal.aborted || (request.destroyed && !request.complete);
    if (!isCut) tellBug(request, error);
    response.destroy();
  };

  const listener: RequestListener = (request, response) => {
    let meeting: Meeting;
    try {
      meeting = meet(request);
    } catch (error) {
      if (error instanceof Refusal) send(response, refusalReply(error));
      else fail(request, response, error);
      return;
    }
    run(request, response, meeting).catch((error: unknown) => fail(request, response, error));
  };
  return { listener, end: () => ending.abort() };
}

function latencyOf({ faults, chance }: Meeting): number {
  return faults.reduce(
    (sum, fault, index) =>
      fault.kind === 'latency' ? sum + fault.ms + Math.round(chance(`jitter ${index}`) * (fault.jitterMs ?? 0)) : sum,
    0,
  );
}

/** The reply of a fault that keeps the request from its operation. */
function early(fault: Fault | undefined): Reply | undefined {
  if (fault?.kind === 'status') return statusReply(fault.status ?? 503);
  return fault?.kind === 'rate-limited' ? rateLimitedReply(fault.retryAfter ?? 1, Date.now()) : undefined;
}

function spoiled(
  reply: Reply,
  request: IncomingMessage,
  fault: Fault | undefined,
  { chance }: Meeting,
  pages: Pages,
): Reply {
  switch (fault?.kind) {
    case 'html':
      return htmlReply(fault.status ?? 200);
    case 'content-type':
      return { ...reply, headers: { ...reply.headers, 'content-type': fault.type ?? 'text/plain' } };
    case 'duplicate-page':
    case 'reorder-page':
    case 'cursor-loop':
      return pages.spoil(fault.kind, request, reply, chance);
    default:
      pages.note(request, reply);
      return reply;
  }
}

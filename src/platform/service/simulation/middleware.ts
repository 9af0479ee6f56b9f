/** Simulation as middleware: what a faulty proxy in front of the service would do to requests and answers. */
import { once, setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { checkOption } from '../../contract/parse.js';
import type { ServiceEnv } from '../app.js';
import { jsonResponse } from '../errors.js';
import { createPageFaults, isPageFault } from './pages.js';
import { controlHeader, createFaultSelection, type Route, type SelectedFaults } from './plan.js';
import { type FaultPlan, faultPlanSchema } from './schema.js';
import { deliver, problemOf } from './wire.js';

/** Waits for so many milliseconds; rejects when the signal aborts. */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Simulates a plan. Whatever happens costs that one request. `routeOf` returns the operation that a request is for; faults wait by `pause`;
 * `end` ends what waits, drips or hangs, so that the service can close. Throws `UsageError` for a plan that cannot be used.
 */
export function createSimulation(
  faults: FaultPlan,
  routeOf: (context: Context<ServiceEnv>) => Route | undefined,
  pause: Pause = (ms, signal) => setTimeout(ms, undefined, { signal }),
) {
  const plan = checkOption(faultPlanSchema, faults, 'faults');
  const select = createFaultSelection(plan);
  const pages = createPageFaults(plan);
  const ending = new AbortController();
  const { signal } = ending;
  // Every request that waits listens to it, and Node warns from the eleventh on.
  setMaxListeners(0, signal);

  const middleware: MiddlewareHandler<ServiceEnv> = async (context, next) => {
    const { incoming, outgoing } = context.env;
    const selected = select(routeOf(context), incoming.headers[controlHeader]?.toString());
    const wait = latencyOf(selected);
    // An answer that only waits goes out when the service closes: it is in flight.
    if (wait > 0) await pause(wait, signal).catch(() => {});
    const fault = selected.faults.find(({ kind }) => kind !== 'latency');
    const problem = fault && problemOf(fault);
    if (problem !== undefined) throw problem;
    if (fault?.kind !== 'never') await next();
    const { res } = context;
    if (fault === undefined || isPageFault(fault)) {
      if (res.status !== 200 || (fault === undefined && !pages.keepsPages)) return;
      const spoiled = pages.spoil(fault?.kind, incoming, await res.clone().json(), selected.chance);
      if (spoiled === undefined) return;
      const { 'content-length': _length, ...headers } = Object.fromEntries(res.headers);
      return replaceResponse(context, jsonResponse(spoiled, 200, headers));
    }
    try {
      if (fault.kind !== 'never') await deliver(outgoing, res, fault, selected.chance, (ms) => pause(ms, signal));
      else if (!outgoing.destroyed) await once(outgoing, 'close', { signal });
    } catch (error) {
      outgoing.destroy();
      if (!signal.aborted) throw error;
    }
    replaceResponse(context, RESPONSE_ALREADY_SENT);
  };
  return { middleware, end: () => ending.abort() };
}

function latencyOf({ faults, chance }: SelectedFaults): number {
  const waits = faults.map((fault, index) =>
    fault.kind === 'latency' ? fault.ms + Math.round(chance(`jitter ${index}`) * (fault.jitterMs ?? 0)) : 0,
  );
  return waits.reduce((sum, ms) => sum + ms, 0);
}

/** Assigned over another response, Hono would add the headers of that one. */
function replaceResponse(context: Context<ServiceEnv>, response: Response): void {
  context.res = undefined;
  context.res = response;
}

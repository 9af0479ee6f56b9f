import type { IncomingMessage } from 'node:http';
import { endpoints } from '../../contract/endpoints.js';
import { UsageError } from '../../errors.js';
import { Refusal } from '../refusal.js';
import { refusals } from '../refusals.js';
import { findRoute } from '../router.js';
import { type Chance, chanceOf } from './chance.js';
import type { Fault, FaultPlan } from './fault.js';
import { readShortFault } from './short-form.js';

/** The header in which a request chooses its own fault, where the plan allows that. */
export const controlHeader = 'x-sluice-fault';

/** What goes wrong with one request. */
export interface Meeting {
  readonly faults: readonly Fault[];
  readonly chance: Chance;
}

/** Says what goes wrong with a request. Throws a `Refusal` (400) for a control header that names no fault. */
export type MeetRequest = (request: IncomingMessage) => Meeting;

const selectionFields = ['path', 'method', 'rate', 'after', 'count'] as const;

/**
 * Decides by the plan, synchronously and once for each request as it arrives: the order of requests is all that counts. A
 * request that chose its own fault counts as well, so that it moves none of those of the plan.
 */
export function createMeetRequest({
  seed = 0,
  faults = [],
  controlHeader: isControlled = false,
}: FaultPlan): MeetRequest {
  const seen = new Map<string, number>();
  return (request) => {
    const route = routeOf(request);
    const label = `${route.method} ${route.path ?? '*'}`;
    const ordinal = seen.get(label) ?? 0;
    seen.set(label, ordinal + 1);
    const chance = chanceOf(seed, label, ordinal);
    const chosen = isControlled ? request.headers[controlHeader] : undefined;
    if (chosen !== undefined) return { faults: readControl(String(chosen)), chance };
    return { faults: faults.filter((fault, index) => meets(fault, index, route, ordinal, chance)), chance };
  };
}

interface RouteOfRequest {
  readonly method: string;
  /** Absent when the request is for none of the operations: they share a route, so that the count of routes has a bound. */
  readonly path?: string;
}

function routeOf({ method = '', url = '' }: IncomingMessage): RouteOfRequest {
  try {
    return endpoints[findRoute(method, url).name];
  } catch (error) {
    if (error instanceof Refusal) return { method: 'any' };
    throw error;
  }
}

function meets(fault: Fault, index: number, route: RouteOfRequest, ordinal: number, chance: Chance): boolean {
  const { path, method, rate = 1, after = 0, count = Number.POSITIVE_INFINITY } = fault;
  if (path !== undefined && path !== route.path) return false;
  if (method !== undefined && method !== route.method) return false;
  if (ordinal < after || ordinal >= after + count) return false;
  return rate === 1 || chance(`rate ${index}`) < rate;
}

function readControl(written: string): readonly Fault[] {
  if (written.trim() === 'none') return [];
  try {
    const fault = readShortFault(written, controlHeader);
    const selecting = selectionFields.find((field) => fault[field] !== undefined);
    if (selecting === undefined) return [fault];
    throw new UsageError(`${controlHeader}: \`${selecting}\` belongs in a plan; the header holds for its own request`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw refusals.badRequest({ [controlHeader]: [error.message.slice(`${controlHeader}: `.length)] });
  }
}

/** Which faults of a plan are simulated on a request. */
import { createHash } from 'node:crypto';
import { UsageError } from '../../../foundation/errors.js';
import type { Endpoint } from '../../contract/endpoints.js';
import { problems } from '../errors.js';
import { type Fault, type FaultPlan, readShortFault, selectionFields } from './schema.js';

/** The header in which a request chooses its own fault, where the plan allows that. */
export const controlHeader = 'x-sluice-fault';

/** A number in 0..1, 1 left out, for each purpose of one request; always the same for the same one. */
export type Chance = (purpose: string) => number;

/** What goes wrong with one request. */
export interface SelectedFaults {
  readonly faults: readonly Fault[];
  readonly chance: Chance;
}

/** Path template and method of an operation. */
export type Route = Pick<Endpoint, 'path' | 'method'>;

/**
 * The chances of the n-th request of a route. A digest and no generator with a state: no decision depends on how many were
 * made before it, so adding a fault to a plan leaves those before it as they were.
 */
export function chanceOf(seed: number, route: string, ordinal: number): Chance {
  return (purpose) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, route, ordinal, purpose]))
      .digest();
    return digest.readUInt32BE() / 2 ** 32;
  };
}

/**
 * Selects by the plan, synchronously and once for each request as it arrives: the order of requests is all that counts. A
 * request that chose its own fault counts as well, so that it moves none of those of the plan.
 */
export function createFaultSelection({ seed = 0, faults = [], controlHeader: isControlled = false }: FaultPlan) {
  const seen = new Map<string, number>();
  return (route: Route | undefined, chosen: string | undefined): SelectedFaults => {
    const label = route === undefined ? 'any *' : `${route.method} ${route.path}`;
    const ordinal = seen.get(label) ?? 0;
    seen.set(label, ordinal + 1);
    const chance = chanceOf(seed, label, ordinal);
    if (isControlled && chosen !== undefined) return { faults: readControl(chosen), chance };
    return { faults: faults.filter((fault, index) => isSelected(fault, index, route, ordinal, chance)), chance };
  };
}

function isSelected(fault: Fault, index: number, route: Route | undefined, ordinal: number, chance: Chance): boolean {
  const { path, method, rate = 1, after = 0, count = Number.POSITIVE_INFINITY } = fault;
  if (path !== undefined && path !== route?.path) return false;
  if (method !== undefined && method !== route?.method) return false;
  if (ordinal < after || ordinal >= after + count) return false;
  return rate === 1 || chance(`rate ${index}`) < rate;
}

function readControl(written: string): readonly Fault[] {
  if (written.trim() === 'none') return [];
  try {
    const fault = readShortFault(written, controlHeader);
    const selecting = selectionFields.find((field) => fault[field] !== undefined);
    if (selecting === undefined) return [fault];
    throw new UsageError(`\`${selecting}\` belongs in a plan; the header holds for its own request`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw problems.badRequest({ [controlHeader]: [error.parts?.fact ?? error.message] });
  }
}

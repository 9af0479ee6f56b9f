/** Selects the faults of a plan that are simulated on a request. */
import { createHash } from 'node:crypto';
import { UsageError } from '../../../foundation/errors.js';
import type { Endpoint } from '../../contract/endpoints.js';
import { problems } from '../errors.js';
import { type Fault, type FaultPlan, readShortFault, selectionFields } from './schema.js';

/** The header in which a request chooses its own fault, where the plan allows that. */
export const controlHeader = 'x-sluice-fault';

/** A number in 0..1, 1 left out, for each purpose of one request; always the same for the same purpose. */
export type Chance = (purpose: string) => number;

/** The faults of one request. */
export interface SelectedFaults {
  readonly faults: readonly Fault[];
  readonly chance: Chance;
}

/** Path template and method of an operation. */
export type Route = Pick<Endpoint, 'path' | 'method'>;

/**
 * Returns the chances of the n-th request of a route. They come from a digest and not from a generator with a state, so adding a fault to a
 * plan leaves the decisions before it as they were.
 */
export function chanceOf(seed: number, route: string, ordinal: number): Chance {
  return (purpose) => {
    const text = JSON.stringify([seed, route, ordinal, purpose]);
    return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
  };
}

/**
 * Selects by the plan, synchronously and once for each request as it arrives: only the order of requests counts. A request that chose its own
 * fault counts as well, so that it moves none of those of the plan.
 */
export function createFaultSelection({ seed = 0, faults = [], controlHeader: isControlled = false }: FaultPlan) {
  const seen = new Map<string, number>();
  return (route: Route | undefined, chosen: string | undefined): SelectedFaults => {
    const label = route === undefined ? 'any *' : `${route.method} ${route.path}`;
    const ordinal = seen.get(label) ?? 0;
    seen.set(label, ordinal + 1);
    const chance = chanceOf(seed, label, ordinal);
    if (isControlled && chosen !== undefined) return { faults: readControl(chosen), chance };
    const isSelected = (fault: Fault, index: number): boolean => {
      const { path, method, rate = 1, after = 0, count = Number.POSITIVE_INFINITY } = fault;
      if ((path ?? route?.path) !== route?.path || (method ?? route?.method) !== route?.method) return false;
      if (ordinal < after || ordinal >= after + count) return false;
      return rate === 1 || chance(`rate ${index}`) < rate;
    };
    return { faults: faults.filter(isSelected), chance };
  };
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

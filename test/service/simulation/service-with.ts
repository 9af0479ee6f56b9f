import { onTestFinished } from 'vitest';
import {
  type FaultPlan,
  type Service,
  type ServiceOptions,
  startService,
} from '../../../src/platform/service/index.js';
import { data } from '../sample-data.js';

/** A service over the sample data that fails by a plan, closed when the test is finished. */
export async function serviceWith(faults: FaultPlan | undefined, options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ data, faults, ...options });
  onTestFinished(service.close);
  return service;
}

import { readJsonFile } from '../foundation/files/json.js';
import { checkOption } from '../platform/contract/parse.js';
import type { SimulationOptions } from '../platform/service/index.js';
import { type FaultPlan, faultPlanSchema, readShortFaults } from '../platform/service/simulation/schema.js';
import { type OptionValues, optionGroup } from './command.js';

/** The options of `sluice serve` that make it fail, slow down and change, on request. */
export const simulationOptions = optionGroup('faults and limits, to test clients with; all off without', {
  fault: {
    type: 'string',
    value: 'FAULTS|FILE.json',
    help:
      'what goes wrong: latency=MS, reset, reset=body, truncate, html, content-type, rate-limited=SECONDS, status=503, ' +
      'duplicate-page, reorder-page, cursor-loop, drip=MS, invalid-utf8, never; behind commas which requests it meets, as in ' +
      '`status=503,path=/messages,rate=0.1,count=3`; several divided by `;`; or a file, { "seed": 7, "faults": [{ "kind": "latency", "ms": 200 }] }',
  },
  'rate-limit': {
    type: 'string',
    integer: { min: 1 },
    help: 'answer N requests a minute, and the others with 429; every answer says what is left',
  },
});

/** Reads these options. Throws `UsageError` that names the option, or the field of the file, and `ShapeError` for no JSON. */
export async function readSimulation(values: OptionValues<typeof simulationOptions>): Promise<SimulationOptions> {
  const limit = values['rate-limit'];
  return {
    faults: await readPlan(values),
    rateLimit: limit === undefined ? undefined : { requestsPerMinute: limit },
  };
}

async function readPlan({ fault }: OptionValues<typeof simulationOptions>): Promise<FaultPlan | undefined> {
  if (fault === undefined) return undefined;
  if (!fault.endsWith('.json')) return { faults: readShortFaults(fault, '--fault') };
  return checkOption(faultPlanSchema, await readJsonFile(fault), fault);
}

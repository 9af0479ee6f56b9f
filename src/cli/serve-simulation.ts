import { readJsonFile } from '../foundation/files/json.js';
import { checkOption } from '../platform/contract/parse.js';
import type { SimulationOptions } from '../platform/service/index.js';
import { type FaultPlan, faultPlanSchema, readShortFaults } from '../platform/service/simulation/schema.js';
import { type OptionValues, optionGroup } from './command.js';

/** The options of `sluice serve` that make it fail, slow down and change, on request. */
export const simulationOptions = optionGroup('faults and limits, to test clients with; all off without', {
  fault: {
    type: 'string',
    value: 'FAULTS',
    help:
      'what goes wrong: latency=MS, reset, reset=body, truncate, html, content-type, rate-limited=SECONDS, status=503, ' +
      'duplicate-page, reorder-page, cursor-loop, drip=MS, invalid-utf8, never; behind commas which requests it meets, as in ' +
      '`status=503,path=/messages,rate=0.1,count=3`; several divided by `;`',
  },
  faults: {
    type: 'string',
    value: 'FILE',
    help: 'the same as JSON: { "seed": 7, "faults": [{ "kind": "latency", "ms": 200, "jitterMs": 50, "rate": 0.5 }] }',
  },
  'fault-seed': {
    type: 'string',
    integer: {},
    needs: ['fault', 'faults', 'fault-header'],
    help: 'same seed and same requests, same faults (0, or that of the file)',
  },
  'fault-header': {
    type: 'boolean',
    help: 'let a request choose its fault by the header x-sluice-fault, such as `reset`, or `none`',
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

async function readPlan(values: OptionValues<typeof simulationOptions>): Promise<FaultPlan | undefined> {
  const { fault, faults: file, 'fault-header': controlHeader, 'fault-seed': seed } = values;
  if (fault === undefined && file === undefined && controlHeader === undefined) return undefined;
  const plan: FaultPlan = file === undefined ? {} : checkOption(faultPlanSchema, await readJsonFile(file), file);
  const more = fault === undefined ? [] : readShortFaults(fault, '--fault');
  return {
    seed: seed ?? plan.seed,
    faults: [...(plan.faults ?? []), ...more],
    controlHeader: controlHeader ?? plan.controlHeader,
  };
}

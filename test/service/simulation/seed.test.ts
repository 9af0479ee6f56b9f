import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault, FaultPlan, Service } from '../../../src/platform/service/index.js';
import { runs } from '../../support/runs.js';
import { serviceWith } from './service-with.js';
import { exchange } from './wire.js';

const paths = ['/v3/users/alice', '/v3/users/bob', '/v3/messages?limit=1', '/v3/moderation/rules', '/nowhere'] as const;

/** Status of each request, one after the other. */
async function statuses(service: Service, requests: readonly string[], headers = {}): Promise<number[]> {
  const found: number[] = [];
  for (const path of requests) {
    const response = await fetch(new URL(path, service.url), { headers: { apikey: service.apiKey, ...headers } });
    await response.arrayBuffer();
    found.push(response.status);
  }
  return found;
}

const repeat = (path: string, times: number) => Array.from({ length: times }, () => path);
const sample: Fault[] = [
  { kind: 'status', status: 503, rate: 0.3 },
  { kind: 'status', status: 408, rate: 0.5, path: '/users/{uid}' },
  { kind: 'status', status: 500, after: 3, count: 2 },
];

describe('which requests a fault meets', () => {
  it('follows from the seed and the order of requests alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.constantFrom(...paths), { minLength: 1, maxLength: 25 }),
        async (seed, requests) => {
          const [one, other] = await Promise.all([
            serviceWith({ seed, faults: sample }),
            serviceWith({ seed, faults: [...sample, { kind: 'latency', ms: 2, rate: 0.3 }] }),
          ]);
          const found = await statuses(one, requests);
          expect(await statuses(other, requests)).toEqual(found);
          await Promise.all([one.close(), other.close()]);
        },
      ),
      { numRuns: runs(8, 200) },
    );
  });

  it('is another choice for another seed, and for another fault', async () => {
    const of = async (plan: FaultPlan) => statuses(await serviceWith(plan), repeat(paths[0], 40));
    const half: Fault = { kind: 'status', rate: 0.5 };
    const one = await of({ seed: 1, faults: [half] });
    expect(await of({ seed: 2, faults: [half] })).not.toEqual(one);
    expect(await of({ seed: 1, faults: [{ ...half, rate: 0 }, half] })).not.toEqual(one);
    expect(await of({ faults: [half] })).toEqual(await of({ seed: 0, faults: [half] }));
  });

  it('counts every route by itself, whatever comes between', async () => {
    const service = await serviceWith({ faults: [{ kind: 'status', after: 2, count: 2 }] });
    const [users, , messages, , none] = paths;
    const mixed = Array.from({ length: 6 }, () => [users, messages, none]).flat();
    const found = await statuses(service, mixed);
    const ofPath = (path: string) => found.filter((_, index) => mixed[index] === path);
    expect(ofPath(users)).toEqual([200, 200, 503, 503, 200, 200]);
    expect(ofPath(messages)).toEqual([200, 200, 503, 503, 200, 200]);
    expect(ofPath(none)).toEqual([404, 404, 503, 503, 404, 404]);
  });

  it('takes alike what has the same template, and HEAD for GET', async () => {
    const service = await serviceWith({
      faults: [{ kind: 'status', path: '/users/{uid}', method: 'GET', after: 1, count: 2 }],
    });
    expect(await statuses(service, [paths[0], paths[1]])).toEqual([200, 503]);
    expect(await exchange(service, paths[0], { method: 'HEAD' })).toMatchObject({ status: 503, body: Buffer.alloc(0) });
    expect(await statuses(service, [paths[0], paths[2]])).toEqual([200, 200]);
  });

  it('is about as many as the rate says, and all or none at its ends', async () => {
    const share = async (rate: number) => {
      const found = await statuses(
        await serviceWith({ faults: [{ kind: 'status', rate }] }),
        repeat(paths[0], rate === 0.3 ? 300 : 50),
      );
      return found.filter((status) => status === 503).length / found.length;
    };
    expect(await share(0)).toBe(0);
    expect(await share(1)).toBe(1);
    expect(Math.abs((await share(0.3)) - 0.3)).toBeLessThan(0.08);
  });

  it('of several faults, is the first that meets it', async () => {
    const faults: Fault[] = [
      { kind: 'status', status: 500, count: 1 },
      { kind: 'status', status: 502, count: 2 },
      { kind: 'status', status: 504, method: 'GET', count: 3 },
    ];
    expect(await statuses(await serviceWith({ faults }), repeat(paths[0], 4))).toEqual([500, 502, 504, 200]);
  });
});

describe('the control header', () => {
  const chosen = (fault: string) => ({ 'x-sluice-fault': fault });

  it('does nothing unless it is allowed', async () => {
    for (const plan of [undefined, {}, { faults: [] }, { controlHeader: false }]) {
      const service = await serviceWith(plan);
      for (const fault of ['reset', 'status=503', 'nonsense', ''])
        expect(await statuses(service, [paths[0]], chosen(fault))).toEqual([200]);
    }
  });

  it('chooses the fault of its own request, or none, and moves none of the plan', async () => {
    const service = await serviceWith({ controlHeader: true, faults: [{ kind: 'status', after: 2, count: 2 }] });
    expect(await statuses(service, [paths[0]], chosen('status=418'))).toEqual([418]);
    expect(await statuses(service, [paths[0]])).toEqual([200]);
    expect(await statuses(service, [paths[0]], chosen('none'))).toEqual([200]);
    expect(await statuses(service, repeat(paths[0], 2))).toEqual([503, 200]);
    expect(await exchange(service, paths[0], { headers: chosen('reset') })).toMatchObject({
      ended: 'reset',
      pieces: 0,
    });
    const slow = await exchange(service, paths[0], { headers: chosen('drip=2,bytes=30') });
    expect([slow.status, slow.pieces > 3]).toEqual([200, true]);
  });

  it.each([
    ['nonsense', '`kind` must be one of `latency`, `reset`'],
    ['', '`kind` must be one of'],
    ['reset, status=503', '`status` is not a known field; take it out'],
    ['status=200', '`status` must be a status from 400 to 599'],
    ['status=503,rate=0.5', '`rate` belongs in a plan'],
    ['never=1', '`never` takes no value'],
    ['toString', '`kind` must be one of'],
  ])('%j is a 400 that says how to mend it', async (fault, words) => {
    const service = await serviceWith({ controlHeader: true });
    const { status, body } = await exchange(service, paths[0], { headers: chosen(fault) });
    expect(status).toBe(400);
    const { error } = JSON.parse(body.toString());
    expect(error.code).toBe('ERR_BAD_REQUEST');
    expect(error.details['x-sluice-fault'][0]).toContain(words);
  });
});

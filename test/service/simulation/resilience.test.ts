import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SluiceError } from '../../../src/foundation/errors.js';
import { createClient } from '../../../src/index.js';
import type { Fault, FaultKind, FaultPlan } from '../../../src/platform/service/index.js';
import { runs } from '../../support/runs.js';
import { turns } from '../../support/until.js';
import { patient, requestsTaken } from '../hygiene/raw.js';
import { serviceWith } from './service-with.js';
import { exchange } from './wire.js';

const kinds: readonly FaultKind[] = [
  { kind: 'latency', ms: 3, jitterMs: 5 },
  { kind: 'reset' },
  { kind: 'reset', at: 'body' },
  { kind: 'truncate' },
  { kind: 'html', status: 502 },
  { kind: 'content-type' },
  { kind: 'rate-limited', retryAfter: 0 },
  { kind: 'status', status: 500 },
  { kind: 'duplicate-page' },
  { kind: 'reorder-page' },
  { kind: 'cursor-loop' },
  { kind: 'drip', everyMs: 1, bytes: 200 },
  { kind: 'invalid-utf8' },
  { kind: 'never' },
];

const paths = ['/v3/users/alice', '/v3/messages?limit=3', '/v3/moderation/rules', '/v3/users/%zz', '/', '*'] as const;

describe('a service that fails by plan', () => {
  it('stays up under every kind of fault and every kind of request, abandoned ones too', async () => {
    const request = fc.record({
      path: fc.constantFrom(...paths),
      method: fc.constantFrom('GET', 'HEAD', 'PUT', 'OPTIONS', 'MERGE'),
      leaveMs: fc.constantFrom(1, 10, 60),
      apiKey: fc.constantFrom('wrong', undefined),
    });
    const fault = fc.record({ kind: fc.constantFrom(...kinds), rate: fc.constantFrom(0.3, 1) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fault, { maxLength: 3 }),
        fc.array(request, { minLength: 1, maxLength: 12 }),
        async (seed, faults, requests) => {
          const plan = {
            seed,
            controlHeader: true,
            faults: faults.map(({ kind, rate }): Fault => ({ ...kind, rate })),
          };
          const service = await serviceWith(plan, { limits: patient });
          await Promise.all(
            requests.map(({ apiKey = service.apiKey, path, method, leaveMs }) =>
              exchange(service, path, { method, apiKey, leave: pause(leaveMs) }),
            ),
          );
          const clean = await exchange(service, paths[0], { headers: { 'x-sluice-fault': 'none' } });
          expect(clean.status).toBe(200);
          await service.close();
        },
      ),
      { numRuns: runs(15, 400) },
    );
  });

  it.each<FaultPlan>([
    { faults: [{ kind: 'never' }] },
    { faults: [{ kind: 'drip', everyMs: 3_600_000 }] },
    { faults: [{ kind: 'latency', ms: 3_600_000 }] },
    { faults: [{ kind: 'latency', ms: 3_600_000 }, { kind: 'never' }] },
  ])('closes at once: %j', async (plan) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const service = await serviceWith(plan, { limits: patient });
    const taken = requestsTaken(20);
    const open = Array.from({ length: 20 }, () => exchange(service, paths[0]));
    await taken;
    await turns();
    await service.close();
    for (const { ended, status } of await Promise.all(open)) {
      expect(ended).not.toBe('silence');
      expect(warnings).toEqual([]);
      if (plan.faults?.length === 1 && plan.faults[0]?.kind === 'latency') expect(status).toBe(200);
    }
  });

  it('gives our client a right answer or an error that it knows, within its deadline', async () => {
    const underKind = async (kind: FaultKind, seed: number): Promise<void> => {
      const service = await serviceWith({ seed, faults: [{ ...kind, rate: 0.6 }] });
      const timeouts = { totalMs: 150 };
      const client = createClient({ baseUrl: service.url, apiKey: service.apiKey, timeouts });
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => client.users.get('alice').catch((error: unknown) => error)),
      );
      await client.close();
      for (const outcome of outcomes) {
        if (outcome instanceof Error) expect(outcome, kind.kind).toBeInstanceOf(SluiceError);
        else expect(outcome, kind.kind).toMatchObject({ uid: 'alice', name: 'Alice' });
      }
    };
    await Promise.all(kinds.map(underKind));
  });

  it('leaves a kept connection usable after a fault that keeps it', async () => {
    const service = await serviceWith({ faults: [{ kind: 'status', status: 500, count: 2 }] });
    const body = JSON.stringify({ tags: ['x'.repeat(50_000)] });
    for (const status of [500, 500, 200]) {
      const answer = await fetch(`${service.url}/users/bob/conversation`, {
        method: 'PUT',
        headers: { apikey: service.apiKey, onBehalfOf: 'alice', 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(status);
      await answer.arrayBuffer();
    }
  });
});

import { describe, expect, it } from 'vitest';
import { audit } from '../../src/audit/stream.js';
import { createEngine } from '../../src/engine/engine.js';
import { ShapeError } from '../../src/foundation/errors.js';
import type { Fault } from '../../src/platform/service/index.js';
import { serviceWith } from '../service/simulation/service-with.js';
import { clientOf } from '../support/http.js';

const engine = createEngine({ rules: [], lists: [] });

async function judged(faults: readonly Fault[], limit: number): Promise<{ ids: unknown[]; error: unknown }> {
  const service = await serviceWith({ faults: faults.map((fault) => ({ ...fault, path: '/messages' })) });
  const client = clientOf(service, { apiKey: service.apiKey });
  const ids: unknown[] = [];
  const error = await (async () => {
    for await (const { messageId } of audit(client.messages.iterate({ limit }), engine)) ids.push(messageId);
  })().catch((thrown: unknown) => thrown);
  await client.close();
  return { ids, error };
}

describe('audit of a faulty message listing', () => {
  it.each(['cursor-loop', 'duplicate-page'] as const)('%s: rejects after the entries listed before', async (kind) => {
    const { ids: all, error: none } = await judged([], 3);
    expect(none).toBeUndefined();
    const { ids, error } = await judged([{ kind, after: 1 }], 3);
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ source: 'GET /messages', path: 'meta.next' });
    expect(ids).toEqual(all.slice(0, ids.length));
    expect(ids.length).toBeLessThan(all.length);
  });
});

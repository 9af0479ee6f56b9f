import { expect, it } from 'vitest';
import { audit } from '../../src/audit/stream.js';
import { createEngine } from '../../src/engine/engine.js';
import { ShapeError } from '../../src/foundation/errors.js';
import { type Intercept, startService } from '../../src/platform/service/index.js';
import { data } from '../service/sample-data.js';
import { clientOf } from '../support/http.js';

const engine = createEngine({ rules: [], lists: [] });

async function judged(intercept?: Intercept): Promise<{ ids: unknown[]; error: unknown }> {
  const service = await startService({ data, intercept });
  const client = clientOf(service, { apiKey: service.apiKey });
  const ids: unknown[] = [];
  const error = await (async () => {
    for await (const { messageId } of audit(client.messages.iterate({ limit: 3 }), engine)) ids.push(messageId);
  })().catch((thrown: unknown) => thrown);
  await client.close();
  await service.close();
  return { ids, error };
}

it('an audit of a listing whose pages repeat rejects after the entries listed before', async () => {
  const { ids: all, error: none } = await judged();
  expect(none).toBeUndefined();
  let first: string | undefined;
  const { ids, error } = await judged(async (_, answer) => {
    const text = await (await answer()).text();
    first ??= text;
    return new Response(first, { headers: { 'content-type': 'application/json' } });
  });
  expect(error).toBeInstanceOf(ShapeError);
  expect(error).toMatchObject({ source: 'GET /messages', path: 'meta.next' });
  expect(ids).toEqual(all.slice(0, ids.length));
  expect(ids.length).toBeLessThan(all.length);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagesOfPlatform, readMessages } from '../../src/audit/source/messages.js';
import { readFilters } from '../../src/cli/message-options.js';
import { HttpError } from '../../src/foundation/errors.js';
import type { Client } from '../../src/platform/client/client.js';
import { createClient } from '../../src/platform/client/client.js';
import { type Service, startService } from '../../src/platform/service/index.js';
import { world } from './world.js';

const count = 101;
let service: Service;
let client: Client;

beforeAll(async () => {
  service = await startService({ data: world(count) });
  client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
});
afterAll(async () => {
  await client.close();
  await service.close();
});

const { signal } = new AbortController();

async function idsOf(messages: Client['messages'], options = {}) {
  const filters = readFilters(options, false);
  const ids: unknown[] = [];
  for await (const { id } of readMessages(messagesOfPlatform(messages, filters, signal), filters)) ids.push(id);
  return ids;
}

describe('messages of a platform that are read one by one', () => {
  it('are those of a listing', async () => {
    const { data } = await client.messages.list({ limit: 1000 });
    expect(await idsOf(client.messages)).toEqual(data.map(({ id }) => id));
  });

  it('pass the filters, and end with the clock if the platform refuses to list backwards', async () => {
    const list = () => Promise.reject(new HttpError('GET /messages', 'no', { status: 400 }));
    const refusing = { ...client.messages, list };
    expect(await idsOf(refusing, { since: '2026-03-02', until: '2026-03-02T10:00Z' })).toHaveLength(11);
    expect(await idsOf(refusing)).toHaveLength(count);
  });
});

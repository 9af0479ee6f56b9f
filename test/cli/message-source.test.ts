import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessageSource, messagesOfPlatform } from '../../src/audit/source/messages.js';
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
const filters = { ...readFilters({}, false), pageSize: 10 };

async function sharesOf(source: MessageSource): Promise<(number | undefined)[]> {
  const shares = [];
  for await (const message of source.messages) shares.push(source.share(message));
  return shares;
}

describe('progress over the messages of a platform', () => {
  it('is the position between the first and the newest message', async () => {
    const shares = await sharesOf(await messagesOfPlatform(client.messages, filters, signal, { measured: true }));
    expect(shares).toHaveLength(count);
    expect(shares).toEqual(shares.map((_, index) => index / (count - 1)));
  });

  it('is relative to the messages that pass the filters', async () => {
    const until = { ...readFilters({ since: '2026-03-02', until: '2026-03-02T10:00Z' }, false), pageSize: 10 };
    const shares = await sharesOf(await messagesOfPlatform(client.messages, until, signal, { measured: true }));
    expect(shares).toEqual(Array.from({ length: 11 }, (_, index) => index / 10));
  });

  it('is unknown without a status line, or when the platform refuses to list backwards', async () => {
    const unwatched = await sharesOf(await messagesOfPlatform(client.messages, filters, signal, { measured: false }));
    expect(new Set(unwatched)).toEqual(new Set([undefined]));
    const refusing: Client = {
      ...client,
      messages: {
        ...client.messages,
        list: () => Promise.reject(new HttpError('GET /messages', 'no', { status: 400 })),
      },
    };
    const shares = await sharesOf(await messagesOfPlatform(refusing.messages, filters, signal, { measured: true }));
    expect(shares).toHaveLength(count);
    expect(new Set(shares)).toEqual(new Set([undefined]));
  });
});

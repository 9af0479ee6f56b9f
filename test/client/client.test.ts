import { inspect } from 'node:util';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { createClient } from '../../src/platform/client/client.js';
import { apiKey, clientOf, json, rejection, serve, serveJson } from '../support/http.js';
import { until } from '../support/until.js';

describe('client', () => {
  it('shows no key in a dump', () => {
    const client = createClient({ baseUrl: 'https://app.example/v3', apiKey });
    expect(inspect(client, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(apiKey);
    expect(JSON.stringify(client)).not.toContain(apiKey);
  });

  it('close: refuses later calls, and may be called twice', async () => {
    const server = await serveJson({ data: { uid: 'ann' } });
    const client = clientOf(server);
    await client.users.get('ann');
    await client.close();
    await client.close();
    const error = await rejection(client.users.get('ann'));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain('closed');
    expect(server.received).toHaveLength(1);
  });

  it('close: waits for a call in progress', async () => {
    const server = await serveJson({ data: { uid: 'ann' } });
    const client = clientOf(server);
    const call = client.users.get('ann');
    await client.close();
    expect(await call).toEqual({ uid: 'ann' });
  });

  it('close: leaves an injected dispatcher open', async () => {
    const server = await serveJson({ data: { uid: 'ann' } });
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.close());
    await clientOf(server, { dispatcher }).close();
    expect(dispatcher.closed).toBe(false);
    expect(await clientOf(server, { dispatcher }).users.get('ann')).toEqual({ uid: 'ann' });
  });

  it('close: waits for the retries of a call', async () => {
    let at = 0;
    const server = await serve((response) => {
      if (at++ === 0) response.writeHead(503).end();
      else json(response, { data: { uid: 'ann' } });
    });
    const client = clientOf(server, { retry: { baseMs: 200 } });
    const call = client.users.get('ann');
    await until(() => at > 0);
    await client.close();
    expect(await call).toEqual({ uid: 'ann' });
    expect(await rejection(client.users.get('ann'))).toBeInstanceOf(UsageError);
  });
});

import { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { redactor } from '../../src/platform/client/errors.js';
import { apiKey, clientOf, rejection, serve, type TestServer } from '../support/http.js';
import { everythingOf } from './faults/watch-call.js';

describe('the api key', () => {
  /** Servers that echo the key in parts of a response that the peers of `faults/` leave out. */
  const echoes: Record<string, () => Promise<Pick<TestServer, 'url'>>> = {
    'error body': () =>
      serve((response) => {
        const details = { [apiKey]: [apiKey], field: [`the key ${apiKey} is wrong`] };
        response.writeHead(401).end(JSON.stringify({ error: { code: apiKey, message: apiKey, details } }));
      }),
    redirect: () =>
      serve(
        (response) => void response.writeHead(302, { location: `https://${apiKey}.example/${apiKey}?${apiKey}` }).end(),
      ),
    'no json': () => serve((response) => void response.end(apiKey)),
    'field name': () =>
      serve((response) => {
        const entities = { [apiKey]: { entityType: 7 } };
        response.end(JSON.stringify({ data: [{ id: '1', data: { entities } }] }));
      }),
    'wrong field': () => serve((response) => void response.end(JSON.stringify({ data: [{ id: [apiKey] }] }))),
  };

  it.each(Object.keys(echoes))('is in no error of a server that echoes it: %s', async (name) => {
    const error = await rejection(clientOf(await echoes[name]!(), { retry: false }).messages.list());
    expect(error).toHaveProperty('code');
    expect(everythingOf(error).toLowerCase()).not.toContain(apiKey);
  });

  it('is in no error of an injected dispatcher', async () => {
    class Loud extends Dispatcher {
      override request(options: unknown): Promise<never> {
        const fault = Object.assign(new Error(`could not send ${JSON.stringify(options)}`), { options });
        fault.name = apiKey;
        return Promise.reject(fault);
      }
    }
    const error = await rejection(
      clientOf({ url: 'http://127.0.0.1:1/v3' }, { dispatcher: new Loud() }).users.get('ann'),
    );
    expect(error).toMatchObject({ code: 'network' });
    expect(everythingOf(error)).toContain('[redacted]');
    expect(everythingOf(error)).not.toContain(apiKey);
  });

  it('is in no usage error', async () => {
    const client = clientOf({ url: 'http://127.0.0.1:1/v3' });
    const misuses = [
      client.users.get('..'),
      client.users.get('a', { onBehalfOf: ` ${apiKey}` }),
      client.groups.get(` ${apiKey}`),
    ];
    for (const misuse of misuses) expect(everythingOf(await rejection(misuse))).not.toContain(apiKey);
  });

  it('is redacted whatever its characters, in any case', () => {
    const redact = redactor('a.b*c(d)[e]$1\\');
    expect(redact('x A.B*C(D)[E]$1\\ y')).toBe('x [redacted] y');
    expect(redact('aXbbc(d)')).toBe('aXbbc(d)');
  });

  it('is redacted as addresses and JSON write it, too', () => {
    const redact = redactor('a/b+"c\\d=');
    expect(redact(`x ${encodeURIComponent('a/b+"c\\d=')} y`)).toBe('x [redacted] y');
    expect(redact(JSON.stringify({ key: 'a/b+"c\\d=' }))).toBe('{"key":"[redacted]"}');
  });
});

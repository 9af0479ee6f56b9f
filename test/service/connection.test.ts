import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { type Service, startService } from '../../src/platform/service/index.js';
import { callerOf } from './call.js';
import { exchange, portOf } from './hygiene/raw.js';
import { data } from './sample-data.js';

const running: Service[] = [];
async function start(options: Parameters<typeof startService>[0] = {}): Promise<Service> {
  const service = await startService({ data, ...options });
  running.push(service);
  return service;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

describe('startService', () => {
  it('listens on loopback, on any free port, and says where', async () => {
    const service = await start();
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v3$/);
    const second = await start({ apiKey: 'my-own-key' });
    expect(second.apiKey).toBe('my-own-key');
    expect(second.apiKey).not.toBe(service.apiKey);
    expect((await callerOf(second)('/users/alice')).status).toBe(200);
    expect((await callerOf(second)('/users/alice', { apikey: service.apiKey })).status).toBe(401);
  });

  it('refuses options that cannot work', async () => {
    const taken = portOf(await start());
    for (const options of [
      { port: taken },
      { port: -1 },
      { port: 1.5 },
      { port: 65_536 },
      { host: '203.0.113.1' },
      { apiKey: '' },
      { apiKey: 'two words' },
      { apiKey: 'clé' },
      { apiKey: 'line\nbreak' },
      { data: '' },
    ]) {
      await expect(startService({ data, ...options }), JSON.stringify(options)).rejects.toThrow(UsageError);
    }
    await expect(startService(null as never)).rejects.toThrow('startService takes an object of options');
  });

  it.each([
    ['prot', 'port'],
    ['apikey', 'apiKey'],
    ['interceptor', 'intercept'],
  ])('refuses an option that is not known, and names the nearest one: %s', async (name, known) => {
    const started = startService({ data, [name]: 0 });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(`startService has no option '${name}'; did you mean '${known}'?`);
  });
});

describe('the request line', () => {
  const raw = (
    service: Service,
    method: string,
    path: string,
  ): Promise<{ status: number; body: string; length: string }> =>
    new Promise((resolve, reject) => {
      const { apiKey } = service;
      request({ host: '127.0.0.1', port: portOf(service), method, path, headers: { apikey: apiKey } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        const { statusCode: status = 0, headers } = response;
        response.on('end', () => resolve({ status, body, length: headers['content-length'] ?? '' }));
      })
        .on('error', reject)
        .end();
    });

  it('is taken as it stands: an id is never more than its segment', async () => {
    const service = await start();
    for (const path of [
      '/v3/users/../messages',
      '/v3/users/%2e%2e/messages',
      '/v3/users/alice/../../messages',
      '/v3/./messages',
    ]) {
      expect((await raw(service, 'GET', path)).status, path).toBe(404);
    }
    for (const id of ['..', '%2e%2e', '..%2Fmessages', 'alice%00', 'alice%2F..']) {
      const { status, body } = await raw(service, 'GET', `/v3/users/${id}`);
      expect([status, JSON.parse(body).error.code], id).toEqual([404, 'ERR_UID_NOT_FOUND']);
    }
    for (const path of ['/', '/v3', '/v2/messages']) {
      expect((await raw(service, 'GET', path)).status, path).toBe(404);
    }
    expect((await raw(service, 'GET', `${service.url}/users/alice?x=http://y`)).status).toBe(200);
    expect((await raw(service, 'GET', '/v3/%75sers/al%69ce')).status).toBe(200);
  });

  it('with HEAD gets the head of GET', async () => {
    const service = await start();
    const [head, get] = [await raw(service, 'HEAD', '/v3/users/alice'), await raw(service, 'GET', '/v3/users/alice')];
    expect(head).toEqual({ ...get, body: '' });
    expect(Number(get.length)).toBe(Buffer.byteLength(get.body));
    expect((await raw(service, 'HEAD', '/v3/users/nobody')).status).toBe(404);
  });
});

describe('requests', () => {
  it('without host are answered all the same', async () => {
    const service = await start();
    const head = `GET /v3/users/alice HTTP/1.1\r\nconnection: close\r\napikey: ${service.apiKey}\r\n`;
    expect(await exchange(service, `${head}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that break off leave the service up', async () => {
    const service = await start();
    for (const bytes of [
      '',
      'GET',
      `PUT /v3/users/bob/conversation HTTP/1.1\r\napikey: ${service.apiKey}\r\nonBehalfOf: alice\r\ncontent-length: 50\r\n\r\n{"ta`,
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(portOf(service), '127.0.0.1', () => socket.write(bytes, () => socket.resetAndDestroy()));
        socket.on('close', () => resolve());
      });
    }
    expect((await callerOf(service)('/users/alice')).status).toBe(200);
  });
});

it('a service can be closed twice, and answers nothing then', async () => {
  const service = await start();
  await callerOf(service)('/users/alice');
  await Promise.all([service.close(), service.close()]);
  await expect(callerOf(service)('/users/alice')).rejects.toThrow();
});

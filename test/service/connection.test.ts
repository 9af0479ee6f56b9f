import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { type Service, startService } from '../../src/platform/service/index.js';
import { callerOf } from './call.js';
import { portOf } from './hygiene/raw.js';
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
    const ports = [taken, -1, 1.5, 65_536].map((port) => ({ port }));
    const keys = ['', 'two words', 'clé', 'line\nbreak'].map((apiKey) => ({ apiKey }));
    for (const options of [...ports, ...keys, { host: '203.0.113.1' }, { data: '' }]) {
      await expect(startService({ data, ...options }), JSON.stringify(options)).rejects.toThrow(UsageError);
    }
    await expect(startService(null as never)).rejects.toThrow('startService must be an object of options');
  });
});

it('a service can be closed twice, and answers nothing then', async () => {
  const service = await start();
  await callerOf(service)('/users/alice');
  await Promise.all([service.close(), service.close()]);
  await expect(callerOf(service)('/users/alice')).rejects.toThrow();
});

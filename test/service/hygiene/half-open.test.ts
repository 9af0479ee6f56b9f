import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { callerOf } from '../call.js';
import { open, requestBytes, serve } from './raw.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const bound = 4 * 1024 * 1024;

function heapUsed(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

it('1,000 half-open connections block nobody, are all cut off, and leave no memory behind', async () => {
  const headMs = 600;
  const service = await serve({ limits: { headMs, bodyMs: headMs } });
  const call = callerOf(service);
  const put = ['onBehalfOf: alice', 'content-type: application/json', 'content-length: 50'];
  const begun = [
    '',
    'GET /v3/us',
    'GET /v3/users/alice HTTP/1.1\r\nhost: x\r\nx: ',
    requestBytes(service, 'PUT /v3/users/bob/conversation', put, '{"tags":['),
  ];
  const hold = async (count: number, meanwhile: () => Promise<void>): Promise<readonly string[]> => {
    const wires = Array.from({ length: count }, () => open(service));
    for (const [index, { socket }] of wires.entries()) socket.write(begun[index % begun.length]!);
    await meanwhile();
    await Promise.all(wires.map(({ ended }) => ended));
    for (const { socket } of wires) socket.destroy();
    return wires.map(({ text }) => text().slice(0, 12));
  };

  // Once for what is allocated once: pools, compiled code.
  await hold(100, async () => {});
  const before = heapUsed();
  const waits: number[] = [];
  const heads = await hold(1_000, async () => {
    for (let index = 0; index < 100; index += 1) {
      const sent = performance.now();
      expect((await call('/users/alice')).status).toBe(200);
      waits.push(performance.now() - sent);
    }
  });
  expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 408']));
  waits.sort((a, b) => a - b);
  expect(waits[50]).toBeLessThan(100);
  expect(waits[98]).toBeLessThan(1_000);
  const grown = () => heapUsed() - before;
  // Sockets and timers are let go of a moment later.
  for (let waited = 0; waited < 30 && grown() >= bound; waited += 1) await pause(100);
  expect(grown()).toBeLessThan(bound);
  expect((await call('/users/alice')).status).toBe(200);
}, 30_000);

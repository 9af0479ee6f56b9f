import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { Service } from '../../../src/platform/service/index.js';
import { until } from '../../support/until.js';
import { callerOf } from '../call.js';
import { open, patient, requestBytes, serve, type Wire } from './raw.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const bound = 4 * 1024 * 1024;

function heapUsed(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Connections that stop in the middle: silent, in the request line, in the head, in the body. */
function openHalf(service: Service, count: number): readonly Wire[] {
  const put = ['onBehalfOf: alice', 'content-type: application/json', 'content-length: 50'];
  const begun = [
    '',
    'GET /v3/us',
    'GET /v3/users/alice HTTP/1.1\r\nhost: x\r\nx: ',
    requestBytes(service, 'PUT /v3/users/bob/conversation', put, '{"tags":['),
  ];
  const wires = Array.from({ length: count }, () => open(service));
  for (const [index, { socket }] of wires.entries()) socket.write(begun[index % begun.length]!);
  return wires;
}

it('1,000 half-open connections block nobody', async () => {
  const service = await serve({ limits: patient });
  const call = callerOf(service);
  const wires = openHalf(service, 1_000);
  for (let index = 0; index < 100; index += 1) expect((await call('/users/alice')).status).toBe(200);
  // Every one of them is still there: whoever waited for one would have waited for good.
  expect(wires.filter(({ isEnded }) => isEnded()).length).toBe(0);
  for (const { socket } of wires) socket.resetAndDestroy();
});

it('1,000 half-open connections are all cut off, and leave no memory behind', async () => {
  const service = await serve({ limits: { ...patient, headMs: 300, bodyMs: 300 } });
  const hold = async (count: number): Promise<readonly string[]> => {
    const wires = openHalf(service, count);
    await Promise.all(wires.map(({ ended }) => ended));
    for (const { socket } of wires) socket.destroy();
    return wires.map(({ text }) => text().slice(0, 12));
  };

  // Once for what is allocated once: pools, compiled code.
  await hold(100);
  const before = heapUsed();
  expect(new Set(await hold(1_000))).toEqual(new Set(['HTTP/1.1 408']));
  // Sockets and timers are let go of a moment later; what is not hangs here.
  await until(() => heapUsed() - before < bound);
});

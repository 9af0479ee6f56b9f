import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { open, type Wire } from '../service/hygiene/raw.js';
import { until } from '../support/until.js';
import { listening, post } from './listening.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const bound = 4 * 1024 * 1024;

function heapUsed(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Connections that stop in the middle: silent, in the request line, in the head, in the body. */
function openHalf(at: { readonly url: string }, count: number): readonly Wire[] {
  const begun = ['', 'GET /v3/us', 'GET / HTTP/1.1\r\nhost: x\r\nx: ', post(50, '{"tags":[')];
  const wires = Array.from({ length: count }, () => open(at));
  for (const [index, { socket }] of wires.entries()) socket.write(begun[index % begun.length]!);
  return wires;
}

it('1,000 half-open connections block nobody', async () => {
  const at = await listening({ times: { closeMs: 50 } });
  const wires = openHalf(at, 1_000);
  for (let index = 0; index < 100; index += 1) expect((await fetch(at.url)).status).toBe(200);
  // Every one of them is still there: whoever waited for one would have waited for good.
  expect(wires.filter(({ isEnded }) => isEnded()).length).toBe(0);
  for (const { socket } of wires) socket.resetAndDestroy();
});

it('1,000 half-open connections are all cut off, and leave no memory behind', async () => {
  const at = await listening({ times: { headMs: 300, bodyMs: 300 } });
  const hold = async (count: number): Promise<readonly string[]> => {
    const wires = openHalf(at, count);
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

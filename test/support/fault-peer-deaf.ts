/**
 * A peer that does not accept: its thread is held while the kernel queues connections, and, once the queue is full,
 * drops them, which is what a blackhole looks like from outside. Its queue length is a fact of Linux.
 */
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { turns } from './until.js';

const program = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(workerData.answer));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.deafMs);
});
`;

/** Starts a peer that accepts nothing for `deafMs`, then gives every request the bytes of `answer`. */
export async function startDeafPeer(
  deafMs: number,
  answer = '',
): Promise<{ readonly port: number; readonly url: string }> {
  const worker = new Worker(program, { eval: true, workerData: { deafMs, answer } });
  onTestFinished(async () => void (await worker.terminate()));
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  return { port, url: `http://127.0.0.1:${port}/v3` };
}

/** Fills the queue of a deaf peer: two connections wait in it, the rest keep knocking. */
export async function fillBacklog(port: number): Promise<void> {
  const sockets = Array.from({ length: 4 }, (): Socket => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  // They knock within a turn of the event loop; the kernel counts them at once.
  await turns();
}

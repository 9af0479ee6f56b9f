/**
 * Contenders of `http`: every message is a request to a server in another process, which has a core
 * of its own.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine, type RuleSetInput } from '../../src/engine/engine.js';
import { projectRoot } from '../record.js';
import { type Contender, ours, type Pass } from '../rules/contenders.js';

/** Enough to keep a server busy, each with one request at a time. */
const connections = 32;

/**
 * Sends each request over the next free connection. Counts the answers of status 200 with the
 * verdict that is expected.
 */
async function sendAll(sockets: readonly Socket[], requests: readonly string[], verdicts: readonly string[]) {
  let next = 0;
  let right = 0;
  const work = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let received = '';
      let at = 0;
      const send = (): void => {
        at = next++;
        received = '';
        if (at < requests.length) socket.write(requests[at]!);
        else {
          socket.removeAllListeners('data');
          resolve();
        }
      };
      socket.once('close', () => reject(new Error('the server ended a connection')));
      socket.on('data', (chunk: string) => {
        received += chunk;
        const head = received.indexOf('\r\n\r\n');
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
        if (head === -1 || received.length < head + 4 + length) return;
        if (received.startsWith('HTTP/1.1 200 ') && received.startsWith(`{"verdict":"${verdicts[at]}"`, head + 4))
          right++;
        send();
      });
      send();
    });
  await Promise.all(sockets.map(work));
  for (const socket of sockets) socket.removeAllListeners('close');
  return right;
}

/**
 * The rules of the demo, as the servers have them: what they answer is compared with what an engine
 * decides here.
 */
function demoRules(): RuleSetInput {
  const read = (name: string) => JSON.parse(readFileSync(join(projectRoot, 'fixtures/data', name), 'utf8'));
  return { rules: read('rules.json'), lists: read('lists.json') };
}

const contender = (name: string, kind: string, note: string): Contender => ({
  name,
  note,
  prepare: async ({ messages }) => {
    const server: ChildProcess = fork(fileURLToPath(new URL('./http-server.js', import.meta.url)), [kind]);
    const [port] = (await once(server, 'message')) as [number];
    const engine = createEngine(demoRules());
    const verdicts = messages.map((message) => engine.decide(message));
    const requests = messages.map((message) => {
      const body = JSON.stringify(message);
      const head = `POST /decide HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
      return `${head}\r\n\r\n${body}`;
    });
    const sockets = Array.from({ length: connections }, () =>
      connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1').setMaxListeners(0),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return {
      pass: async (times): Promise<Pass> => {
        const startedAt = performance.now();
        let count = await sendAll(sockets, requests, verdicts);
        for (let time = 1; time < times; time++) count = await sendAll(sockets, requests, verdicts);
        return { ns: ((performance.now() - startedAt) * 1e6) / Math.max(1, times), count };
      },
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.kill();
      },
    };
  },
});

export const httpContenders: readonly Contender[] = [
  contender(ours, 'sluice', '`sluice moderate`, POST /decide, the whole decision'),
  contender(`${ours}: in Hono`, 'handler', '`createModerationHandler` in a Hono app'),
  contender('floor: bare Hono', 'hono', 'parses the message and answers, nothing judged'),
];

/** A TCP proxy that breaks connections, as a drawn plan says: what lies between a client and a platform that is well. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fixtures/random.js';

/** What happens to a connection. */
type Fate = 'nothing' | 'refused' | 'cut' | 'reset' | 'half closed' | 'slow';

export interface BreakingProxy {
  readonly port: number;
  /** How many connections were to break, or were slow. */
  readonly broken: () => number;
  /** Breaks nothing from now on. */
  mend(): void;
  close(): Promise<void>;
}

/** Most bytes of answers before a connection breaks; a page has some hundred thousand. */
const mostBytes = 600_000;

/** Starts a proxy of a port of loopback, on a free one. Of a thousand connections, so many are broken. */
export async function startBreakingProxy(target: number, random: Random, perThousand: number): Promise<BreakingProxy> {
  let broken = 0;
  const open = new Set<Socket>();
  let isMended = false;
  /** So many of the next connections are refused, too: an outage. */
  let refusals = 0;

  const draw = (): Fate => {
    if (isMended) return 'nothing';
    if (refusals > 0) {
      refusals -= 1;
      return 'refused';
    }
    if (!random.chance(perThousand)) return 'nothing';
    const fate = random.pick(['refused', 'cut', 'reset', 'half closed', 'slow'] as const);
    if (fate === 'refused') refusals = random.int(0, 4);
    return fate;
  };

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const fate = draw();
    broken += Number(fate !== 'nothing');
    const left = { bytes: random.int(0, mostBytes) };
    open.add(near);
    near.on('error', () => near.destroy()).on('close', () => open.delete(near));
    if (fate === 'refused') return void near.resetAndDestroy();
    const far = connect(target, '127.0.0.1');
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far);
    void pass(far, near, fate, left);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    broken: () => broken,
    mend: () => {
      isMended = true;
    },
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Hands answers on, until their bytes are used up. */
async function pass(far: Socket, near: Socket, fate: Fate, left: { bytes: number }): Promise<void> {
  try {
    for await (const chunk of far) {
      const bytes = chunk as Buffer;
      if (fate === 'slow') await sleep(5);
      const isLast = fate !== 'nothing' && fate !== 'slow' && bytes.length >= left.bytes;
      if (!near.write(isLast ? bytes.subarray(0, left.bytes) : bytes)) await once(near, 'drain');
      left.bytes -= bytes.length;
      if (!isLast) continue;
      if (fate === 'reset') near.resetAndDestroy();
      else if (fate === 'cut') near.destroy();
      // The other direction stays open: the client may go on writing.
      else near.end();
      return;
    }
    near.end();
  } catch {
    near.destroy();
  }
}

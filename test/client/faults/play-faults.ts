import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClientOptions } from '../../../src/platform/client/options.js';
import { type FaultPeer, type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering } from '../../support/fault-peer-answers.js';
import { clientIn, clientOf } from '../../support/http.js';
import { turns, until } from '../../support/until.js';
import { fakeEnvironment } from '../fake-environment.js';
import { fewRows, type Row, rows } from './rows.js';
import { canaryKey, type Ending, type Outcome, showsKey, watchCall } from './watch-call.js';

/** One fault, as data. */
export interface Fault {
  readonly name: string;
  /** What the peer does with a request of this row. */
  readonly script: (row: Row) => Script;
  /** How the call must end when the fault stays. */
  readonly outcome: Outcome;
  /** What a right answer is, where it is not the row's own. */
  readonly right?: (row: Row) => unknown;
  /** Whether another attempt may help, so that repeatable operations get one. */
  readonly retried?: boolean;
  /** `few` for what takes time: one read, and one write of each kind. */
  readonly over?: 'all rows' | 'few rows';
  readonly options?: Partial<ClientOptions>;
}

/** At most so many requests of one call reach the wire (P12). */
export const maxAttempts = 3;

/**
 * What the clients under faults have in common: short waits, so that faults end soon, and a deadline that no machine comes to;
 * a delay beyond that deadline is believed, so it ends the call at once.
 */
export const quickOptions: Partial<ClientOptions> = {
  apiKey: canaryKey,
  timeouts: { totalMs: 1_800_000 },
  retry: { baseMs: 4, maxWaitMs: 2_147_483_647 },
};

/** Makes a test of every fault, and one more of every retried fault that is gone at the second attempt. */
export function playFaults(faults: readonly Fault[]): void {
  failOnStrays();
  it.each(faults.map((fault) => [titleOf(fault), fault] as const))('%s', async (_, fault) => {
    const endings = await Promise.all(rowsOf(fault).map((row) => playFault(fault, row)));
    expect(endings).toEqual(rowsOf(fault).map((row) => expectedOf(fault, row)));
  });
  const retried = faults.filter((fault) => fault.retried === true);
  if (retried.length === 0) return;
  it.each(retried.map((fault) => [titleOf(fault), fault] as const))('%s, once', async (_, fault) => {
    const endings = await Promise.all(fewRows.map((row) => playFault(fault, row, answering(row.body))));
    expect(endings).toEqual(fewRows.map((row) => expectedOf(fault, row, 'once')));
  });
}

/**
 * In the file that calls this, fails for unhandled rejections, for uncaught errors, and for the key in
 * what the client publishes of its requests.
 */
export function failOnStrays(): void {
  const strays: unknown[] = [];
  const note = (stray: unknown): void => void strays.push(stray);
  const onEvent = (event: unknown): void => void (showsKey(inspect(event)) && strays.push(event));
  beforeAll(() => {
    process.on('unhandledRejection', note).on('uncaughtException', note);
    subscribe('sluice:client:request', onEvent);
  });
  afterAll(() => {
    process.off('unhandledRejection', note).off('uncaughtException', note);
    unsubscribe('sluice:client:request', onEvent);
    expect(strays).toEqual([]);
  });
}

interface Played {
  readonly operation: string;
  readonly outcome: Ending['outcome'];
  readonly requests: number;
}

async function playFault(fault: Fault, row: Row, then?: Script): Promise<Played> {
  const peer = await startFaultPeer({ scripts: [fault.script(row), ...(then === undefined ? [] : [then])] });
  const options = { ...quickOptions, ...fault.options };
  const right = then === undefined && fault.right !== undefined ? fault.right(row) : row.right;
  const { outcome } = await (fault.outcome === 'timeout'
    ? playLate(peer, row, options)
    : play(peer, row, options, right));
  await peer.close();
  return { operation: row.operation, outcome, requests: peer.requests.length };
}

function play(peer: FaultPeer, row: Row, options: Partial<ClientOptions>, right: unknown): Promise<Ending> {
  const client = clientOf(peer, options);
  return watchCall(() => row.call(client), right);
}

/** A call that ends at its deadline, and not a millisecond before, by a clock that stands still until the peer is at work. */
async function playLate(peer: FaultPeer, row: Row, options: Partial<ClientOptions>): Promise<Ending> {
  const world = fakeEnvironment();
  const client = clientIn(world, peer, options);
  const totalMs = options.timeouts?.totalMs ?? 0;
  let isEnded = false;
  const ending = watchCall(() => row.call(client), row.right).finally(() => {
    isEnded = true;
  });
  await until(() => peer.requests.length > 0);
  await turns();
  await world.pass(totalMs - 1);
  expect(isEnded).toBe(false);
  await world.pass(1);
  return ending;
}

function expectedOf(fault: Fault, row: Row, once?: 'once'): Played {
  const { operation } = row;
  if (fault.retried !== true || !row.repeatable) return { operation, outcome: fault.outcome, requests: 1 };
  if (once === 'once') return { operation, outcome: 'right', requests: 2 };
  return { operation, outcome: fault.outcome, requests: maxAttempts };
}

function rowsOf(fault: Fault): readonly Row[] {
  return fault.over === 'few rows' ? fewRows : rows;
}

function titleOf({ name }: Fault): string {
  return `fault: ${name}`;
}

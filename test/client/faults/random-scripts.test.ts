/**
 * P11 over random faults: peers that play random scripts, calls under way together, connections kept
 * or not. Whatever comes, a call gives its own right answer or a named error, in time.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { countByTarget, type Line, type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering, chunk, head } from '../../support/fault-peer-answers.js';
import { clientIn } from '../../support/http.js';
import { runs } from '../../support/runs.js';
import { fakeEnvironment, passUntil } from '../fake-environment.js';
import { failOnStrays, maxAttempts, quickOptions } from './play-faults.js';
import { watchCall } from './watch-call.js';

failOnStrays();

const totalMs = 120;
const callCount = 10;

/** A piece of a response, valid or not; `part` is where it is cut. */
type Step = readonly [kind: (typeof kinds)[number], part: number];

const kinds = [
  ...['sized head', 'chunked head', 'head without length', 'failure head', 'wrong length', 'body'],
  ...['part of the body', 'chunk', 'last chunk', 'noise', 'pause', 'FIN', 'RST', 'a whole answer'],
  ...['an answer for somebody else'],
] as const;

const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...kinds), fc.double({ min: 0, max: 1, noNaN: true }));
const script = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step[]>([['a whole answer', 0]]) },
  { weight: 3, arbitrary: fc.array(step, { maxLength: 6 }) },
);

async function playStep(line: Line, [kind, part]: Step, body: string): Promise<void> {
  const status = [400, 429, 500, 503][Math.floor(part * 3.9)]!;
  const cut = Math.floor(part * body.length);
  const length = Buffer.byteLength(body);
  if (kind === 'sized head') await line.send(head(line, 200, { 'content-length': length }));
  if (kind === 'chunked head') await line.send(head(line, 200, { 'transfer-encoding': 'chunked' }));
  if (kind === 'head without length') await line.send(head(line, 200, {}));
  if (kind === 'failure head') await line.send(head(line, status, { 'content-length': length }));
  if (kind === 'wrong length') await line.send(head(line, 200, { 'content-length': cut }));
  if (kind === 'body') await line.send(body);
  if (kind === 'part of the body') await line.send(body.slice(0, cut));
  if (kind === 'chunk') await line.send(chunk(body.slice(0, cut)));
  if (kind === 'last chunk') await line.send('0\r\n\r\n');
  if (kind === 'noise') await line.send(Buffer.from([cut, 255 - cut, 13, 10, 0]));
  if (kind === 'pause') await line.pause(part * 1.5 * totalMs);
  if (kind === 'FIN') line.finish();
  if (kind === 'RST') line.reset();
  if (kind === 'a whole answer') await answering(body)(line);
  // Indistinguishable from a response to the next request, so it carries an error, never a result.
  if (kind === 'an answer for somebody else') await answering('{"error":{"code":"ERR_OTHER"}}', 404)(line);
}

it('random scripts: the right result or a typed error, within the deadline', async () => {
  const endings = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(script, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 8 }),
      async (given, concurrency) => {
        const scripts =
          ({ target }: { readonly target: string }, index: number): Script =>
          async (line) => {
            const uid = target.slice(target.lastIndexOf('/') + 1);
            const body = JSON.stringify({ data: { uid, note: 'x'.repeat(50) } });
            for (const each of given[index % given.length]!) await playStep(line, each, body);
          };
        const peer = await startFaultPeer({ scripts });
        const world = fakeEnvironment();
        const client = clientIn(world, peer, { ...quickOptions, timeouts: { totalMs }, concurrency });
        const calls = Array.from({ length: callCount }, (_, index) => {
          const uid = `user${index}`;
          return watchCall(() => client.users.get(uid), { uid, note: 'x'.repeat(50) });
        });
        for (const { outcome } of await passUntil(world, Promise.all(calls), totalMs / 12)) {
          expect(['right', 'network', 'timeout', 'http', 'shape']).toContain(outcome);
          endings.set(outcome, (endings.get(outcome) ?? 0) + 1);
        }
        await Promise.all([client.close(), peer.close()]);
        expect(Math.max(0, ...countByTarget(peer.requests).values())).toBeLessThanOrEqual(maxAttempts);
      },
    ),
    { numRuns: runs(16, 1000) },
  );
  // The scripts are random, but not so that only one thing ever happens.
  expect(endings.size).toBeGreaterThanOrEqual(4);
});

/** P14: the memory for a response is bounded, whatever its content. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../../src/foundation/errors.js';
import { endpoints } from '../../../src/platform/contract/endpoints.js';
import { type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering, head } from '../../support/fault-peer-answers.js';
import { clientOf, rejection } from '../../support/http.js';
import { isFull } from '../../support/runs.js';
import { failOnStrays, quickOptions } from './play-faults.js';
import { rows } from './rows.js';
import { expectNoKey } from './watch-call.js';

failOnStrays();

const mebibyte = 1024 * 1024;
/** What the promise allows above the cap, for everything else in this process. */
const slack = 64 * mebibyte;
const block = Buffer.alloc(256 * 1024, '[');

/** By how many bytes the process grew at its highest while some work went on. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 2);
  await work();
  clearInterval(sampler);
  return Math.max(peak, process.memoryUsage.rss()) - before;
}

/** Sends so many bytes, with or without saying so before. */
function sending(bytes: number, framing: 'length' | 'chunked' | 'close'): Script {
  return async (line) => {
    const fields = { length: { 'content-length': bytes }, chunked: { 'transfer-encoding': 'chunked' }, close: {} };
    await line.send(head(line, 200, fields[framing]));
    for (let sent = 0; sent < bytes && line.isOpen(); sent += block.length) {
      if (framing === 'chunked') await line.send(`${block.length.toString(16)}\r\n`);
      await line.send(block);
      if (framing === 'chunked') await line.send('\r\n');
    }
    line.finish();
  };
}

describe('bodies over the cap', () => {
  it.each([
    ['200 MB, said before', 'length', 200_000_000],
    ['200 MB in chunks', 'chunked', 200_000_000],
    ['a body without end', 'close', Number.MAX_SAFE_INTEGER],
  ] as const)('%s: rejected at the default cap, in bounded memory', async (_, framing, bytes) => {
    const peer = await startFaultPeer({ scripts: [sending(bytes, framing)] });
    const client = clientOf(peer, quickOptions);
    const growth = await growthDuring(async () => {
      const error = await rejection(client.messages.list());
      expect(error).toBeInstanceOf(ShapeError);
      expect(String(error)).toContain('is larger than 16777216 bytes');
    });
    expect(growth).toBeLessThan(16 * mebibyte + slack);
  });

  /** A right answer of so many bytes. */
  const sized = (data: unknown, bytes: number) => {
    const empty = JSON.stringify({ data, filler: '' });
    return JSON.stringify({ data, filler: 'x'.repeat(bytes - empty.length) });
  };

  it.each(rows.map((row) => [row.operation, row] as const))(
    '%s: one resource is a mebibyte at most, a list more',
    async (_, row) => {
      const isList = endpoints[row.operation].holds === 'list';
      const answers = [sized(row.data, mebibyte), sized(row.data, mebibyte + 1)].map((body) => answering(body));
      const peer = await startFaultPeer({ scripts: answers });
      const client = clientOf(peer, { ...quickOptions, maxResponseBytes: 2 * mebibyte });
      expect(await row.call(client)).toBeDefined();
      const second = row.call(client);
      if (isList) return expect(await second).toBeDefined();
      const error = await rejection(second);
      expect(error).toBeInstanceOf(ShapeError);
      expect((error as ShapeError).message).toMatch(/the whole value is larger than 1048576 bytes$/);
    },
  );

  it('many at once keep to their caps', async () => {
    const peer = await startFaultPeer({ scripts: [sending(Number.MAX_SAFE_INTEGER, 'chunked')] });
    const client = clientOf(peer, { ...quickOptions, maxResponseBytes: 4 * mebibyte });
    const growth = await growthDuring(async () => {
      const calls = Array.from({ length: 8 }, (_, index) => rejection(client.users.get(`user${index}`)));
      for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(ShapeError);
    });
    expect(growth).toBeLessThan(8 * 4 * mebibyte + slack);
  });

  it('a compressed bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc((isFull ? 1000 : 40) * mebibyte));
    const peer = await startFaultPeer({ scripts: [answering(bomb, 200, { 'content-encoding': 'gzip' })] });
    const growth = await growthDuring(async () => {
      expect(await rejection(clientOf(peer, quickOptions).users.get('ann'))).toBeInstanceOf(ShapeError);
    });
    expect(growth).toBeLessThan(slack);
  });

  it('a failure of 200 MB is named by its status, read no further than its code could be', async () => {
    const fields = { 'transfer-encoding': 'chunked' };
    let sent = 0;
    const peer = await startFaultPeer({
      scripts: [
        async (line) => {
          await line.send(head(line, 400, fields));
          for (; sent < 200_000_000 && line.isOpen(); sent += block.length) {
            await line.send(`${block.length.toString(16)}\r\n`);
            await line.send(block);
            await line.send('\r\n');
          }
        },
      ],
    });
    const growth = await growthDuring(async () => {
      expect(await rejection(clientOf(peer, quickOptions).users.get('ann'))).toMatchObject({ status: 400 });
    });
    expect(growth).toBeLessThan(slack);
    // What the kernel's two buffers take, not what the client reads.
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('bodies under the cap', () => {
  const depth = 100_000;
  const deep = '['.repeat(depth) + ']'.repeat(depth);

  it(`${depth} deep in a field that nobody knows: an answer`, async () => {
    const peer = await startFaultPeer({ scripts: [answering(`{"data":{"uid":"ann","future":${deep}}}`)] });
    expect((await clientOf(peer, quickOptions).users.get('ann')).uid).toBe('ann');
  });
});

describe('message of an error about a large body', () => {
  const long = 'x'.repeat(1_000_000);

  it.each([
    ['a long key', `{"data":[{"id":"1","data":{"entities":{"${long}":7}}}]}`],
    ['a long key that needs quotes', `{"data":[{"id":"1","data":{"entities":{"${'\\n'.repeat(1_000_000)}":7}}}]}`],
    ['a long value', `{"data":[{"id":["${long}"]}]}`],
    ['a long cursor', `{"data":[{"id":"1"}],"meta":{"next":{"affix":"${long}","id":"1"}}}`],
    ['many wrong items', `{"data":[${Array(10_000).fill('7').join()}]}`],
  ])('%s: it stays short', async (_, body) => {
    const peer = await startFaultPeer({ scripts: [answering(body)] });
    const walk = async () => {
      for await (const _ of clientOf(peer, quickOptions).messages.iterate());
    };
    const error = (await rejection(walk())) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    expectNoKey(error);
    expect(error.message.length + error.path.length).toBeLessThan(1000);
  });
});

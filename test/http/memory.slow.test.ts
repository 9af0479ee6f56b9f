/**
 * Floods of `sluice moderate` in a process with a heap of 512 MB: it goes on, and answers the
 * platform meanwhile.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { worldFiles } from '../cli/world.js';

const root = resolve(import.meta.dirname, '../..');
const condition = (operand: string, value: string, category?: string) => ({ operand, value: [value], category });
const rule = (id: string, ...conditions: object[]) => ({ id, action: ['blockMessage'], conditions });
const words = rule('words', condition('text', 'moron'));
const scored = rule('scores', condition('image', 'gore_greaterThan_70'));

/** Starts it by these rules, with a scorer that never answers. */
async function moderate(...rules: object[]) {
  const world = await worldFiles();
  onTestFinished(world.remove);
  await writeFile(world.file('flooded.json'), JSON.stringify({ rules, lists: [] }));
  const scorer = createServer(() => {}).listen(0, '127.0.0.1');
  await once(scorer, 'listening');
  const { port: scorerPort } = scorer.address() as AddressInfo;
  const args = ['--rules', world.file('flooded.json'), '--json', '--scorer', `http://127.0.0.1:${scorerPort}/`];
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=512', join(root, 'dist/cli/bin.js'), 'moderate', ...args],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const { url } = JSON.parse(line) as { readonly url: string };
  onTestFinished(() => {
    child.kill('SIGKILL');
    scorer.closeAllConnections();
    scorer.close();
  });
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  const open = (bytes: Buffer): Socket => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write(bytes);
    return socket;
  };
  return { url, open, isRunning: () => child.exitCode === null && child.signalCode === null };
}
type Moderation = Awaited<ReturnType<typeof moderate>>;

const bytesOf = (path: string, body: string) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
/**
 * The status of the answer that a connection carries, once all of it has come, or the connection
 * ended.
 */
function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let head = '';
    let length = 0;
    const status = () => Number(head.slice(9, 12));
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (head.length < 1_000) head += text;
      length += text.length;
      const end = head.indexOf('\r\n\r\n') + 4;
      if (end > 3 && length >= end + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) resolve(status());
    });
    socket.once('close', () => resolve(status()));
  });
}
/** What the platform asks is answered, and a message that words stop is stopped. */
async function platformIsAnswered({ url, isRunning }: Moderation): Promise<void> {
  const body = JSON.stringify({ contextMessages: [{ ana: 'moron' }] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/custom-api`, { method: 'POST', body, headers });
  expect(await response.json()).toMatchObject({ isMatchingCondition: true });
  expect(isRunning()).toBe(true);
}
/** One MiB of fields, each with a name that no other has. */
const fields = (own: number) =>
  `{${Array.from({ length: 60_000 }, (_, at) => `"${own}_${at.toString(36).padStart(4, '0')}":{}`).join(',')}}`;
const batch = JSON.stringify(Array(1_000).fill('moron '.repeat(174)));

describe('a heap of 512 MB holds', () => {
  it('256 batches of a MiB whose answers nobody reads', async () => {
    const at = await moderate(words);
    for (let count = 0; count < 256; count++) at.open(bytesOf('/decide/batch', batch)).pause();
    const inFlight = async () => Number(/in_flight (\d+)/.exec(await (await fetch(`${at.url}/metrics`)).text())?.[1]);
    await expect.poll(inFlight, { timeout: 120_000 }).toBeGreaterThan(5);
    await platformIsAnswered(at);
    await expect.poll(inFlight, { timeout: 120_000 }).toBe(0);
    await platformIsAnswered(at);
  });

  it('256 batches of a MiB whose answers are read: some are answered, the others refused', async () => {
    const at = await moderate(words);
    const statuses = Array.from({ length: 256 }, () => statusOf(at.open(bytesOf('/decide/batch', batch))));
    await platformIsAnswered(at);
    const all = await Promise.all(statuses);
    expect(all.filter((status) => status === 200).length).toBeGreaterThan(0);
    await platformIsAnswered(at);
  });

  it('300 bodies of names that no other has, behind a scorer that hangs', async () => {
    const at = await moderate(words, scored);
    const body = (own: number) =>
      `{"type":"image","data":{"url":"https://files.example/${own}.png"},"metadata":${fields(own)}}`;
    expect(body(299).length).toBeLessThan(2 ** 20);
    const statuses = Array.from({ length: 300 }, (_, own) => statusOf(at.open(bytesOf('/decide', body(own)))));
    await platformIsAnswered(at);
    await Promise.all(statuses);
    await platformIsAnswered(at);
  });

  it('bodies that come byte by byte', async () => {
    const at = await moderate(words);
    const head =
      'POST /decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const piece = Buffer.from('1\r\nx\r\n'.repeat(400_000));
    const statuses = Array.from({ length: 20 }, () => {
      const socket = at.open(Buffer.from(head));
      socket.write(piece);
      return statusOf(socket);
    });
    await Promise.all(statuses);
    await platformIsAnswered(at);
  });
});

/**
 * `sluice moderate` under load, at 2,000 requests a second, while the file of its rules is replaced
 * every second, every third time by a broken one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { figuresOf, type Soak } from './figure.js';

/** The sources compiled beside this file. */
const bin = fileURLToPath(new URL('../../src/cli/bin.js', import.meta.url));

const perSecond = 2_000;
const connections = 64;

/** What is always stopped, and what changes. */
function rulesOf(round: number): readonly object[] {
  const words = (id: string, value: readonly string[]) => ({
    ...{ id, enabled: true, action: ['blockMessage'] },
    conditions: [{ id: 1, operand: 'text', category: 'word', operator: 'contains', value }],
  });
  return [
    words('always', ['darn']),
    words('round', [`word of round ${round}`, ...Array.from({ length: 200 }, (_, at) => `x${at}`)]),
  ];
}

interface Load {
  sent: number;
  answered: number;
  /**
   * Answers of another status than 200, or with another verdict than the rules that never change
   * give.
   */
  wrong: number;
  /** From when a request was due. */
  readonly ms: number[];
}

const message = (text: string): string => {
  const body = JSON.stringify({ category: 'message', type: 'text', sender: 'ana', data: { text } });
  const head = `POST /decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return `${head}\r\n\r\n${body}`;
};
const requests = [
  { bytes: message('are we still on for friday evening at eight?'), verdict: 'allow' },
  { bytes: message('oh darn, I forgot about that'), verdict: 'blockMessage' },
];

/**
 * Sends requests as they are due, whatever becomes of those before: over connections that are free.
 */
async function send(url: string, until: number): Promise<Load> {
  const load: Load = { sent: 0, answered: 0, wrong: 0, ms: [] };
  const port = Number(new URL(url).port);
  const free: Socket[] = [];
  const due: number[] = [];
  const give = (socket: Socket): void => {
    const at = due.shift();
    if (at === undefined) {
      free.push(socket);
      return;
    }
    const { bytes, verdict } = requests[load.sent++ % requests.length]!;
    let received = '';
    const take = (chunk: string): void => {
      received += chunk;
      const head = received.indexOf('\r\n\r\n');
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
      if (head === -1 || received.length < head + 4 + length) return;
      socket.off('data', take);
      load.answered++;
      load.ms.push(performance.now() - at);
      if (!received.startsWith('HTTP/1.1 200 ') || !received.includes(`{"verdict":"${verdict}"`)) load.wrong++;
      give(socket);
    };
    socket.on('data', take);
    socket.write(bytes);
  };
  for (let opened = 0; opened < connections; opened++) {
    const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    socket.on('error', () => {});
    give(socket);
  }
  const startedAt = performance.now();
  for (let asked = 0; Date.now() < until; await sleep(2)) {
    const now = performance.now();
    for (const wanted = ((now - startedAt) * perSecond) / 1_000; asked < wanted; asked++) {
      due.push(startedAt + (asked * 1_000) / perSecond);
      const socket = free.shift();
      if (socket !== undefined) give(socket);
    }
  }
  // What is under way is answered, or it is missing.
  for (let waited = 0; (due.length > 0 || load.answered < load.sent) && waited < 200; waited++) await sleep(50);
  for (const socket of free) socket.destroy();
  return load;
}

export const moderationLoad: Soak = async (until) => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-load-'));
  const file = join(folder, 'rules.json');
  let round = 0;
  const replace = async (): Promise<void> => {
    round++;
    const text = JSON.stringify({ rules: rulesOf(round), lists: [] });
    await writeFile(`${file}.new`, round % 3 === 0 ? text.slice(0, -9) : text);
    await rename(`${file}.new`, file);
  };
  await replace();
  const args = [bin, 'moderate', '--json', '--quiet', '--rules', file];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [announced] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(announced)) as { readonly url: string };
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(100);
  const changing = setInterval(() => void replace(), 1_000);
  const load = await send(url, until);
  clearInterval(changing);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  child.kill('SIGTERM');
  const [code] = await ended;
  await rm(folder, { recursive: true });
  const refreshes = (outcome: string): number =>
    Number(new RegExp(`^sluice_refreshes_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
  const sorted = load.ms.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  const figure = figuresOf('P33');
  return [
    figure('requests of moderate under load', load.sent, 'requests', load.sent > 0),
    figure('answered', load.answered, 'requests', load.answered === load.sent),
    figure('of them no 200, or another verdict', load.wrong, 'requests', load.wrong === 0),
    figure('new rules meanwhile', refreshes('changed'), 'refreshes', refreshes('changed') > 0),
    figure('refreshes that failed meanwhile', refreshes('failed'), 'refreshes', refreshes('failed') > 0),
    figure('answer, p50 from when it was due', at(0.5), 'ms', true),
    figure('answer, p99', at(0.99), 'ms', true),
    figure('exit code on SIGTERM', Number(code), '', code === 0),
  ];
};

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MessageDraft } from '../contract/message-draft.js';

/** A local service in a process of its own, so that it takes its own core as a platform would. */
export interface ServiceProcess {
  readonly url: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('../cli/bin.js', import.meta.url));
const people = ['ana', 'ben', 'chloe', 'dmitri', 'eun', 'farid', 'goran', 'hiro'] as const;

/** Serves the messages on loopback by `sluice serve`, from a data directory that lives as long as the service. */
export async function startServiceProcess(messages: readonly MessageDraft[]): Promise<ServiceProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeData(folder, messages);
    const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--json', '--data', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { url, apiKey } = await firstLine(child);
    const close = async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await remove();
    };
    return { url, apiKey, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function writeData(folder: string, messages: readonly MessageDraft[]): Promise<void> {
  await writeFile(join(folder, 'users.ndjson'), people.map((uid) => `{"uid":"${uid}","name":"${uid}"}\n`).join(''));
  await writeFile(join(folder, 'groups.ndjson'), '');
  await writeFile(join(folder, 'rules.json'), '[]');
  await writeFile(join(folder, 'lists.json'), '[]');
  const file = createWriteStream(join(folder, 'messages.ndjson'));
  for (const [index, { data }] of messages.entries()) {
    const row = {
      id: String(index + 1),
      sender: people[index % people.length],
      receiverType: 'user',
      receiver: people[(index + 1 + (index % (people.length - 1))) % people.length],
      category: 'message',
      type: 'text',
      data,
      sentAt: 1_780_000_000 + index,
      updatedAt: 1_780_000_000 + index,
    };
    if (!file.write(`${JSON.stringify(row)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

async function firstLine(child: ChildProcess): Promise<{ url: string; apiKey: string }> {
  const lines = createInterface({ input: child.stdout! });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the service ended with code ${code} before it listened`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return JSON.parse(line) as { url: string; apiKey: string };
}

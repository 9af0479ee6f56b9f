/** Audits that are to be disturbed: messages, rules and options drawn by a seed, and the built command that judges them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createRandom, type Random } from '../../fixtures/random.js';

/** The sources compiled beside this file. */
const bin = fileURLToPath(new URL('../../src/cli/bin.js', import.meta.url));

/** A directory with `rules.json`, `messages.ndjson`, `data` for a service, and options of audits. */
export interface AuditCase {
  readonly seed: number;
  readonly messages: number;
  readonly file: (name: string) => string;
  /** Options of an audit of the file, and of one of a platform. */
  readonly ofFile: readonly string[];
  readonly ofPlatform: readonly string[];
  remove(): Promise<void>;
}

const words = 'the a of and some more good day night game word heck damn scam free coins visit send mail now'.split(
  ' ',
);

function message(index: number, sentAt: number, random: Random) {
  const text = Array.from({ length: random.int(1, 14) }, () => random.pick(words)).join(' ');
  const conversation = random.int(1, 300);
  return {
    id: String(index + 1),
    conversationId: `group_g${conversation}`,
    sender: `user${random.int(1, 2_000)}`,
    receiverType: 'group',
    receiver: `g${conversation}`,
    ...{ category: 'message', type: 'text', sentAt, updatedAt: sentAt },
    data: {
      text: random.chance(20) ? `${text}\u2028 笨蛋 ${random.hex(6)}@example.com` : text,
      ...(random.chance(500) && { moderation: { status: random.pick(['approved', 'disapproved', 'pending']) } }),
    },
  };
}

function rulesOf(random: Random) {
  const rule = (id: string, action: string, ...conditions: object[]) => ({
    ...{ id, name: `Rule ${id}`, action: [action], enabled: true, active: true },
    conditions: conditions.map((condition, index) => ({ id: index + 1, operator: 'contains', ...condition })),
  });
  const terms = random.sample(words.slice(10), random.int(2, 5));
  const named = { operand: 'text', category: 'word', isKeywordsReferencePresent: true };
  return [
    rule('words', 'blockMessage', { ...named, value: ['all-words'] }),
    rule('inline', 'dropMessage', { operand: 'text', category: 'word', value: [`${terms[0]} ${terms[1]}`, '笨蛋'] }),
    rule('pattern', 'blockMessage', { operand: 'text', category: 'pattern', value: ['[a-f0-9]{6}@[a-z.]+', '(['] }),
    rule('lists', 'kick', { ...named, value: ['more-words'] }),
  ];
}

/** Draws a case. Seconds hold several messages, as those of a busy platform do. */
export async function makeCase(seed: number, count: number): Promise<AuditCase> {
  const random = createRandom(seed, 'audit');
  const directory = await mkdtemp(join(tmpdir(), 'sluice-soak-'));
  const file = (name: string) => join(directory, name);
  let sentAt = 1_772_323_200;
  const rows = Array.from({ length: count }, (_, index) => {
    sentAt += random.chance(300) ? random.int(0, 40) : 0;
    return message(index, sentAt, random);
  });
  const rules = rulesOf(random);
  const lists = [
    { id: 'all-words', searchTerms: random.sample(words.slice(10), 4) },
    { id: 'more-words', searchTerms: random.sample(words.slice(10), 3) },
  ];
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const isGzip = random.chance(300);
  const cut = text.indexOf('\n', text.length / 3) + 1;
  const packed = () => Buffer.concat([text.slice(0, cut), text.slice(cut)].map((half) => gzipSync(half, { level: 1 })));
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  await writeFile(file('messages.ndjson'), isGzip ? packed() : text);
  await mkdir(file('data'));
  await writeFile(file('data/messages.ndjson'), text);
  await writeFile(file('data/rules.json'), JSON.stringify(rules));
  await writeFile(file('data/lists.json'), JSON.stringify(lists));
  const people = Array.from({ length: 2_000 }, (_, index) => JSON.stringify({ uid: `user${index + 1}`, name: 'n' }));
  await writeFile(file('data/users.ndjson'), people.join('\n'));
  const groups = Array.from({ length: 300 }, (_, index) => JSON.stringify({ guid: `g${index + 1}`, name: 'n' }));
  await writeFile(file('data/groups.ndjson'), groups.join('\n'));
  const shared = [
    '--quiet',
    ...random.pick([[], ['--report'], ['--report', '--redact']]),
    ...random.pick([[], ['--all'], ['--with-text']]),
    ...random.pick([[], ['--by', 'sender']]),
    ...random.pick([[], ['--format', 'parquet'], ['--format', 'csv']]),
    ...random.pick([[], [], ['--compare-platform']]),
  ];
  return {
    ...{ seed, messages: count, file },
    ofFile: ['--rules', file('rules.json'), '--messages', file('messages.ndjson'), ...shared],
    ofPlatform: shared,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** A command in a process of its own, with what it has printed. */
export interface Running {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** The first line of its standard output. */
  readonly announced: Promise<string>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const announced = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', resolve).resume();
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, stderr: () => stderr, announced, ended };
}

/** Serves the data of a case in another process. */
export async function serve({ file }: AuditCase) {
  const { child, announced, ended } = start(['serve', '--json', '--data', file('data')]);
  const { url, apiKey } = JSON.parse(await announced) as { url: string; apiKey: string };
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, env: { SLUICE_API_KEY: apiKey }, close };
}

/** Every file of a directory, hidden ones too, by path. */
export async function contentsOf(directory: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
  const read = paths.map(async ({ entry, path }) => {
    const name = path.slice(directory.length + 1);
    return [
      entry.isDirectory() ? `${name}/` : name,
      entry.isDirectory() ? Buffer.alloc(0) : await readFile(path),
    ] as const;
  });
  return new Map((await Promise.all(read)).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** What differs between two directories: names of files that only one has, or that have other bytes. */
export function differences(whole: ReadonlyMap<string, Buffer>, other: ReadonlyMap<string, Buffer>): string[] {
  const names = new Set([...whole.keys(), ...other.keys()]);
  return [...names].filter((name) => {
    const [one, two] = [whole.get(name), other.get(name)];
    return one === undefined || two === undefined || !one.equals(two);
  });
}

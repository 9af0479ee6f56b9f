/** Databases that keep queues, started for a test and killed in its midst: Redis, which forgets everything then, and PostgreSQL. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export interface Broker {
  readonly url: string;
  /** Sends SIGKILL, and waits for the end of the process. */
  kill(): Promise<void>;
  /** Stops its process: it takes connections, and answers nothing. `kill` and `remove` end it all the same. */
  freeze(): void;
  /** Starts it at the same address, and waits until it takes connections. */
  start(): Promise<void>;
  /** Kills it, and removes its files. */
  remove(): Promise<void>;
}

export type BrokerKind = 'redis' | 'postgres';

/** The program of a database on this machine; undefined where it is not installed. */
export function programOf(kind: BrokerKind): string | undefined {
  const folders =
    kind === 'redis'
      ? (process.env.PATH ?? '').split(delimiter)
      : [...postgresFolders(), ...(process.env.PATH ?? '').split(delimiter)];
  const name = kind === 'redis' ? 'redis-server' : 'postgres';
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Debian keeps the programs of each version in a folder of its own. */
function postgresFolders(): string[] {
  const versions = '/usr/lib/postgresql';
  return existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : [];
}

/** Starts a database on a free port of this machine, with files of its own. */
export async function startBroker(kind: BrokerKind): Promise<Broker> {
  const program = programOf(kind);
  if (program === undefined) throw new Error(`${kind} is not installed`);
  const directory = await mkdtemp(join(tmpdir(), `sluice-${kind}-`));
  const port = await freePort();
  // PostgreSQL refuses to run as root.
  const owner = kind === 'postgres' && process.getuid?.() === 0 ? accountOf('postgres') : undefined;
  if (owner !== undefined) await chown(directory, owner.uid, owner.gid);
  const data = join(directory, 'data');
  if (kind === 'postgres') {
    const initdb = join(program, '..', 'initdb');
    execFileSync(initdb, ['-D', data, '-U', 'sluice', '-A', 'trust', '--no-sync'], {
      ...owner,
      stdio: 'ignore',
      cwd: directory,
    });
  }
  const args =
    kind === 'redis'
      ? ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory]
      : ['-D', data, '-p', String(port), '-k', directory, '-c', 'listen_addresses=127.0.0.1'];
  let child: ChildProcess | undefined;
  const broker: Broker = {
    url: kind === 'redis' ? `redis://127.0.0.1:${port}` : `postgres://sluice@127.0.0.1:${port}/postgres`,
    async start() {
      do {
        // PostgreSQL ends at once where processes of the one that was killed are still there: on a busy machine, for a while.
        if (child === undefined || hasEnded(child)) {
          child = spawn(program, args, { ...owner, stdio: 'ignore', cwd: directory });
        }
        await pause(20);
      } while (!(await (kind === 'redis' ? takesConnections(broker.url) : letsIn(broker.url))));
    },
    freeze() {
      child?.kill('SIGSTOP');
    },
    async kill() {
      if (child === undefined || hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async remove() {
      await broker.kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await broker.start();
  return broker;
}

function accountOf(name: string): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function takesConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

/** PostgreSQL takes connections before it lets anybody in. */
async function letsIn(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  const isIn = await client.connect().then(
    () => true,
    () => false,
  );
  // The end of a connection that failed may never be told.
  const ended = client.end().catch(() => undefined);
  if (isIn) await ended;
  return isIn;
}

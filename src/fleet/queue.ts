/**
 * The windows of an audit as jobs of BullMQ, which keeps them in Redis or in PostgreSQL. BullMQ and the driver of the
 * database (`ioredis` or `pg`) are optional peers of the package, loaded when a queue is opened.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { NetworkError, UsageError } from '../errors.js';
import { nameOfWindow, type WindowBounds, type WindowQueue } from './windows.js';

export type { WindowBounds, WindowQueue, WindowWorker } from './windows.js';

/** What a queue needs. */
export interface WindowQueueOptions {
  /** The address of the database: `redis://…`, `rediss://…`, `postgres://…` or `postgresql://…`. It may hold a password. */
  readonly url: string;
  /** The name of the queue. Ends that share a name share their windows; `sluice` takes the digest of the audit's plan. */
  readonly name: string;
  /** Called when the database fails or cannot be reached, over and over until it can. Without, that is silent: windows wait. */
  readonly onFailure?: ((reason: unknown) => void) | undefined;
  /** Called for each job that is no window: somebody else put it there. It is taken off. */
  readonly onForeignJob?: (() => void) | undefined;
  /** Called whenever the database has answered, so that who was told of a failure learns that it is over. */
  readonly onAnswer?: (() => void) | undefined;
}

/** A queue is refused when its database takes so long to connect. */
const connectMs = 10_000;
/** How often a database that is away is tried again. */
const retryMs = 1_000;
/** A command has so long to be answered: a database may take connections and never answer. */
const answerMs = 10_000;
/** A database has so long to end a connection in good order; then the connection is cut. */
const graceMs = 1_000;
/** So many jobs are put on the queue with one command. */
const chunk = 500;

/**
 * Opens a queue. Throws `UsageError` for an address of another kind and without the packages that it needs, and `NetworkError` when the
 * database does not answer within ten seconds; neither quotes the address, which may hold a password.
 */
export async function openWindowQueue(options: WindowQueueOptions): Promise<WindowQueue> {
  const { url, name, onFailure, onAnswer, onForeignJob } = options;
  const { kind, place } = readQueueUrl(url);
  const { Queue, Worker, probe, others } = await loadBackend(kind);
  await untilLetIn(() => probe(url), place);
  const failed = (reason: unknown) => {
    if (!isOfLostLock(reason)) onFailure?.(reason);
  };
  /** Tells of an answer or a failure. At the end answers alone are told: nothing waits for the queue any more. */
  const answered = async <Answer>(call: Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await answerWithin(answerMs, call);
      onAnswer?.();
      return answer;
    } catch (reason) {
      failed(reason);
      throw reason;
    }
  };
  // What puts windows on is to hear soon that it cannot, and tries again by itself.
  const connected = connectionOf(kind, url, { ...others, ...(kind === 'redis' && { maxRetriesPerRequest: 1 }) });
  const queue = new Queue(name, {
    connection: connected.connection,
    prefix,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', failed);
  const close = async () => {
    connected.end();
    await closeOrCut(queue.close(), queue);
  };
  try {
    await answerWithin(answerMs, queue.waitUntilReady());
  } catch (reason) {
    await close();
    throw refusal(place, reason);
  }
  return {
    async add(windows) {
      for (let at = 0; at < windows.length; at += chunk) {
        const some = windows.slice(at, at + chunk);
        const jobs = some.map((window) => ({
          name: 'window',
          data: window,
          opts: { jobId: `${name}-${nameOfWindow(window)}` },
        }));
        await answered(queue.addBulk(jobs));
      }
    },
    async pending() {
      const counts = await answered(queue.getJobCounts(...pendingStates));
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    async taken() {
      return (await answered(queue.getJobCounts('active'))).active ?? 0;
    },
    async obstacles() {
      const jobs = await answered(queue.getJobs([...pendingStates], 0, mostJobsRead));
      return { isPaused: await answered(queue.isPaused()), foreign: jobs.filter((job) => !isWindow(job?.data)).length };
    },
    work(judge, { concurrency }) {
      const judging = new Set<Promise<void>>();
      const process = async ({ data }: { readonly data: WindowBounds }) => {
        onAnswer?.();
        // Also what a database short of memory has left of a job.
        if (!isWindow(data)) {
          onForeignJob?.();
          throw withoutStack('no window');
        }
        const judged = judge(data);
        judging.add(judged);
        await judged
          .catch(() => {
            throw withoutStack('not judged');
          })
          .finally(() => judging.delete(judged));
      };
      const { connection, end } = connectionOf(kind, url, others);
      const begin = () => {
        const begun = new Worker(name, process, {
          ...{
            connection,
            prefix,
            concurrency,
            lockDuration,
            stalledInterval,
            maxStalledCount,
            runRetryDelay: retryMs,
          },
          ...{ removeOnComplete: { count: 0 }, removeOnFail: { count: 0 }, autorun: false },
        });
        begun.on('error', failed);
        return begun;
      };
      let worker = begin();
      let isEnding = false;
      // A worker that could not connect never does: in PostgreSQL BullMQ keeps its failure, and meets it again without a pause.
      const run = async () => {
        for (;;) {
          const fault = await worker.waitUntilReady().then(
            () => undefined,
            (reason: unknown) => reason ?? new Error('no connection'),
          );
          if (isEnding) return;
          if (fault === undefined) return worker.run().catch(failed);
          failed(fault);
          await closeOrCut(worker.close(true), worker);
          await sleep(retryMs);
          if (isEnding) return;
          worker = begin();
        }
      };
      void run();
      return {
        close: async () => {
          isEnding = true;
          end();
          const asked = queue.getJobCounts('active').then(() => onAnswer?.());
          const isAway = await failsWithin(asked, retryMs + graceMs);
          // Without its database, BullMQ would wait for ever to give windows back.
          const closed = worker.close(isAway);
          await Promise.race([closed, Promise.allSettled(judging)]);
          await closeOrCut(closed, worker);
        },
      };
    },
    async remove() {
      await answerWithin(retryMs + graceMs, queue.obliterate({ force: true }));
      onAnswer?.();
    },
    close,
  };
}

/**
 * Tries the database of a queue, and leaves nothing there. Throws as `openWindowQueue` does, before anything depends on the queue.
 */
export async function checkQueue(url: string): Promise<void> {
  const { kind, place } = readQueueUrl(url);
  const { probe } = await loadBackend(kind);
  await untilLetIn(() => probe(url), place);
}

/** Tries a database; again while it says that it is starting. Throws `NetworkError`. */
async function untilLetIn(probe: () => Promise<void>, place: string): Promise<void> {
  for (let triedMs = 0; ; triedMs += retryMs) {
    try {
      return await probe();
    } catch (reason) {
      const isStarting = ['57P03', 'LOADING'].includes(codeOfQueueFailure(reason) ?? '');
      if (!isStarting || triedMs >= connectMs) throw refusal(place, reason);
    }
    await sleep(retryMs);
  }
}

/** How a client connects, and again until it is to `end`: then what still waits for a database that is away fails. */
function connectionOf(kind: 'redis' | 'postgres', url: string, others: object) {
  let isEnding = false;
  const retryStrategy = () => (isEnding ? null : retryMs);
  const redis = { url, skipVersionCheck: true, retryStrategy, ...others };
  const postgres = { connectionString: url, migrate: true, connectionTimeoutMillis: connectMs, ...others };
  return {
    // Typed for the union of both kinds: BullMQ takes of each what its factory gave.
    connection: (kind === 'redis' ? redis : postgres) as never,
    end: () => {
      isEnding = true;
    },
  };
}

/** Waits for the end of a connection, and cuts it when the database is away. */
async function closeOrCut(closing: Promise<void>, end: { disconnect(): Promise<void> }): Promise<void> {
  if (await failsWithin(closing, graceMs)) await failsWithin(end.disconnect(), graceMs);
}

/** The states of jobs that are not done. */
const pendingStates = ['waiting', 'active', 'delayed', 'prioritized'] as const;
/** So many jobs are read to find those that are no windows. */
const mostJobsRead = 1_000;

function isWindow(data: Partial<WindowBounds> | undefined): data is WindowBounds {
  return Number.isSafeInteger(data?.from) && Number.isSafeInteger(data?.seconds);
}

/** An error for the queue, which keeps the words and stack traces of errors where others can read them. */
function withoutStack(message: string): Error {
  return Object.assign(new Error(message), { stack: undefined });
}

/** What a database answers. Rejects with the code `ETIMEDOUT` when it takes longer; the command itself cannot be taken back. */
async function answerWithin<Answer>(ms: number, command: Promise<Answer>): Promise<Answer> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([command, late]);
  } finally {
    timer.abort();
  }
}

/** Whether work fails, or takes longer. */
function failsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return answerWithin(ms, work).then(
    () => false,
    () => true,
  );
}

/** Whether a window was taken off the queue, or given to another worker, while it was judged: its result stands. */
function isOfLostLock(reason: unknown): boolean {
  return (
    reason instanceof Error && /^(?:Missing (?:lock|key) for job|could not renew lock for job) /.test(reason.message)
  );
}

const prefix = 'sluice';
/** A worker that has not renewed its lock for so many milliseconds is dead, and its window another's. */
const lockDuration = 10_000;
/** How often the windows of dead workers are looked for. */
const stalledInterval = 5_000;
/** A window is handed out anew however many workers died of it: there is no other way to its result. */
const maxStalledCount = 1_000_000;

/** The kind of an address, and the part of it that may be shown. Throws `UsageError`. */
function readQueueUrl(text: string): { readonly kind: 'redis' | 'postgres'; readonly place: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = url && kinds.get(url.protocol);
  if (url === undefined || kind === undefined) {
    throw new UsageError({
      option: 'url',
      fact: 'must be like `redis://host:6379` or `postgres://host:5432/name`',
    });
  }
  return { kind, place: `${url.protocol}//${url.host}` };
}

const kinds: ReadonlyMap<string, 'redis' | 'postgres'> = new Map([
  ['redis:', 'redis'],
  ['rediss:', 'redis'],
  ['postgres:', 'postgres'],
  ['postgresql:', 'postgres'],
]);

/** Loads BullMQ for a kind of database, and what tries an address. Throws `UsageError` when a package is not installed. */
async function loadBackend(kind: 'redis' | 'postgres') {
  try {
    const { probe, others } = await (kind === 'redis' ? redisDriver() : postgresDriver());
    const { createPostgresBackend, createRedisBackend, withBackend } = await import('bullmq');
    const createBackend: typeof createPostgresBackend = (...args) => {
      const backend = createPostgresBackend(...args);
      // BullMQ makes the client that waits for notices by itself, of the class that its module has.
      Object.assign(backend.connection, { pgModule: others });
      return backend;
    };
    const { Queue, Worker } =
      kind === 'redis' ? withBackend(createRedisBackend) : (withBackend(createBackend) as never);
    return { Queue: Queue<WindowBounds>, Worker: Worker<WindowBounds, void>, probe, others };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = `bullmq ${kind === 'redis' ? 'ioredis' : 'pg'}`;
    throw new UsageError(`a queue needs packages that are not installed: \`npm install ${packages}\``, {
      cause: error,
    });
  }
}

interface Driver {
  /** Connects once: a client of BullMQ would try for ever, and not say why. */
  readonly probe: (url: string) => Promise<void>;
  /** Options of connections. */
  readonly others: object;
}

async function redisDriver(): Promise<Driver> {
  const { Redis } = await import('ioredis');
  const probe = async (url: string) => {
    const client = new Redis(url, { lazyConnect: true, connectTimeout: connectMs, retryStrategy: () => null });
    let failure: unknown;
    client.on('error', (reason: unknown) => {
      failure = reason;
    });
    try {
      await answerWithin(
        answerMs,
        client.connect().then(() => client.ping()),
      );
    } catch (reason) {
      throw failure ?? reason;
    } finally {
      client.disconnect();
    }
  };
  return { probe, others: {} };
}

async function postgresDriver(): Promise<Driver> {
  const { Client } = (await import('pg')).default;
  /**
   * A client that always has a listener of errors: without one, a connection that is lost between two queries, or while BullMQ ends it,
   * ends the process.
   */
  class ListeningClient extends Client {
    constructor(config?: ConstructorParameters<typeof Client>[0]) {
      super(config);
      this.on('error', () => undefined);
    }

    override removeAllListeners(event?: string | symbol): this {
      super.removeAllListeners(event);
      return this.on('error', () => undefined);
    }
  }
  const probe = async (url: string) => {
    const client = new ListeningClient({ connectionString: url, connectionTimeoutMillis: connectMs });
    try {
      await client.connect();
    } finally {
      await failsWithin(client.end(), graceMs);
    }
  };
  return { probe, others: { Client: ListeningClient } };
}

function refusal(place: string, reason: unknown): NetworkError {
  const code = codeOfQueueFailure(reason);
  const words = code === undefined ? '' : ` (${refusals.get(code) ?? code})`;
  return new NetworkError('queue', {
    fact: `could not connect to the queue at ${place}${words}`,
    advice: 'other-queue',
  });
}

/** What databases answer to those whom they do not let in, by the first word of Redis's answer and by PostgreSQL's code. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['NOAUTH', 'it wants a password'],
  ['WRONGPASS', 'it does not take this password'],
  ['ETIMEDOUT', 'it does not answer'],
  ['57P03', 'it is starting'],
  ['LOADING', 'it is starting'],
  ['NOPERM', 'its user has not the rights'],
  ['28P01', 'it does not take this password'],
  ['28000', 'it does not take this user'],
  ['3D000', 'it has no such database'],
  ['42501', 'its user may not make the schema `bullmq` in this database; grant it CREATE on the database'],
]);

/** The code of a failure of the database; undefined where there is none. Never its message, which may quote the address. */
export function codeOfQueueFailure(reason: unknown): string | undefined {
  const { code, message } = (reason ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const answered = /^([A-Z]{4,12}) /.exec(typeof message === 'string' ? message : '')?.[1];
  const named = code ?? answered;
  return typeof named === 'string' && /^[\w-]{1,40}$/.test(named) ? named : undefined;
}

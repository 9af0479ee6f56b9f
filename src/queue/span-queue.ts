/**
 * `sluice/queue`: the spans of an audit as jobs of BullMQ, which keeps them in Redis or in PostgreSQL. BullMQ and the driver of the
 * database (`ioredis` or `pg`) are optional peers of the package, loaded when a queue is opened.
 */
import { nameOfSpan, type Span, type SpanQueue } from '../batch/spans.js';
import { NetworkError, UsageError } from '../errors.js';

export type { Span, SpanQueue, SpanWorker } from '../batch/spans.js';

/** What a queue needs. */
export interface SpanQueueOptions {
  /** The address of the database: `redis://…`, `rediss://…`, `postgres://…` or `postgresql://…`. It may hold a password. */
  readonly url: string;
  /** The name of the queue. Ends that share a name share their spans; `sluice` takes the digest of the audit's plan. */
  readonly name: string;
  /** Called when the database cannot be reached, over and over until it can. Without, that is silent: spans wait. */
  readonly onFailure?: ((reason: unknown) => void) | undefined;
}

/** A queue is refused when its database has not answered for so long. */
const connectMs = 10_000;
/** So many jobs are put on the queue with one command. */
const chunk = 500;

/**
 * Opens a queue. Throws `UsageError` for an address of another kind and without the packages that it needs, and `NetworkError` when the
 * database does not answer within ten seconds; neither quotes the address, which may hold a password.
 */
export async function openSpanQueue({ url, name, onFailure }: SpanQueueOptions): Promise<SpanQueue> {
  const { kind, place } = readQueueUrl(url);
  const { Queue, Worker } = await loadBackend(kind);
  let latest: unknown;
  const failed = (reason: unknown) => {
    latest = reason;
    onFailure?.(reason);
  };
  // Typed for the union of both kinds: BullMQ takes of each what its factory gave.
  const connection = (kind === 'redis' ? { url } : { connectionString: url, migrate: true }) as never;
  const queue = new Queue(name, {
    connection,
    prefix,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', failed);
  const isReady = await within(connectMs, queue.waitUntilReady());
  if (isReady !== true) {
    await queue.disconnect().catch(() => undefined);
    const reason = isReady ?? latest;
    throw new NetworkError('queue', `could not connect to the queue at ${place}${codeOf(reason)}; check SLUICE_QUEUE`);
  }
  return {
    async add(spans) {
      for (let at = 0; at < spans.length; at += chunk) {
        const some = spans.slice(at, at + chunk);
        await queue.addBulk(
          some.map((span) => ({ name: 'span', data: span, opts: { jobId: `${name}-${nameOfSpan(span)}` } })),
        );
      }
    },
    async pending() {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    work(judge, { concurrency }) {
      const worker = new Worker(name, ({ data }) => judge(data), {
        ...{ connection, prefix, concurrency, lockDuration, maxStalledCount },
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      worker.on('error', failed);
      return { close: () => worker.close() };
    },
    async remove() {
      await queue.obliterate({ force: true });
    },
    async close() {
      await queue.close().catch(() => undefined);
    },
  };
}

const prefix = 'sluice';
/** A worker that has not renewed its lock for so many milliseconds is dead, and its span another's. */
const lockDuration = 30_000;
/** A span is handed out anew however many workers died of it: there is no other way to its result. */
const maxStalledCount = 1_000_000;

/** The kind of an address, and the part of it that may be shown. Throws `UsageError`. */
function readQueueUrl(text: string): { readonly kind: 'redis' | 'postgres'; readonly place: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = url && kinds.get(url.protocol);
  if (url === undefined || kind === undefined) {
    throw new UsageError('the address of the queue should be like `redis://host:6379` or `postgres://host:5432/name`');
  }
  return { kind, place: `${url.protocol}//${url.host}` };
}

const kinds: ReadonlyMap<string, 'redis' | 'postgres'> = new Map([
  ['redis:', 'redis'],
  ['rediss:', 'redis'],
  ['postgres:', 'postgres'],
  ['postgresql:', 'postgres'],
]);

/** Loads BullMQ for a kind of database. Throws `UsageError` when a package is not installed. */
async function loadBackend(kind: 'redis' | 'postgres') {
  const driver = kind === 'redis' ? 'ioredis' : 'pg';
  try {
    await import(driver);
    const { createPostgresBackend, createRedisBackend, withBackend } = await import('bullmq');
    const { Queue, Worker } =
      kind === 'redis' ? withBackend(createRedisBackend) : (withBackend(createPostgresBackend) as never);
    return { Queue: Queue<Span>, Worker: Worker<Span, void> };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(`a queue needs packages that are not installed: \`npm install bullmq ${driver}\``, {
      cause: error,
    });
  }
}

/** True when a promise resolves in time; else why it rejects, or undefined. */
async function within(ms: number, promise: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } catch (reason) {
    return reason;
  } finally {
    clearTimeout(timer);
  }
}

/** The code of a failure: its message may quote the address. */
function codeOf(reason: unknown): string {
  const { code } = (reason ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^[\w-]{1,40}$/.test(code) ? ` (${code})` : '';
}

/** The local service: the whole interface of §4 over plain HTTP, with no account, on loopback. Public as `sluice/service`. */
import type { AddressInfo } from 'node:net';
import { UsageError } from '../errors.js';
import { createKeyGuard, makeApiKey } from './api-key.js';
import { type OnBug, printBug } from './bug.js';
import { createConversationTags } from './conversation-tags.js';
import type { ServiceData } from './data.js';
import { readLimits, type ServiceLimits } from './limits.js';
import { listen } from './listen.js';
import { type LoadedRows, load } from './load.js';
import { withOpenApi } from './open-api-listener.js';
import type { ServiceState } from './operation-call.js';
import { createReadMarkers } from './read-markers.js';
import { createRehearsal, type RehearsalOptions } from './rehearsal.js';
import { noRevisions, type Revisions } from './revisions.js';
import { basePath } from './router.js';
import { prepareSave, save } from './save.js';
import { createStore } from './store.js';

export type { OnBug, ServiceBug } from './bug.js';
export type {
  ConversationRow,
  GroupRow,
  MemberRow,
  MessageRow,
  MessageRowData,
  ModerationRow,
  ServiceData,
  UserRow,
} from './data.js';
export type { Fault, FaultKind, FaultPlan, FaultSelection } from './faults/fault.js';
export type { ServiceLimits } from './limits.js';
export { type OpenApiDocument, type OpenApiOperation, openApiDocument } from './open-api.js';
export type { OpenApiParameter } from './open-api-parameters.js';
export type { JsonSchema } from './open-api-schemas.js';
export type { RateLimit } from './rate-limit.js';
export type { RehearsalOptions } from './rehearsal.js';
export type { Revisions } from './revisions.js';

/** What `startService` takes; everything has a default. */
export interface ServiceOptions extends RehearsalOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** `127.0.0.1` by default. Anything else than a loopback address opens the service to the network. */
  readonly host?: string | undefined;
  /** The key that requests must carry in the header `apikey`; made up when not given. */
  readonly apiKey?: string | undefined;
  /** What is served: a data directory, or its content as plain objects; the bundled fixtures when not given. */
  readonly data?: string | ServiceData | undefined;
  /**
   * A directory to write the data into when the service closes, with what operations changed: started on it, another service
   * answers as this one did. May be the one that the data came from. Either all of its files are replaced or none. With
   * `revisions`, the rules and lists of the data are written, not those of the revision. One service at a time may have it.
   */
  readonly save?: string | undefined;
  /** What connections and requests may take: bytes and milliseconds. */
  readonly limits?: Partial<ServiceLimits> | undefined;
  /** Told of each bug of the service that a request met and got a 500 for; by default a line on standard error. */
  readonly onBug?: OnBug | undefined;
}

/** A running service. */
export interface Service {
  /** The base URL of §9, without a slash at its end: `http://127.0.0.1:41234/v3`. */
  readonly url: string;
  readonly apiKey: string;
  /** The revisions of the option `revisions`. */
  readonly revisions: Revisions;
  /**
   * Stops the service: requests in flight finish, idle connections are dropped. Resolves when the socket is closed, and the data
   * saved if that was asked for; rejects with `UsageError` when it could not be saved.
   */
  readonly close: () => Promise<void>;
}

/**
 * Starts the service: all operations of §4, and keyword lists under `/moderation/keywords/{id}`. What operations change (tags,
 * read markers) lives in memory and ends with the service, unless it is saved. Throws `UsageError` for options that cannot work and `ShapeError`,
 * naming file and line, for data that is not in its stored form.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { port = 0, host = '127.0.0.1', apiKey = makeApiKey(), data, onBug = printBug } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('the port should be an integer from 0 to 65535');
  if (typeof onBug !== 'function') throw new UsageError('`onBug` should be a function');
  const limits = readLimits(options.limits);
  const guard = createKeyGuard(apiKey);
  const unlock = options.save === undefined ? undefined : await prepareSave(options.save);
  const start = async () => {
    const rows = await load(data);
    const state = createState(rows);
    const { listener, revisions = noRevisions, end } = await createRehearsal(options, guard, state);
    return { rows, state, revisions, end, ...(await listen(withOpenApi(listener), { host, port, limits, onBug })) };
  };
  const { rows, state, revisions, end, address, close } = await start().catch(async (error: unknown) => {
    await unlock?.();
    throw error;
  });
  const stop = async (): Promise<void> => {
    end();
    try {
      await close();
      if (options.save !== undefined) await save(options.save, rows, state);
    } finally {
      await unlock?.();
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    url: `http://${authority(address)}${basePath}`,
    apiKey,
    revisions,
    close: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function createState(rows: LoadedRows): ServiceState {
  const store = createStore(rows);
  const tags = createConversationTags(store, rows.conversations);
  return { store, moderation: store, markers: createReadMarkers(store, rows), tags };
}

/** Host and port to call; whoever listens on all addresses is called on loopback. */
function authority({ address, family, port }: AddressInfo): string {
  if (family === 'IPv6') return `[${address === '::' ? '::1' : address}]:${port}`;
  return `${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`;
}

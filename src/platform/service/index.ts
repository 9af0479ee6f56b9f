/** The local service: the whole interface of §4 over plain HTTP, with no account, on loopback. Public as `sluice/service`. */
import { UsageError } from '../../foundation/errors.js';
import type { OnRequest } from '../../foundation/listener/request-log.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import { createApp, endpointOf } from './app.js';
import { createKeyGuard, makeApiKey } from './auth.js';
import { load } from './data-directory.js';
import { type OnBug, printBug } from './errors.js';
import { basePath } from './openapi.js';
import { createState } from './operations/operation.js';
import { limitRate, type RateLimit } from './rate-limit.js';
import type { ServiceData } from './rows.js';
import { prepareSave, refuseForeignFiles, refuseLostLock, save } from './save.js';
import { readLimits, type ServiceLimits, serveApp } from './server.js';
import { createSimulation } from './simulation/middleware.js';
import type { FaultPlan } from './simulation/schema.js';

export type { OnRequest, ServedRequest } from '../../foundation/listener/request-log.js';
export type { OnBug, ServiceBug } from './errors.js';
export {
  type JsonSchema,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  openApiDocument,
} from './openapi.js';
export type { RateLimit } from './rate-limit.js';
export type {
  ConversationRow,
  GroupRow,
  MemberRow,
  MessageRow,
  MessageRowData,
  ModerationRow,
  ServiceData,
  UserRow,
} from './rows.js';
export type { ServiceLimits } from './server.js';
export type { Fault, FaultKind, FaultPlan, FaultSelection } from './simulation/schema.js';

/** What the service can do beyond the interface, so that clients are tested before a platform does it to them. All off by default. */
export interface SimulationOptions {
  /** What goes wrong, and when: as if a faulty proxy stood in front of the service. */
  readonly faults?: FaultPlan | undefined;
  /** How many requests are answered; the others get 429. */
  readonly rateLimit?: RateLimit | undefined;
}

/** What `startService` takes; everything has a default. */
export interface ServiceOptions extends SimulationOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** `127.0.0.1` by default. Anything else than a loopback address opens the service to the network. */
  readonly host?: string | undefined;
  /** The key that requests must carry in the header `apikey`; made up when not given. */
  readonly apiKey?: string | undefined;
  /**
   * What is served: a data directory, the file or folder of a rule set as `sluice pull` writes it, or the content as plain objects; the
   * bundled fixtures when not given.
   */
  readonly data?: string | ServiceData | undefined;
  /**
   * A directory to write the data into when the service closes, with what operations changed: started on it, another service
   * answers as this one did. May be the one that the data came from: then collections keep the form of their files. Either all files
   * of the data are replaced or none, and no others. One service at a time
   * may have it.
   */
  readonly save?: string | undefined;
  /** What connections and requests may take: bytes and milliseconds. */
  readonly limits?: Partial<ServiceLimits> | undefined;
  /** Called with each bug of the service that a request met and got a 500 for; by default a line on standard error. */
  readonly onBug?: OnBug | undefined;
  /** Called with each request once it is over; none is reported by default. */
  readonly onRequest?: OnRequest | undefined;
}

const optionNames = Object.keys({
  port: true,
  host: true,
  apiKey: true,
  data: true,
  save: true,
  limits: true,
  onBug: true,
  onRequest: true,
  faults: true,
  rateLimit: true,
} satisfies Record<keyof ServiceOptions, true>);

/** A running service. */
export interface Service {
  /** The base URL of §9, without a slash at its end: `http://127.0.0.1:41234/v3`. */
  readonly url: string;
  readonly apiKey: string;
  /**
   * Stops the service: requests in flight finish, idle connections are dropped. Resolves when the socket is closed, and the data
   * saved if the option says so; rejects with `UsageError` when it could not be saved.
   */
  readonly close: () => Promise<void>;
}

/**
 * Starts the service: all operations of §4, and keyword lists under `/moderation/keywords/{id}`. What operations change (tags,
 * read markers) lives in memory and ends with the service, unless it is saved. Throws `UsageError` for options that cannot work and `ShapeError`,
 * naming file and line, for data that is not in its stored form.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  if (typeof options !== 'object' || options === null) throw new UsageError('startService takes an object of options');
  refuseUnknownOptions('startService', options, optionNames);
  const { port = 0, host = '127.0.0.1', apiKey = makeApiKey(), data, onBug = printBug } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('the port must be an integer from 0 to 65535');
  if (typeof onBug !== 'function') throw new UsageError('`onBug` must be a function');
  const { onRequest } = options;
  if (onRequest !== undefined && typeof onRequest !== 'function') {
    throw new UsageError('`onRequest` must be a function');
  }
  const limits = readLimits(options.limits);
  const guard = createKeyGuard(apiKey);
  const lock = options.save === undefined ? undefined : await prepareSave(options.save);
  const start = async () => {
    const rows = await load(data);
    if (options.save !== undefined) await refuseForeignFiles(options.save, rows);
    const state = createState(rows);
    const { faults, rateLimit } = options;
    const simulation = faults === undefined ? undefined : createSimulation(faults, endpointOf);
    const limiting = rateLimit === undefined ? undefined : limitRate(rateLimit);
    // What is not given adds nothing to the way of a request.
    const middleware = [simulation?.middleware, limiting].filter((handler) => handler !== undefined);
    const app = createApp({
      guard,
      bodyBytes: limits.bodyBytes,
      onBug,
      state,
      middleware,
    });
    return { rows, state, simulation, ...(await serveApp(app, { host, port, limits, onRequest })) };
  };
  const { rows, state, simulation, authority, close } = await start().catch(async (error: unknown) => {
    await lock?.release();
    throw error;
  });
  const stop = async (): Promise<void> => {
    simulation?.end();
    try {
      await close();
      if (options.save === undefined) return;
      await refuseLostLock(lock, options.save);
      await save(options.save, rows, state);
    } finally {
      await lock?.release();
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    url: `http://${authority}${basePath}`,
    apiKey,
    close: () => (stopped ??= stop()),
  };
}

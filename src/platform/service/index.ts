/**
 * The local service: the whole interface of §4 over plain HTTP, with no account, on loopback.
 * Public as `sluice/service`.
 */
import { randomBytes } from 'node:crypto';
import { listen, type OnRequest } from '../../foundation/listener/listen.js';
import { callable, checkOptions, type OptionChecks, wholeNumber } from '../../foundation/options.js';
import { isKey } from '../../foundation/requests/keys.js';
import { basePath } from '../contract/endpoints.js';
import { createApp, type Intercept } from './app.js';
import { load } from './data-directory.js';
import { type OnBug, printBug } from './errors.js';
import { createState } from './operations/operation.js';
import type { ServiceData } from './rows.js';

export type { OnRequest, ServedRequest } from '../../foundation/listener/listen.js';
export type { Intercept } from './app.js';
export type { OnBug, ServiceBug } from './errors.js';
export type {
  GroupRow,
  MemberRow,
  MessageRow,
  MessageRowData,
  ModerationRow,
  ServiceData,
  UserRow,
} from './rows.js';

/** Options of `startService`; everything has a default. */
export interface ServiceOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** `127.0.0.1` by default. Anything but a loopback address opens the service to the network. */
  readonly host?: string | undefined;
  /** The key that requests must carry in the header `apikey`; made up when not given. */
  readonly apiKey?: string | undefined;
  /**
   * The data to serve: a data directory, the file or folder of a rule set as `sluice pull` writes
   * it, or plain objects; by default the bundled fixtures.
   */
  readonly data?: string | ServiceData | undefined;
  /**
   * Called with each bug of the service that a request met and got a 500 for; by default a line on
   * standard error.
   */
  readonly onBug?: OnBug | undefined;
  /** Called with each request once it is over; by default requests are not reported. */
  readonly onRequest?: OnRequest | undefined;
  /**
   * Receives every request before the service, so that tests of a client can make it fail; by
   * default the service answers all.
   */
  readonly intercept?: Intercept | undefined;
}

const checks: OptionChecks<ServiceOptions> = {
  port: wholeNumber(0, 65_535),
  host: undefined,
  apiKey: [isKey, 'one or more visible ascii characters, without spaces'],
  data: undefined,
  onBug: callable,
  onRequest: callable,
  intercept: callable,
};

/** A running service. */
export interface Service {
  /** The base URL of §9, without a slash at its end: `http://127.0.0.1:41234/v3`. */
  readonly url: string;
  readonly apiKey: string;
  /**
   * Stops the service: requests in flight finish, idle connections are dropped. Resolves when the
   * socket is closed.
   */
  readonly close: () => Promise<void>;
}

/**
 * Starts the service: all operations of the endpoint table. Changes by operations are kept in
 * memory until the service closes. Throws `UsageError` for options that cannot work, and
 * `ShapeError`, naming file and line, for data that is not in its stored form.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  checkOptions('startService', options, checks);
  // Platforms make up keys of 40 hexadecimal digits.
  const { apiKey = randomBytes(20).toString('hex') } = options;
  const { authority, close } = await serve(createState(await load(options.data)), { ...options, apiKey });
  let closed: Promise<void> | undefined;
  return { url: `http://${authority}${basePath}`, apiKey, close: () => (closed ??= close()) };
}

/** Listens for requests to what is served. Throws `UsageError` if the address cannot be used. */
async function serve(state: ReturnType<typeof createState>, options: ServiceOptions & { readonly apiKey: string }) {
  const { port = 0, host = '127.0.0.1', apiKey, onBug = printBug, onRequest, intercept } = options;
  const app = createApp({ apiKey, onBug, state, intercept });
  return listen({ host, port, onRequest, fetch: app.fetch });
}

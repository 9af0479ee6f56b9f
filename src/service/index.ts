/** The local service: the whole interface of §4 over plain HTTP, with no account, on loopback. Public as `sluice/service`. */
import type { AddressInfo } from 'node:net';
import { UsageError } from '../errors.js';
import { answer } from './answer.js';
import { createKeyGuard, makeApiKey } from './api-key.js';
import { createConversationTags } from './conversation-tags.js';
import type { ServiceData } from './data.js';
import { listen } from './listen.js';
import { load } from './load.js';
import type { ServiceState } from './operation-call.js';
import { createReadMarkers } from './read-markers.js';
import { send } from './reply.js';
import { basePath } from './router.js';
import { createStore } from './store.js';

export type { GroupRow, MemberRow, MessageRow, MessageRowData, ModerationRow, ServiceData, UserRow } from './data.js';

/** What `startService` takes; everything has a default. */
export interface ServiceOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** `127.0.0.1` by default. Anything else than a loopback address opens the service to the network. */
  readonly host?: string | undefined;
  /** The key that requests must carry in the header `apikey`; made up when not given. */
  readonly apiKey?: string | undefined;
  /** What is served: a data directory, or its content as plain objects; the bundled fixtures when not given. */
  readonly data?: string | ServiceData | undefined;
}

/** A running service. */
export interface Service {
  /** The base URL of §9, without a slash at its end: `http://127.0.0.1:41234/v3`. */
  readonly url: string;
  readonly apiKey: string;
  /** Stops the service: requests in flight finish, idle connections are dropped. Resolves when the socket is closed. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the service: all operations of §4, and keyword lists under `/moderation/keywords/{id}`. What operations change (tags,
 * read markers) lives in memory and ends with the service. Throws `UsageError` for options that cannot work and `ShapeError`,
 * naming file and line, for data that is not in its stored form.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { port = 0, host = '127.0.0.1', apiKey = makeApiKey(), data } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('the port should be an integer from 0 to 65535');
  const guard = createKeyGuard(apiKey);
  const state = await createState(data);
  const { address, close } = await listen(
    (request, response) => {
      answer(request, guard, state).then(
        (reply) => send(response, reply),
        () => response.destroy(),
      );
    },
    host,
    port,
  );
  return { url: `http://${authority(address)}${basePath}`, apiKey, close };
}

async function createState(data: string | ServiceData | undefined): Promise<ServiceState> {
  const rows = await load(data);
  const store = createStore(rows);
  return { store, markers: createReadMarkers(store, rows), tags: createConversationTags() };
}

/** Host and port to call; whoever listens on all addresses is called on loopback. */
function authority({ address, family, port }: AddressInfo): string {
  if (family === 'IPv6') return `[${address === '::' ? '::1' : address}]:${port}`;
  return `${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`;
}

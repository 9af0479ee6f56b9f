import { endpoints, type ResponseOf } from '../../src/platform/contract/endpoints.js';
import { type Service, type ServiceOptions, startService } from '../../src/platform/service/index.js';
import { data } from './sample-data.js';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface CallOptions {
  readonly method?: string;
  readonly onBehalfOf?: string | undefined;
  /** Null sends none. */
  readonly apikey?: string | null;
  /** A string goes as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One plain HTTP call; the path is below the base URL and stands as it is written. */
type Call = (path: string, options?: CallOptions) => Promise<Answer>;

/** Query parameters: a list is joined by commas. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** List messages, which must answer 200 and a body that the contract knows. */
type List = (query: Query, onBehalfOf?: string) => Promise<ResponseOf<'listMessages'>>;

export function callerOf(service: Service): Call {
  return async (path, { method = 'GET', onBehalfOf, apikey = service.apiKey, body, headers = {} } = {}) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        ...(apikey === null ? {} : { apikey }),
        ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
}

function listerOf(call: Call): List {
  return async (query, onBehalfOf) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const { status, body } = await call(`/messages?${search}`, { onBehalfOf });
    if (status !== 200) throw new Error(`${search} was answered with ${status}`);
    return endpoints.listMessages.response.parse(body);
  };
}

/** Ids in the order in which they came. */
export function idsOf({ data: page }: ResponseOf<'listMessages'>): readonly string[] {
  return page.map(({ id }) => id);
}

/** A service over the sample data, with its callers. */
export async function serveSample(options: ServiceOptions = {}) {
  const service = await startService({ data, ...options });
  const call = callerOf(service);
  return { ...service, call, list: listerOf(call) };
}

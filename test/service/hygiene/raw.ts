/** Bytes over a plain socket: what an http client would never send, and what it would hide. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../../src/platform/service/index.js';
import { until } from '../../support/until.js';
import { data } from '../sample-data.js';

/**
 * A service over the sample data for the length of one test, which has to say that it is the one
 * when others run beside it.
 */
export async function serve(
  options: ServiceOptions = {},
  test: { readonly onTestFinished: typeof onTestFinished } = { onTestFinished },
): Promise<Service> {
  const service = await startService({ data, ...options });
  test.onTestFinished(() => service.close());
  return service;
}

export const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port);

/**
 * Resolves when so many requests have come to any service of this process, from now on: to the
 * service's side of the last one's connection.
 */
export function requestsTaken(count: number): Promise<Socket> {
  return new Promise((resolve) => {
    let taken = 0;
    const onStart = (message: unknown): void => {
      taken += 1;
      if (taken < count) return;
      unsubscribe('http.server.request.start', onStart);
      resolve((message as { readonly socket: Socket }).socket);
    };
    subscribe('http.server.request.start', onStart);
  });
}

/** Resolves when the service accepts no connection any more: it has begun to close. */
export async function closingBegun(service: { readonly url: string }): Promise<void> {
  let isRefused = false;
  await until(() => {
    const socket = connect(portOf(service), '127.0.0.1', () => socket.destroy());
    socket.on('error', () => {
      isRefused = true;
    });
    return isRefused;
  });
}

/** One answer, taken apart. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An open connection: what it has received so far, and when the other side ended it. */
export interface Wire {
  readonly socket: Socket;
  readonly text: () => string;
  readonly ended: Promise<void>;
  readonly isEnded: () => boolean;
}

/**
 * Opens a connection to the service; nothing is sent. Half-open on purpose: only the service ends
 * it.
 */
export function open(service: { readonly url: string }): Wire {
  let received = '';
  let isEnded = false;
  const socket = connect({ port: portOf(service), host: '127.0.0.1', allowHalfOpen: true });
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      isEnded = true;
      resolve();
    };
    socket.on('end', end).on('close', end).on('error', end);
  });
  return { socket, text: () => received, ended, isEnded: () => isEnded };
}

/** Sends bytes and gives back all that comes until the service ends the connection. */
export async function exchange(service: { readonly url: string }, bytes: string): Promise<string> {
  const wire = open(service);
  wire.socket.write(bytes, 'latin1');
  await wire.ended;
  wire.socket.destroy();
  return wire.text();
}

/**
 * The answers in a stream of bytes; `heads` says which of them are to `HEAD`. Throws for what is
 * not a whole answer.
 */
export function answersIn(text: string, heads: readonly number[] = []): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const split = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, split).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (split < 0 || !(status > 0)) throw new Error(`no answer begins with ${JSON.stringify(rest.slice(0, 40))}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const hasBody = status >= 200 && status !== 204 && !heads.includes(answers.length);
    // What Node answers by itself to what is not HTTP has no length: it is the last that comes.
    const length = hasBody ? Number(headers['content-length'] ?? rest.length - split - 4) : 0;
    const body = rest.slice(split + 4, split + 4 + length);
    if (body.length !== length) throw new Error(`an answer is cut off at ${body.length} of ${length} bytes`);
    answers.push({ status, headers, body });
    rest = rest.slice(split + 4 + length);
  }
  return answers;
}

/** Sends bytes and gives back the answers. */
export async function ask(
  service: { readonly url: string },
  bytes: string,
  heads: readonly number[] = [],
): Promise<readonly RawAnswer[]> {
  return answersIn(await exchange(service, bytes), heads);
}

/** A request with the key, as bytes. */
export function requestBytes(
  { apiKey }: Service,
  line: string,
  headers: readonly string[] = [],
  body = '',
  version = 'HTTP/1.1',
): string {
  return [`${line} ${version}`, 'host: x', `apikey: ${apiKey}`, ...headers, '', body].join('\r\n');
}

/** A PUT of tags as Alice, with its body. */
export function putTags(service: Service, tags: readonly string[], headers: readonly string[] = []): string {
  const body = JSON.stringify({ tags });
  const all = ['onBehalfOf: alice', 'content-type: application/json', `content-length: ${body.length}`, ...headers];
  return requestBytes(service, 'PUT /v3/users/bob/conversation', all, body);
}

/** What every problem looks like. */
export function errorOf({ body }: RawAnswer): { readonly code: string; readonly message: string } {
  const { error } = JSON.parse(body);
  for (const field of ['message', 'devMessage', 'source', 'code']) {
    if (typeof error[field] !== 'string') throw new Error(`the error has no ${field}`);
  }
  return error;
}

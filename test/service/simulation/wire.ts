import { connect } from 'node:net';
import type { Service } from '../../../src/platform/service/index.js';

/** All that came back on a connection of its own, and how it ended. */
export interface Received {
  readonly status: number;
  /** In lower case, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** `end`: the other side ended in good order. `reset`: it tore the connection. `silence`: we left. */
  readonly ended: 'end' | 'reset' | 'silence';
  /** How many pieces came. */
  readonly pieces: number;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** We leave when it resolves. */
  readonly leave?: Promise<unknown>;
  readonly apiKey?: string;
}

/** One request, byte for byte: no client between us and what the service does. */
export function exchange(service: Pick<Service, 'url' | 'apiKey'>, path: string, sent: Sent = {}): Promise<Received> {
  const { method = 'GET', headers = {}, body = '', leave, apiKey = service.apiKey } = sent;
  const { hostname, port } = new URL(service.url);
  const all = { apikey: apiKey, connection: 'close', ...(body === '' ? {} : jsonHeaders(body)), ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const finish = (ended: Received['ended']): void => {
      socket.destroy();
      resolve({ ...taken(Buffer.concat(chunks)), ended, pieces: chunks.length });
    };
    const socket = connect(Number(port), hostname, () => {
      socket.setNoDelay(true).write(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${head.join('')}\r\n${body}`);
    });
    leave?.then(() => finish('silence'));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => finish('end')).once('error', () => finish('reset'));
  });
}

function jsonHeaders(body: string): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
}

function taken(bytes: Buffer): Pick<Received, 'status' | 'headers' | 'body'> {
  const at = bytes.indexOf('\r\n\r\n');
  if (at === -1) return { status: 0, headers: {}, body: bytes };
  const [first = '', ...lines] = bytes.subarray(0, at).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: bytes.subarray(at + 4) };
}

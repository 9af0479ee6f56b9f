/**
 * A peer that breaks HTTP on purpose: a raw socket server that plays one script per request, so a
 * test says byte for byte what the client gets, and when. It closes with the test that opened it.
 */
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Certificate } from './fault-peer-certificate.js';

/** A request as it came over the wire. */
export interface PeerRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Which connection it came on, from 0. */
  readonly connection: number;
}

/** The socket of a request, as a script uses it. Everything is a no-op once the client has gone. */
export interface Line {
  readonly request: PeerRequest;
  readonly isOpen: () => boolean;
  /** Resolves when the bytes are handed over, so an endless script feels back pressure. */
  readonly send: (bytes: string | Uint8Array) => Promise<void>;
  /** Ends early when the client goes. */
  readonly pause: (ms: number) => Promise<void>;
  /** FIN. */
  readonly finish: () => void;
  /** RST. */
  readonly reset: () => void;
}

/**
 * What the peer does with one request; a connection stays open until the script, or the client,
 * ends it.
 */
export type Script = (line: Line) => void | Promise<void>;

interface PeerOptions {
  /**
   * The n-th request gets the n-th script, all later ones the last; a function chooses by the
   * request.
   */
  readonly scripts: readonly Script[] | ((request: PeerRequest, index: number) => Script);
  /** Sees every connection before anything is read from it. */
  readonly onConnect?: ((socket: Socket, index: number) => void) | undefined;
  readonly certificate?: Certificate | undefined;
}

interface FaultPeer {
  readonly origin: string;
  readonly port: number;
  /** Base URL with the version prefix. */
  readonly url: string;
  readonly requests: readonly PeerRequest[];
  readonly connections: () => number;
  /** How many of them are open. */
  readonly openConnections: () => number;
  readonly close: () => Promise<void>;
}

/** Starts a peer on a free port of loopback. */
export async function startFaultPeer(options: PeerOptions): Promise<FaultPeer> {
  const requests: PeerRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  function onRequest(request: PeerRequest, socket: Socket): void {
    const { scripts } = options;
    const index = requests.push(request) - 1;
    const script =
      typeof scripts === 'function' ? scripts(request, index) : scripts[Math.min(index, scripts.length - 1)];
    void script?.(lineOf(socket, request));
  }

  function onSocket(socket: Socket): void {
    const connection = connections++;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    options.onConnect?.(socket, connection);
    if (!socket.destroyed) readRequests(socket, connection, (request) => onRequest(request, socket));
  }

  const { certificate } = options;
  const server = certificate === undefined ? createServer(onSocket) : createTlsServer(certificate, onSocket);
  // Handshakes that the client gives up are what the TLS faults are about.
  server.on('tlsClientError', () => {});
  const port = await listen(server);
  const origin = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closing;
  };
  onTestFinished(close);
  return {
    origin,
    port,
    url: `${origin}/v3`,
    requests,
    connections: () => connections,
    openConnections: () => sockets.size,
    close,
  };
}

/** A port of loopback on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function readRequests(socket: Socket, connection: number, onRequest: (request: PeerRequest) => void): void {
  let pending = '';
  socket.on('data', (chunk: Buffer) => {
    pending += chunk.toString('latin1');
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const [requestLine = '', ...fields] = pending.slice(0, headEnd).split('\r\n');
      const headers = Object.fromEntries(fields.map(fieldOf));
      const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
      if (pending.length < bodyEnd) return;
      const [method = '', target = ''] = requestLine.split(' ');
      const body = Buffer.from(pending.slice(headEnd + 4, bodyEnd), 'latin1').toString('utf8');
      pending = pending.slice(bodyEnd);
      onRequest({ method, target, headers, body, connection });
    }
  });
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function lineOf(socket: Socket, request: PeerRequest): Line {
  const isOpen = (): boolean => !socket.destroyed && socket.writable;
  return {
    request,
    isOpen,
    send: (bytes) =>
      new Promise((resolve) => {
        if (!isOpen()) resolve();
        else socket.write(bytes, () => resolve());
      }),
    pause: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          socket.off('close', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        if (socket.destroyed) end();
        else socket.on('close', end);
      }),
    finish: () => void socket.end(),
    reset: () => void (socket instanceof Socket ? socket.resetAndDestroy() : undefined),
  };
}

/**
 * What the scripts of a fault peer say. Every head says the api key back, in the reason phrase and
 * in a header, so any error that quotes the peer gives itself away.
 */
import type { Line, Script } from './fault-peer.js';

export type Fields = Readonly<Record<string, string | number | readonly string[]>>;

/** Status line and headers, with the empty line. A list of values makes a header of each. */
export function head(line: Line, status: number, fields: Fields): string {
  const { apikey = '' } = line.request.headers;
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    (typeof value === 'object' ? value : [value]).map((one) => `${name}: ${one}`),
  );
  return [`HTTP/1.1 ${status} ${apikey}`, `x-echo: ${apikey}`, ...lines, '', ''].join('\r\n');
}

/** A whole, well-framed answer with this body. */
export function answering(body: string | Uint8Array, status = 200, fields: Fields = {}): Script {
  return async (line) => {
    const framing = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    await line.send(head(line, status, { ...framing, ...fields }));
    await line.send(body);
  };
}

/** One chunk of chunked framing. */
export function chunk(bytes: string): string {
  return `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`;
}

/** An error body in the shape that live platforms send, with the key wherever a text can be. */
export function errorBody(code: string, apikey = ''): string {
  return JSON.stringify({
    error: { code, message: apikey, details: { field: [`wrong ${apikey}`] }, devMessage: apikey },
  });
}

/** A failure as live platforms answer it. */
export function failing(status: number, fields: Fields = {}): Script {
  return (line) => answering(errorBody('ERR_FAULT', line.request.headers.apikey), status, fields)(line);
}

/** A listener over a small app, for the length of one test. */
import { onTestFinished } from 'vitest';
import { type ListenerTimes, listen } from '../../src/foundation/listener/listen.js';

/** Times that no test reaches: a connection that ends is ended by something else. */
const ms = 2_400_000;
const patient: Partial<ListenerTimes> = { headMs: ms, bodyMs: ms, idleMs: ms, sendMs: ms, closeMs: ms };

interface Given {
  readonly times?: Partial<ListenerTimes>;
  /** Answers in place of the app, which says how many bytes the body of a request has. */
  readonly answer?: (request: Request) => Response | Promise<Response>;
}

/** Tests that run beside others say which they are. */
export async function listening(
  { times, answer = async (request) => new Response(`${(await request.arrayBuffer()).byteLength}`) }: Given = {},
  test: { readonly onTestFinished: typeof onTestFinished } = { onTestFinished },
) {
  const listener = await listen({ host: '127.0.0.1', port: 0, times: { ...patient, ...times }, fetch: answer });
  test.onTestFinished(listener.close);
  return { url: `http://${listener.authority}`, close: listener.close };
}

/** A request as bytes. */
export const get = (path = '/', ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: x', ...headers, '', ''].join('\r\n');
export const post = (length: number, body: string) =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${body}`;

import type { Dispatcher } from 'undici';
import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { NetworkError } from '../../src/foundation/errors.js';
import { startFaultPeer } from '../support/fault-peer.js';
import { clientOf, rejection } from '../support/http.js';

/** The error of a call whose dispatcher throws. */
async function errorAfter(thrown: unknown): Promise<NetworkError> {
  const dispatcher = { request: () => Promise.reject(thrown) } as unknown as Dispatcher;
  const client = clientOf({ url: 'http://127.0.0.1:1/v3' }, { dispatcher, retry: false });
  const error = await rejection(client.users.get('ann'));
  expect(error).toBeInstanceOf(NetworkError);
  return error as NetworkError;
}

const coded = (code: string) => Object.assign(new Error('private'), { code });

describe('errors of faults', () => {
  it.each([
    [new errors.SocketError('private'), 'the connection ended before the answer did, UND_ERR_SOCKET'],
    [new errors.HeadersOverflowError('private'), 'its headers are too large, UND_ERR_HEADERS_OVERFLOW'],
    [
      new errors.ResponseContentLengthMismatchError('private'),
      'it is not as long as it says, UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    ],
    [new errors.ClientClosedError('private'), 'the dispatcher is closed, UND_ERR_CLOSED'],
    [new errors.HTTPParserError('private'), 'invalid HTTP'],
    [coded('HPE_INVALID_CONSTANT'), 'invalid HTTP, HPE_INVALID_CONSTANT'],
    [coded('HPE_SOME_FUTURE_CODE'), 'invalid HTTP, HPE_SOME_FUTURE_CODE'],
    [coded('ERR_ASSERTION'), 'invalid HTTP, ERR_ASSERTION'],
    [coded('ECONNRESET'), 'ECONNRESET'],
    [coded('toString'), 'unknown fault'],
    ['private', 'unknown fault'],
  ])('%s', async (thrown, words) => {
    const error = await errorAfter(thrown);
    expect(error.message).toBe(`GET /users/{uid} got no whole answer from http://127.0.0.1:1 (${words})`);
    expect(error.parts).toBeUndefined();
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND'])('%s: nobody answers there', async (code) => {
    const error = await errorAfter(coded(code));
    expect(error.message).toBe(`GET /users/{uid} could not connect to http://127.0.0.1:1 (${code})`);
  });

  it.each([
    ['no status line', 'garbage\r\n\r\n'],
    ['an alert of TLS', '\x15\x03\x01\0\x02\x02\x46'],
    ['a version to come', 'HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 1000 OK\r\ncontent-length: 0\r\n\r\n'],
    ['lines that end in a bare LF', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
  ])('a peer that sends %s: invalid HTTP, not retried', async (_, bytes) => {
    const peer = await startFaultPeer({
      scripts: [async (line) => line.send(Buffer.from(bytes, 'latin1')).then(line.finish)],
    });
    const error = await rejection(clientOf(peer).users.get('ann'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ attempts: 1 });
    expect((error as Error).message).toContain('(invalid HTTP');
    expect(peer.requests).toHaveLength(1);
  });

  it('a peer that changes the protocol or sends only interim responses: a broken connection', async () => {
    for (const bytes of [
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000),
    ]) {
      const peer = await startFaultPeer({ scripts: [async (line) => line.send(bytes).then(line.finish)] });
      const error = await rejection(clientOf(peer, { retry: { baseMs: 1 } }).users.get('ann'));
      expect(error).toMatchObject({ code: 'network', attempts: 3 });
      expect((error as Error).message).toContain('(the connection ended before the answer did, UND_ERR_SOCKET)');
    }
  });
});

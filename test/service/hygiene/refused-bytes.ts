/** What a server of Node refuses before any app sees it, as bytes, and the status that it gets. */

const chunked = 'POST /x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked';

/** Those that any server refuses at once. */
export const refusedBytes: readonly (readonly [what: string, bytes: string, status: number])[] = [
  ['nonsense', 'nonsense\r\n\r\n', 400],
  ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a length and chunks', `${chunked}\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`, 400],
  ['two lengths', 'POST /x HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
  ['another expectation', 'GET /x HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n', 417],
  ['a head too large', `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 431],
  ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
];

/** Bodies that break the rules of HTTP while an app reads them: `head` is that of a request of which the body is read. */
export const refusedBodies = (head: string): readonly (readonly [what: string, bytes: string, status: number])[] => [
  ['a chunk without a length', `${head}\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{"\r\nzz\r\n`, 400],
  [
    'extensions of a chunk',
    `${head}\r\ntransfer-encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    413,
  ],
];

/** Responses whose framing is wrong or larger than can be read. */
import { answering, chunk, type Fields, head } from '../../support/fault-peer-answers.js';
import { type Fault, playFaults } from './play-faults.js';
import type { Row } from './rows.js';

const half = ({ body }: Row) => body.slice(0, body.length / 2);
const sized = (row: Row) => ({ 'content-length': Buffer.byteLength(row.body) });
const chunked = { 'transfer-encoding': 'chunked' };

/** A whole answer, with these headers in place of a right framing, the connection kept. */
function framed(fields: (row: Row) => Fields, body = (row: Row) => row.body): Fault['script'] {
  return (row) => (line) => line.send(head(line, 200, fields(row)) + body(row));
}

/** Nothing but these bytes. */
function saying(bytes: (row: Row, apikey: string) => string): Fault['script'] {
  return (row) => (line) => line.send(bytes(row, line.request.headers.apikey ?? ''));
}

/** undici takes it for a broken connection: another attempt may fare better. */
const broken = { outcome: 'network', retried: true } as const;
/** What came cannot be read as HTTP: another attempt would get the same. */
const unreadable = { outcome: 'network' } as const;

const faults: readonly Fault[] = [
  {
    name: 'a length that is too short',
    outcome: 'shape',
    script: framed((row) => ({ 'content-length': half(row).length })),
  },
  {
    name: 'a length that is not a number',
    ...unreadable,
    script: framed(() => ({ 'content-length': '12abc' })),
  },
  { name: 'a negative length', ...unreadable, script: framed(() => ({ 'content-length': -1 })) },
  {
    name: 'a length beyond all integers',
    ...unreadable,
    script: framed(() => ({ 'content-length': '99999999999999999999999999' })),
  },
  {
    name: 'two lengths that differ',
    ...unreadable,
    script: framed((row) => ({ 'content-length': [half(row).length, row.body.length].map(String) })),
  },
  {
    name: 'two lengths that differ only in case and agree',
    ...unreadable,
    script: framed((row) => ({ 'content-length': row.body.length, 'Content-Length': row.body.length })),
  },
  {
    name: 'a length beside chunks',
    ...unreadable,
    script: framed(
      (row) => ({ ...sized(row), ...chunked }),
      ({ body }) => `${chunk(body)}${chunk('')}`,
    ),
  },
  {
    name: 'a chunk size that is no number',
    ...unreadable,
    script: framed(
      () => chunked,
      ({ body }) => `zz\r\n${body}\r\n${chunk('')}`,
    ),
  },
  {
    name: 'a chunk size beyond all integers',
    ...unreadable,
    script: framed(
      () => chunked,
      ({ body }) => `ffffffffffffffffff\r\n${body}\r\n${chunk('')}`,
    ),
  },
  {
    name: 'a chunk longer than its size',
    ...unreadable,
    script: framed(
      () => chunked,
      ({ body }) => `5\r\n${body}\r\n${chunk('')}`,
    ),
  },
  {
    name: 'a length among the trailers',
    ...unreadable,
    script: framed(
      () => chunked,
      ({ body }) => `${chunk(body)}0\r\ncontent-length: 1\r\n\r\n`,
    ),
  },
  {
    name: 'a header of 70 kB',
    ...unreadable,
    script: framed((row) => ({ ...sized(row), 'x-long': 'x'.repeat(70_000) })),
  },
  {
    name: '10,000 headers',
    ...unreadable,
    over: 'few rows',
    script: framed((row) => ({ ...sized(row), 'x-many': Array.from({ length: 10_000 }, String) })),
  },
  {
    name: '10,000 trailers',
    ...unreadable,
    over: 'few rows',
    script: framed(
      () => chunked,
      ({ body }) => `${chunk(body)}0\r\n${Array.from({ length: 10_000 }, (_, i) => `x-${i}: ${i}\r\n`).join('')}\r\n`,
    ),
  },
  { name: 'no HTTP at all', ...unreadable, script: saying((_, apikey) => `${apikey} is not HTTP\r\n\r\n`) },
  {
    name: 'HTTP of another version',
    ...unreadable,
    script: saying((row) => `HTTP/9.9 200 OK\r\n\r\n${row.body}`),
  },
  {
    name: 'a header with a NUL',
    ...unreadable,
    script: saying((row, apikey) => `HTTP/1.1 200 OK\r\nx: ${apikey}\0\r\ncontent-length: 5\r\n\r\n${row.body}`),
  },
  {
    name: '100 Continue that nobody asked for',
    ...broken,
    script: (row) => async (line) => {
      await line.send('HTTP/1.1 100 Continue\r\n\r\n');
      await answering(row.body)(line);
    },
  },
  {
    name: '103 Early Hints before the answer',
    outcome: 'right',
    script: (row) => async (line) => {
      for (let hint = 0; hint < 20; hint++) await line.send('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      await answering(row.body)(line);
    },
  },
  {
    name: '101 Switching Protocols',
    ...broken,
    script: (row) => async (line) => {
      await line.send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: evil\r\n\r\n');
      await line.send(row.body);
    },
  },
  {
    name: 'an answer twice',
    outcome: 'right',
    script: (row) => async (line) => {
      await answering(row.body)(line);
      await answering(row.body)(line);
    },
  },
  { name: 'a body twice', outcome: 'right', script: framed(sized, ({ body }) => body + body) },
];

playFaults(faults);

/** Responses whose framing is wrong or larger than can be read: one of each kind, since undici reads them. */
import { answering, chunk, type Fields, head } from '../../support/fault-peer-answers.js';
import { type Fault, playFaults } from './play-faults.js';
import type { Row } from './rows.js';

const sized = (row: Row) => ({ 'content-length': Buffer.byteLength(row.body) });
const chunked = () => ({ 'transfer-encoding': 'chunked' });

/** A whole answer, with these headers in place of a right framing, the connection kept. */
function framed(fields: (row: Row) => Fields, body = (row: Row) => row.body): Fault['script'] {
  return (row) => (line) => line.send(head(line, 200, fields(row)) + body(row));
}

/** Nothing but these bytes. */
function saying(bytes: (row: Row, apikey: string) => string): Fault['script'] {
  return (row) => (line) => line.send(bytes(row, line.request.headers.apikey ?? ''));
}

/** These bytes, then a right answer. */
function before(bytes: string): Fault['script'] {
  return (row) => async (line) => {
    await line.send(bytes);
    await answering(row.body)(line);
  };
}

/** undici takes it for a broken connection: another attempt may fare better. */
const broken = { outcome: 'network', retried: true } as const;
/** What came cannot be read as HTTP: another attempt would get the same. */
const unreadable = { outcome: 'network' } as const;

const faults: readonly Fault[] = [
  {
    name: 'a length that is too short',
    outcome: 'shape',
    script: framed((row) => ({ 'content-length': Math.floor(row.body.length / 2) })),
  },
  { name: 'a length that is not a number', ...unreadable, script: framed(() => ({ 'content-length': '12abc' })) },
  {
    name: 'two lengths that differ',
    ...unreadable,
    script: framed((row) => ({ 'content-length': [7, row.body.length].map(String) })),
  },
  {
    name: 'a length beside chunks',
    ...unreadable,
    script: framed(
      (row) => ({ ...sized(row), ...chunked() }),
      ({ body }) => chunk(body) + chunk(''),
    ),
  },
  {
    name: 'a chunk longer than its size',
    ...unreadable,
    script: framed(chunked, ({ body }) => `5\r\n${body}\r\n${chunk('')}`),
  },
  {
    name: 'a header of 70 kB',
    ...unreadable,
    script: framed((row) => ({ ...sized(row), 'x-long': 'x'.repeat(70_000) })),
  },
  { name: 'no HTTP at all', ...unreadable, script: saying((_, apikey) => `${apikey} is not HTTP\r\n\r\n`) },
  {
    name: 'a header with a NUL',
    ...unreadable,
    script: saying((row, apikey) => `HTTP/1.1 200 OK\r\nx: ${apikey}\0\r\ncontent-length: 5\r\n\r\n${row.body}`),
  },
  { name: '100 Continue that nobody asked for', ...broken, script: before('HTTP/1.1 100 Continue\r\n\r\n') },
  {
    name: '103 Early Hints before the answer',
    outcome: 'right',
    script: before('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20)),
  },
  { name: 'a body twice', outcome: 'right', script: framed(sized, ({ body }) => body + body) },
];

playFaults(faults);

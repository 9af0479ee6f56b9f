/** Responses that break off. */
import type { Script } from '../../support/fault-peer.js';
import { chunk, type Fields, head } from '../../support/fault-peer-answers.js';
import { type Fault, playFaults } from './play-faults.js';
import type { Row } from './rows.js';

const half = ({ body }: Row) => body.slice(0, body.length / 2);
const sized = (row: Row) => ({ 'content-length': Buffer.byteLength(row.body) });
const chunked = { 'transfer-encoding': 'chunked' };

/** Bytes, then the end of the connection. */
function cutAfter(bytes: (row: Row) => string, fields: (row: Row) => Fields): Fault['script'] {
  return (row) => async (line) => {
    await line.send(head(line, 200, fields(row)) + bytes(row));
    line.finish();
  };
}

/** Bytes over several packets, then RST. */
function resetAfter(write: (row: Row) => Script): Fault['script'] {
  return (row) => async (line) => {
    await write(row)(line);
    await line.pause(5);
    line.reset();
  };
}

/** The connection broke: another attempt may fare better. */
const broken = { outcome: 'network', retried: true } as const;

const faults: readonly Fault[] = [
  { name: 'RST before the head', ...broken, script: () => (line) => line.reset() },
  { name: 'FIN before the head', ...broken, script: () => (line) => line.finish() },
  {
    name: 'RST in the middle of the head',
    ...broken,
    script: resetAfter(() => (line) => line.send('HTTP/1.1 200 OK\r\ncontent-ty')),
  },
  {
    name: 'FIN in the middle of the status line',
    ...broken,
    script: () => async (line) => {
      await line.send('HTTP/1.1 20');
      line.finish();
    },
  },
  {
    name: 'RST in the middle of the body',
    ...broken,
    script: resetAfter((row) => (line) => line.send(head(line, 200, sized(row)) + half(row))),
  },
  {
    name: 'RST between head and body',
    ...broken,
    script: resetAfter((row) => (line) => line.send(head(line, 200, sized(row)))),
  },
  { name: 'FIN before the promised length', ...broken, script: cutAfter(half, sized) },
  { name: 'FIN one byte before it', ...broken, script: cutAfter(({ body }) => body.slice(0, -1), sized) },
  {
    name: 'FIN in the middle of a chunk',
    ...broken,
    script: cutAfter(
      ({ body }) => chunk(body).slice(0, -40),
      () => chunked,
    ),
  },
  {
    name: 'FIN after the chunks, before the last one',
    ...broken,
    script: cutAfter(
      ({ body }) => chunk(body),
      () => chunked,
    ),
  },
  {
    name: 'a body without length, cut',
    outcome: 'shape',
    script: cutAfter(half, () => ({ connection: 'close' })),
  },
  {
    name: 'a body without length, whole',
    outcome: 'right',
    script: cutAfter(
      ({ body }) => body,
      () => ({ connection: 'close' }),
    ),
  },
  {
    name: 'a length that is one too long, FIN',
    ...broken,
    script: cutAfter(
      ({ body }) => body,
      (row) => ({ 'content-length': Buffer.byteLength(row.body) + 1 }),
    ),
  },
];

playFaults(faults);

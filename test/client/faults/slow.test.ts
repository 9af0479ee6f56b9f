/** P15: peers that are slow, and responses that do not end: one of each phase of a response. */
import { chunk, type Fields, head } from '../../support/fault-peer-answers.js';
import { type Fault, playFaults, quickOptions } from './play-faults.js';

/** The deadline of a call, and clocks of the dispatcher that a drip outlives. */
const patient = { ...quickOptions, timeouts: { totalMs: 150, headersMs: 1_800_000, bodyMs: 1_800_000 } };
const late = { outcome: 'timeout', over: 'few rows', options: patient } as const;

/** Small enough that a peer gets there at once. */
const smallCap = { ...quickOptions, maxResponseBytes: 20_000 };
const chunked = { 'transfer-encoding': 'chunked' };

/** A response of this status and these headers, then a text again and again, every so many milliseconds. */
function endless(status: number, fields: Fields, piece: string, everyMs = 0): Fault['script'] {
  return () => async (line) => {
    await line.send(head(line, status, fields));
    while (line.isOpen()) {
      await line.send(piece);
      if (everyMs > 0) await line.pause(everyMs);
    }
  };
}

const faults: readonly Fault[] = [
  {
    name: 'a head that drips, byte by byte',
    ...late,
    script: () => async (line) => {
      for (const byte of head(line, 200, { 'content-length': 100 })) {
        await line.send(byte);
        await line.pause(10);
      }
    },
  },
  { name: '103 Early Hints without end', ...late, script: endless(103, {}, 'HTTP/1.1 103 Early Hints\r\n\r\n', 10) },
  { name: 'a body that drips in chunks', ...late, script: endless(200, chunked, chunk(' '), 10) },
  { name: 'a failure that drips', ...late, script: endless(400, { 'content-length': 1000 }, ' ', 10) },
  { name: 'never answers', ...late, script: () => () => {} },
  {
    name: 'falls silent one byte before the end',
    ...late,
    script: (row) => (line) =>
      line.send(head(line, 200, { 'content-length': row.body.length }) + row.body.slice(0, -1)),
  },
  {
    name: 'a length of 200 MB, over the cap',
    outcome: 'shape',
    script: () => (line) => line.send(head(line, 200, { 'content-length': 200_000_000 })),
  },
  {
    name: 'chunks without end',
    outcome: 'shape',
    options: smallCap,
    script: endless(200, chunked, chunk('['.repeat(5000))),
  },
  { name: 'a failure without end', outcome: 'http', script: endless(400, chunked, chunk(' '.repeat(50_000))) },
  {
    name: 'sliced into chunks of a byte, with extensions and trailers',
    outcome: 'right',
    script: (row) => async (line) => {
      for (const byte of head(line, 200, chunked)) await line.send(byte);
      for (const byte of row.body) await line.send(`1;name="value"\r\n${byte}\r\n`);
      await line.send('0\r\nx-trailer: kept out\r\n\r\n');
    },
  },
];

playFaults(faults);

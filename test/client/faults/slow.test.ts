/** Faults 16 to 18, 34, 35 and 47, and P15: peers that are slow, and peers that do not end. */
import { answering, chunk, head } from '../../support/fault-peer-answers.js';
import { type Fault, playFaults, quickOptions } from './play-faults.js';

/** The deadline of a call, and clocks of the dispatcher that a drip outlives. */
const patient = { ...quickOptions, timeouts: { totalMs: 150, headersMs: 1_800_000, bodyMs: 1_800_000 } };
const late = { outcome: 'timeout', over: 'few rows', options: patient } as const;

/** Small enough that a peer gets there at once. */
const smallCap = { ...quickOptions, maxResponseBytes: 20_000 };

const faults: readonly Fault[] = [
  {
    number: 16,
    name: 'a head that drips, byte by byte',
    ...late,
    script: () => async (line) => {
      for (const byte of head(line, 200, { 'content-length': 100 })) {
        await line.send(byte);
        await line.pause(10);
      }
    },
  },
  {
    number: 16,
    name: 'headers without end, one every 10 ms',
    ...late,
    script: () => async (line) => {
      await line.send('HTTP/1.1 200 OK\r\n');
      for (let count = 0; line.isOpen(); count++) {
        await line.send(`x-${count}: ${count}\r\n`);
        await line.pause(10);
      }
    },
  },
  {
    number: 16,
    name: '103 Early Hints without end',
    ...late,
    script: () => async (line) => {
      while (line.isOpen()) {
        await line.send('HTTP/1.1 103 Early Hints\r\n\r\n');
        await line.pause(10);
      }
    },
  },
  {
    number: 17,
    name: 'a body that drips, byte by byte',
    ...late,
    script: (row) => async (line) => {
      await line.send(head(line, 200, { 'content-length': row.body.length }));
      for (const byte of row.body) {
        await line.send(byte);
        await line.pause(10);
      }
    },
  },
  {
    number: 17,
    name: 'a body that drips in chunks',
    ...late,
    script: () => async (line) => {
      await line.send(head(line, 200, { 'transfer-encoding': 'chunked' }));
      while (line.isOpen()) {
        await line.send(chunk(' '));
        await line.pause(10);
      }
    },
  },
  {
    number: 17,
    name: 'a failure that drips',
    ...late,
    script: () => async (line) => {
      await line.send(head(line, 400, { 'content-length': 1000 }));
      while (line.isOpen()) {
        await line.send(' ');
        await line.pause(10);
      }
    },
  },
  { number: 18, name: 'never answers', ...late, script: () => () => {} },
  {
    number: 18,
    name: 'falls silent after the head',
    ...late,
    script: () => (line) => line.send(head(line, 200, { 'content-length': 100 })),
  },
  {
    number: 18,
    name: 'falls silent one byte before the end',
    ...late,
    script: (row) => (line) =>
      line.send(head(line, 200, { 'content-length': row.body.length }) + row.body.slice(0, -1)),
  },
  {
    number: 34,
    name: 'a length of 200 MB, over the cap',
    outcome: 'shape',
    options: { ...quickOptions },
    script: () => (line) => line.send(head(line, 200, { 'content-length': 200_000_000 })),
  },
  {
    number: 35,
    name: 'chunks without end',
    outcome: 'shape',
    options: smallCap,
    script: () => async (line) => {
      await line.send(head(line, 200, { 'transfer-encoding': 'chunked' }));
      while (line.isOpen()) await line.send(chunk('['.repeat(5000)));
    },
  },
  {
    number: 35,
    name: 'a body without length and without end',
    outcome: 'shape',
    options: smallCap,
    script: () => async (line) => {
      await line.send(head(line, 200, {}));
      while (line.isOpen()) await line.send(' '.repeat(5000));
    },
  },
  {
    number: 35,
    name: 'one chunk a byte long after the other, without end',
    outcome: 'shape',
    options: { ...quickOptions, maxResponseBytes: 2000 },
    script: () => async (line) => {
      await line.send(head(line, 200, { 'transfer-encoding': 'chunked' }));
      while (line.isOpen()) await line.send(chunk(' ').repeat(500));
    },
  },
  {
    number: 35,
    name: 'a failure without end',
    outcome: 'http',
    script: () => async (line) => {
      await line.send(head(line, 400, { 'transfer-encoding': 'chunked' }));
      while (line.isOpen()) await line.send(chunk(' '.repeat(50_000)));
    },
  },
  {
    number: 47,
    name: 'latency with jitter',
    outcome: 'right',
    script: (row) => async (line) => {
      await line.pause(20 + (row.body.length % 30));
      await answering(row.body)(line);
    },
  },
  {
    number: 47,
    name: 'sliced into single bytes',
    outcome: 'right',
    script: (row) => async (line) => {
      for (const byte of head(line, 200, { 'content-length': row.body.length }) + row.body) await line.send(byte);
    },
  },
  {
    number: 47,
    name: 'sliced into chunks of a byte, with extensions and trailers',
    outcome: 'right',
    script: (row) => async (line) => {
      await line.send(head(line, 200, { 'transfer-encoding': 'chunked' }));
      for (const byte of row.body) await line.send(`1;name="value"\r\n${byte}\r\n`);
      await line.send('0\r\nx-trailer: kept out\r\n\r\n');
    },
  },
  {
    number: 47,
    name: 'little bandwidth',
    outcome: 'right',
    over: 'few rows',
    script: (row) => async (line) => {
      await line.send(head(line, 200, { 'content-length': row.body.length }));
      for (let at = 0; at < row.body.length; at += 100) {
        await line.send(row.body.slice(at, at + 100));
        await line.pause(5);
      }
    },
  },
  {
    number: 47,
    name: 'slow to close',
    outcome: 'right',
    over: 'few rows',
    script: (row) => async (line) => {
      await answering(row.body, 200, { connection: 'close' })(line);
      await line.pause(100);
      line.finish();
    },
  },
  {
    number: 47,
    name: 'a limit of data: the connection ends after 200 bytes',
    outcome: 'network',
    retried: true,
    script: (row) => async (line) => {
      await line.send((head(line, 200, { 'content-length': row.body.length }) + row.body).slice(0, 200));
      line.finish();
    },
  },
  {
    number: 47,
    name: 'reset after 50 ms',
    outcome: 'network',
    retried: true,
    over: 'few rows',
    script: () => async (line) => {
      await line.pause(50);
      line.reset();
    },
  },
];

playFaults(faults);

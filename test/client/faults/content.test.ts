/**
 * Responses that arrive whole, with another content than §2 gives: one of each kind. Which texts are JSON and which
 * bytes are UTF-8 is in json.test.ts, bodies that are too large are in memory.test.ts.
 */
import { gzipSync } from 'node:zlib';
import { answering, errorBody, type Fields } from '../../support/fault-peer-answers.js';
import { type Fault, playFaults } from './play-faults.js';
import { changedData, type Row } from './rows.js';

type Body = (row: Row) => string | Uint8Array;

/** A 200 with this body must be a `ShapeError`, at once: another attempt would get the same. */
function misshapen(name: string, body: Body, fields: Fields = {}): Fault {
  return { name, outcome: 'shape', script: (row) => answering(body(row), 200, fields) };
}

/** A 200 with this body must be read. */
function readable(name: string, body: Body, fields: Fields = {}): Fault {
  return { name, outcome: 'right', script: (row) => answering(body(row), 200, fields) };
}

function withData(row: Row, data: unknown): string {
  return JSON.stringify({ ...JSON.parse(row.body), data });
}

/** Every field of a row's schema, wrong in every way the row lists. */
const wrongTypes: readonly Fault[] = Array.from({ length: 9 }, (_, index) =>
  misshapen(`a field of a wrong type (${index + 1})`, (row) =>
    withData(row, changedData(row, row.wrong[index % row.wrong.length]!)),
  ),
);

const future = { future: { deep: [1, null] }, constructor: 'x' };
const plain: Body = ({ body }) => body;

const faults: readonly Fault[] = [
  misshapen('200 with a page for people', () => '<!doctype html>', { 'content-type': 'text/html' }),
  misshapen('200 with an empty body', () => ''),
  { name: '201 with a right body', outcome: 'http', script: (row) => answering(row.body, 201) },
  misshapen('200 with an error', () => errorBody('ERR_FAULT')),
  misshapen('200 without data', () => '{"meta":{}}'),
  misshapen('200 with data null', (row) => withData(row, null)),
  misshapen('200 with data of another kind', (row) => withData(row, Array.isArray(row.data) ? {} : [row.data])),
  misshapen('200 with the bare data', (row) => JSON.stringify(row.data)),
  ...wrongTypes,
  {
    ...readable('unknown fields, which are kept', (row) => withData(row, changedData(row, future))),
    right: (row) => {
      const data = changedData(row, future);
      return row.right === row.data ? data : { ...(row.right as object), data };
    },
  },
  readable('a byte order mark', (row) => `\ufeff${row.body}`),
  misshapen('invalid UTF-8', (row) => Buffer.from(row.body.replace('{', '{"note":"\xe2\x82",'), 'latin1')),
  misshapen('a number past all others, in a field that is known', (row) =>
    row.body
      .replace(/"data":(\[?)\{/, '"data":$1{"createdAt":1e999,"success":1e999,"sentAt":1e999,')
      .replace(/"success":true,|"sentAt":1700000000,/g, ''),
  ),
  misshapen('nested 100,000 deep where a resource should be', () => `{"data":${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
  misshapen('gzip that nobody asked for', (row) => gzipSync(row.body), { 'content-encoding': 'gzip' }),
  misshapen('an encoding by name only', plain, { 'content-encoding': 'gzip, br' }),
  readable('`identity`, which is none', plain, { 'content-encoding': 'Identity' }),
];

playFaults(faults);

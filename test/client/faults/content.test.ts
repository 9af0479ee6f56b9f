/** Responses that arrive whole, with another content than §2 gives. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { answering, errorBody } from '../../support/fault-peer-answers.js';
import { type Fault, playFaults } from './play-faults.js';
import { changedData, type Row } from './rows.js';

const html = '<!doctype html><title>sign in to the network</title>';

/** A 200 with this body must be a `ShapeError`, at once: another attempt would get the same. */
function misshapen(name: string, body: (row: Row) => string | Uint8Array): Fault {
  return { name, outcome: 'shape', script: (row) => answering(body(row)) };
}

function withData(row: Row, data: unknown): string {
  return JSON.stringify({ ...JSON.parse(row.body), data });
}

/** A value of another kind than the row's data is. */
function otherKind(row: Row): unknown {
  return Array.isArray(row.data) ? {} : [row.data];
}

/** The row's body with a JSON text in place of a string of its first resource. */
function withNote(row: Row, json: string): string {
  return withData(row, changedData(row, { note: '@' })).replace('"@"', json);
}

function encoded(name: string, encoding: string, body: (row: Row) => Uint8Array): Fault {
  const script: Fault['script'] = (row) => answering(body(row), 200, { 'content-encoding': encoding });
  return { name, outcome: 'shape', script };
}

/** Made once: packing it takes longer than all else here. */
const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));
const plain = (row: Row) => Buffer.from(row.body);
const invalidUtf8: readonly (readonly [string, readonly number[]])[] = [
  ['a byte that never occurs', [0xff]],
  ['a lone continuation', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
  ['a code point past the last', [0xf4, 0x90, 0x80, 0x80]],
  ['a character cut short', [0xe2, 0x82]],
];

/** Every field of a row's schema, wrong in every way the row lists. */
const wrongTypes: readonly Fault[] = Array.from({ length: 9 }, (_, index) => ({
  name: `a field of a wrong type (${index + 1})`,
  outcome: 'shape',
  script: (row) => answering(withData(row, changedData(row, row.wrong[index % row.wrong.length]!))),
}));

const faults: readonly Fault[] = [
  misshapen('200 with a page for people', () => html),
  {
    name: '200 with a page for people, named as such',
    outcome: 'shape',
    script: () => answering(html, 200, { 'content-type': 'text/html' }),
  },
  misshapen('200 with an empty body', () => ''),
  misshapen('200 with blanks', () => ' \r\n\t'),
  { name: '204 without a body', outcome: 'http', script: () => answering('', 204) },
  { name: '205 without a body', outcome: 'http', script: () => answering('', 205) },
  { name: '201 with a right body', outcome: 'http', script: (row) => answering(row.body, 201) },
  misshapen('200 with an error', () => errorBody('ERR_FAULT')),
  misshapen('200 without data', () => '{"meta":{}}'),
  misshapen('200 with data null', (row) => withData(row, null)),
  misshapen('200 with data of another kind', (row) => withData(row, otherKind(row))),
  misshapen('200 with data a string', (row) => withData(row, JSON.stringify(row.data))),
  misshapen('200 with data a number', (row) => withData(row, 1)),
  misshapen('200 with the bare data', (row) => JSON.stringify(row.data)),
  misshapen('200 with null', () => 'null'),
  misshapen('200 with a string', (row) => JSON.stringify(row.body)),
  ...wrongTypes,
  {
    name: 'unknown fields, which are kept',
    outcome: 'right',
    script: (row) => answering(withData(row, changedData(row, { future: { deep: [1, null] }, constructor: 'x' }))),
    right: (row) => {
      const data = changedData(row, { future: { deep: [1, null] }, constructor: 'x' });
      return row.right === row.data ? data : { ...(row.right as object), data };
    },
  },
  {
    name: 'a byte order mark',
    outcome: 'right',
    script: (row) => answering(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain(row)])),
  },
  misshapen('two byte order marks', (row) => `\ufeff\ufeff${row.body}`),
  misshapen('UTF-16', (row) => Buffer.from(`\ufeff${row.body}`, 'utf16le')),
  ...invalidUtf8.map(([name, bytes]) =>
    misshapen(`invalid UTF-8: ${name}`, (row) => {
      const [before = '', after = ''] = withNote(row, '"@"').split('@');
      return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    }),
  ),
  {
    name: 'a lone surrogate, escaped, which is kept',
    outcome: 'right',
    script: (row) => answering(withNote(row, '"a\\ud800b"')),
    right: (row) => {
      const data = changedData(row, { note: 'a\ud800b' });
      return row.right === row.data ? data : { ...(row.right as object), data };
    },
  },
  misshapen('two documents', (row) => row.body + row.body),
  misshapen('two documents, a line each', (row) => `${row.body}\n${row.body}\n`),
  misshapen('a document and one brace', (row) => `${row.body}}`),
  misshapen('a document behind a guard', (row) => `)]}'\n${row.body}`),
  misshapen('NaN', (row) => withNote(row, 'NaN')),
  misshapen('Infinity', (row) => withNote(row, '-Infinity')),
  misshapen('a number past all others, in a field that is known', (row) =>
    row.body
      .replace(/"data":(\[?)\{/, '"data":$1{"createdAt":1e999,"success":1e999,"sentAt":1e999,')
      .replace(/"success":true,|"sentAt":1700000000,/g, ''),
  ),
  misshapen('nested 100,000 deep where a resource should be', () => `{"data":${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
  misshapen('nested 100,000 deep and never closed', () => `{"data":${'{"a":'.repeat(1e5)}`),
  encoded('gzip that nobody asked for', 'gzip', (row) => gzipSync(row.body)),
  encoded('gzip under its old name', 'x-gzip', (row) => gzipSync(row.body)),
  encoded('brotli', 'br', (row) => brotliCompressSync(row.body)),
  encoded('deflate', 'deflate', (row) => deflateSync(row.body)),
  encoded('stacked', 'gzip, br', (row) => brotliCompressSync(gzipSync(row.body))),
  encoded('gzip a hundred times by name', Array(100).fill('gzip').join(', '), plain),
  encoded('an encoding that does not exist', 'evil', plain),
  encoded('corrupt gzip', 'gzip', (row) => gzipSync(row.body).fill(0, 20, 40)),
  encoded('gzip by name only', 'gzip', plain),
  encoded('a bomb: 10 MB in 10 kB', 'gzip', () => bomb),
  misshapen('gzip without its name', (row) => gzipSync(row.body)),
  {
    name: '`identity`, which is none',
    outcome: 'right',
    script: (row) => answering(row.body, 200, { 'content-encoding': 'Identity' }),
  },
];

playFaults(faults);

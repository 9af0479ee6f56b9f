/**
 * The soak run, `npm run soak -- [--minutes N] [--out FILE]`: prints a row for every figure and writes them as JSON. Ends with
 * 1 when a promise did not hold.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from '../../src/bench/record.js';
import type { Figure } from './figure.js';
import { soaks } from './soaks.js';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, out: { type: 'string' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError('`--minutes` must be a number over 0');

const figures: Figure[] = [];
const row = (figure: Figure) =>
  [figure.promise.padEnd(5), figure.what.padEnd(48), String(figure.figure).padStart(12), figure.unit.padEnd(9)].join(
    ' ',
  );
for (const { soak, share } of soaks) {
  for (const figure of await soak(Date.now() + share * minutes * 60_000)) {
    figures.push(figure);
    process.stdout.write(`${row(figure)}${figure.held ? '' : ' BROKEN'}\n`);
  }
}
if (values.out !== undefined) {
  const record = { minutes, node: process.version, machine: describeMachine(), figures };
  writeFileSync(values.out, `${JSON.stringify(record, null, 2)}\n`);
}
process.exitCode = figures.every(({ held }) => held) ? 0 : 1;

/**
 * The soak run, `npm run soak -- [--minutes N] [--only NAME] [--out FILE]`: prints a row for every
 * figure and writes them as JSON. Ends with 1 when a promise did not hold.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from '../../bench/rules/machine.js';
import type { Figure } from './figure.js';
import { soaks } from './soaks.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, only: { type: 'string' }, out: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError('`--minutes` must be a number over 0');
const chosen = Object.entries(soaks).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) throw new RangeError(`\`--only\` must be one of ${Object.keys(soaks).join(', ')}`);

const figures: Figure[] = [];
const row = (figure: Figure) =>
  [figure.promise.padEnd(5), figure.what.padEnd(48), String(figure.figure).padStart(12), figure.unit.padEnd(9)].join(
    ' ',
  );
for (const [, { soak, share }] of chosen) {
  const part = values.only === undefined ? share : 1;
  for (const figure of await soak(Date.now() + part * minutes * 60_000)) {
    figures.push(figure);
    process.stdout.write(`${row(figure)}${figure.held ? '' : ' BROKEN'}\n`);
  }
}
if (values.out !== undefined) {
  const record = { minutes, node: process.version, machine: describeMachine(), figures };
  writeFileSync(values.out, `${JSON.stringify(record, null, 2)}\n`);
}
process.exitCode = figures.every(({ held }) => held) ? 0 : 1;

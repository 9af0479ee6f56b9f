/** Says in one line what `npm test` left out, by what the files that it does not run use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a file of slow tests takes, by what it imports; one that imports none of it takes long. */
const needs = [
  ['browsers', /\/chromium\.js'/],
  ['data engines', /\/(?:dask|parallel)\.js'/],
  ['processes', /'node:child_process'|\/built-command\.js'|\/packed\.js'/],
];

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.slow.test.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
const kinds = needs.filter(([, imports]) => files.some((text) => imports.test(text))).map(([kind]) => kind);
if (files.some((text) => !needs.some(([, imports]) => imports.test(text)))) kinds.push('what takes long');
console.log(`left out: ${files.length} files of \`npm run test:slow\`: ${kinds.join(', ')}`);

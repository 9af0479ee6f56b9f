import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../project-root.js';

const read = (name: string) => readFileSync(join(projectRoot, 'fixtures/data', name), 'utf8');

interface Row {
  readonly category?: string;
  readonly data?: { readonly text?: unknown };
}

/** The different texts of the fixtures' messages, white space as single spaces, in their order. */
export function fixtureTexts(): readonly string[] {
  kept ??= readTexts();
  return kept;
}

let kept: readonly string[] | undefined;

function readTexts(): string[] {
  const rows = read('messages.ndjson')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
  const texts = rows.flatMap(({ data }) => (typeof data?.text === 'string' ? [data.text] : []));
  return [...new Set(texts.map((text) => text.toWellFormed().replace(/\s+/g, ' ').trim()))].filter(
    (text) => text.length > 1,
  );
}

/** The different terms of the fixtures' keyword lists, folded to lower case. */
export function fixtureTerms(): string[] {
  const lists = JSON.parse(read('lists.json')) as { category?: string; isCSV?: boolean; searchTerms: string[] }[];
  const terms = lists
    .filter(({ category, isCSV }) => category === 'word' && isCSV !== true)
    .flatMap((list) => list.searchTerms);
  return [...new Set(terms.map((term) => term.toLowerCase().replace(/\s+/g, ' ').trim()))].filter(
    (term) => term.length > 1,
  );
}

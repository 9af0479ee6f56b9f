import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledMessages } from '../../src/platform/service/bundled-messages.js';
import { projectRoot } from '../record.js';
import { tidy } from '../rules/searches.js';

const read = (name: string) => readFileSync(join(projectRoot, 'fixtures/data', name), 'utf8');

let texts: readonly string[] | undefined;

/**
 * The different texts of the messages of the fixtures, white space as single spaces, in their
 * order.
 */
export function fixtureTexts(): readonly string[] {
  texts ??= readTexts();
  return texts;
}

function readTexts(): string[] {
  // The path is given, since the compiled benchmarks are not in the folder of the package.
  const rows = [...bundledMessages(join(projectRoot, 'fixtures/data/messages.json.br'))] as {
    readonly data?: { readonly text?: unknown };
  }[];
  const all = rows.flatMap(({ data }) => (typeof data?.text === 'string' ? [tidy(data.text)] : []));
  return [...new Set(all)].filter((text) => text.length > 1);
}

/** The different terms of the keyword lists of the fixtures, in lower case. */
export function fixtureTerms(): string[] {
  const lists = JSON.parse(read('lists.json')) as { category?: string; isCSV?: boolean; searchTerms: string[] }[];
  const terms = lists
    .filter(({ category, isCSV }) => category === 'word' && isCSV !== true)
    .flatMap(({ searchTerms }) => searchTerms.map((term) => tidy(term.toLowerCase())));
  return [...new Set(terms)].filter((term) => term.length > 1);
}

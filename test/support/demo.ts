import { readFileSync } from 'node:fs';
import { bundledMessages } from '../../src/platform/service/bundled-messages.js';

const folder = new URL('../../fixtures/data/', import.meta.url);

/** Returns the lines of the demo's messages, one JSON object each. */
export function demoLines(): string[] {
  return Array.from(bundledMessages(), (row) => JSON.stringify(row));
}

/** Returns the content of a JSON file of the demo. */
export function demoData<T>(name: 'rules.json' | 'lists.json' | 'broken.json' | 'scores.json'): T {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as T;
}

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const folder = new URL('../../fixtures/data/', import.meta.url);

/** Returns the lines of the demo's messages, one JSON object each. */
export function demoLines(): string[] {
  const text = gunzipSync(readFileSync(new URL('messages.ndjson.gz', folder))).toString('utf8');
  return text.trimEnd().split('\n');
}

/** Returns the content of a JSON file of the demo. */
export function demoData<T>(name: 'rules.json' | 'lists.json' | 'broken.json' | 'scores.json'): T {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as T;
}

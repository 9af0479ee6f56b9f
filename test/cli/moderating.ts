/** `sluice moderate` while it listens, for the tests of it. */
import { writeFile } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import { ruleSet } from '../http/call.js';
import { listenWhile, type Outcome } from './terminal.js';
import { worldFiles } from './world.js';

export async function files() {
  const world = await worldFiles();
  onTestFinished(world.remove);
  await writeFile(world.file('these.json'), JSON.stringify(ruleSet));
  return world;
}

/** Runs `moderate --json` until `use` is done with it. */
export function moderateWhile(
  args: readonly string[],
  use: (url: string) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return listenWhile(
    ['moderate', '--json', ...args],
    async (printed) => {
      const place = JSON.parse(printed) as { readonly url: string };
      expect(Object.keys(place)).toEqual(['url']);
      await use(place.url);
    },
    env,
  );
}

export async function ask(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const all = { 'content-type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: all });
  return { status: response.status, json: (await response.json()) as Readonly<Record<string, unknown>> };
}
/** A file with a rule for each word. */
export function stops(...words: readonly string[]): string {
  const ruleOf = (word: string) => ({
    id: word,
    action: ['blockMessage'],
    conditions: [{ operand: 'text', value: [word] }],
  });
  return JSON.stringify({ rules: words.map(ruleOf), lists: [] });
}
export const statusOf = async (url: string) => (await fetch(url)).status;

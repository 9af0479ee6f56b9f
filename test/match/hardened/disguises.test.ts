/** Pairs of a word and how somebody may write it, kind by kind: how many are found. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createEngine } from '../../../src/index.js';

const url = new URL('data/disguises.json', import.meta.url);
const kinds = JSON.parse(readFileSync(url, 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>>>>;

it.each(Object.entries(kinds))('finds words that are %s', (_, pairs) => {
  const missed = Object.entries(pairs).filter(([disguised, word]) => {
    const rules = [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: [word] }] }];
    return createEngine({ rules, lists: [] }, { folding: 'hardened' }).decide(`oh ${disguised} there`) === 'allow';
  });
  expect(Object.keys(pairs).length).toBeGreaterThanOrEqual(40);
  expect(missed).toEqual([]);
});

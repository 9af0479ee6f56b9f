import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../fixtures/random.js';
import { demoLines } from '../support/demo.js';
import { engineOf } from './engines.js';
import { evasions } from './evasions.js';
import { falseAlarms, listed, type Recall, recallOf } from './recall.js';

let measuredOnce: Recall[] | undefined;
const hardened = (): Recall[] => {
  measuredOnce ??= recallOf('hardened', 8, createRandom(29, 'recall'));
  return measuredOnce;
};

describe('P29: measured recall and false alarms', () => {
  it('case folding: finds capitals, and no other disguise', () => {
    const [capitals, ...others] = recallOf('case', 4, createRandom(29, 'recall'));
    expect(capitals!.found).toBe(capitals!.asked);
    for (const { evasion, found, asked } of others) expect([evasion, found / asked]).toEqual([evasion, 0]);
  });

  it('hardened folding: finds every kind of disguise', () => {
    for (const { evasion, found, asked } of hardened()) expect([evasion, found / asked]).toEqual([evasion, 1]);
  });

  it('hardened folding: no false positives in the conversations of the fixtures', () => {
    const messages = demoLines().map((line) => JSON.parse(line) as { data?: { text?: unknown } });
    const texts = messages.flatMap(({ data }) => (typeof data?.text === 'string' ? [data.text] : []));
    expect(texts.length).toBeGreaterThan(1000);
    expect(falseAlarms(texts).length / texts.length).toBeLessThan(0.002);
  });
});

describe('docs/readings.md', () => {
  const page = readFileSync(new URL('../../docs/readings.md', import.meta.url), 'utf8');
  /** The rows of the table under a header, as cells. */
  const tableUnder = (header: string) =>
    page
      .slice(page.indexOf(header))
      .split('\n\n')[0]!
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
  const others = ['case', 'accents'] as const;
  const foldings = [...others, 'hardened'] as const;
  const percent = ({ found, asked }: Recall) => `${Math.round((100 * found) / asked)} %`;
  const finds = (folding: (typeof foldings)[number], example: string) =>
    engineOf(listed, { folding }).decide(`well ${/`(.*?)`/.exec(example)![1]}, you`) !== 'allow';

  it('has how often each disguise of the promises is found', () => {
    const rows = tableUnder('| disguise | example');
    const measured = [...others.map((folding) => recallOf(folding, 8, createRandom(29, 'recall'))), hardened()];
    const shares = Object.keys(evasions).map((evasion, at) => [
      evasion,
      ...measured.map((kinds) => percent(kinds[at]!)),
    ]);
    expect(rows.map(([evasion, , ...cells]) => [evasion, ...cells])).toEqual(shares);
    for (const [evasion, example, ...cells] of rows)
      for (const [at, folding] of foldings.entries())
        expect([evasion, folding, finds(folding, example!)]).toEqual([evasion, folding, cells[at] === '100 %']);
  });

  it('has examples of what no folding finds', () => {
    const rows = tableUnder('| not found | example');
    expect(rows.length).toBeGreaterThan(5);
    for (const [what, example] of rows)
      for (const folding of foldings) expect([what, finds(folding, example!)]).toEqual([what, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { createRandom } from '../../fixtures/random.js';
import { demoLines } from '../support/demo.js';
import { falseAlarms, recallOf } from './recall.js';

describe('P29: measured recall and false alarms', () => {
  it('case folding: finds capitals, and no other disguise', () => {
    const [capitals, ...others] = recallOf('case', 4, createRandom(29, 'recall'));
    expect(capitals!.found).toBe(capitals!.asked);
    for (const { evasion, found, asked } of others) expect([evasion, found / asked]).toEqual([evasion, 0]);
  });

  it('hardened folding: finds every kind of disguise', () => {
    for (const { evasion, found, asked } of recallOf('hardened', 8, createRandom(29, 'recall')))
      expect([evasion, found / asked]).toEqual([evasion, 1]);
  });

  it('hardened folding: no false positives in the conversations of the fixtures', () => {
    const messages = demoLines().map((line) => JSON.parse(line) as { data?: { text?: unknown } });
    const texts = messages.flatMap(({ data }) => (typeof data?.text === 'string' ? [data.text] : []));
    expect(texts.length).toBeGreaterThan(1000);
    expect(falseAlarms(texts).length / texts.length).toBeLessThan(0.002);
  });
});

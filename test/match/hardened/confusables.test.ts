import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import {
  confusables,
  lettersWithPrototypes,
  ligatureOf,
  prototypesOf,
} from '../../../src/engine/match/hardened/confusables.js';
import { deriveConfusables } from './derive-confusables.js';

const data = createRequire(import.meta.url)('unhomoglyph/data.json') as Readonly<Record<string, string>>;

describe('the confusables', () => {
  it('are those of Unicode, as the data package has them', () => {
    expect(confusables).toBe(deriveConfusables(data));
  });

  it('are small', () => {
    expect(confusables.length).toBeLessThan(2000);
  });

  it('lead from letters beyond ASCII to ASCII letters and digits', () => {
    const letters = [...lettersWithPrototypes()];
    expect(letters.length).toBeGreaterThan(400);
    for (const letter of letters) {
      expect(letter).toBeGreaterThan(0x7f);
      expect(String.fromCodePoint(...prototypesOf(letter))).toMatch(/^[a-z0-9]+$/);
    }
    expect(String.fromCodePoint(...(ligatureOf(0xe6) ?? []))).toBe('ae');
  });
});

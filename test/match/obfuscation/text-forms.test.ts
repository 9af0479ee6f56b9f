import { describe, expect, it } from 'vitest';
import { hasSeveralForms, isInSeveralForms } from '../../../src/engine/match/obfuscation/text-forms.js';

describe('characters with several forms', () => {
  it('are the same by their code point and as a text', () => {
    const differing: number[] = [];
    for (let code = 0; code <= 0x10ffff; code++)
      if (hasSeveralForms(code) !== isInSeveralForms(String.fromCodePoint(code))) differing.push(code);
    expect(differing).toEqual([]);
    expect(hasSeveralForms(0x345)).toBe(true);
  });
});

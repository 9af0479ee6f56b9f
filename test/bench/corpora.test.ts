import { describe, expect, it } from 'vitest';
import { createPatterns, sampleOf } from '../../bench/corpora/patterns.js';
import { createTerms } from '../../bench/corpora/terms.js';
import { createTexts } from '../../bench/corpora/texts.js';
import { createRandom } from '../../fixtures/random.js';

const spec = { kind: 'chat', messages: 300 } as const;
const holds = (text: string, terms: readonly string[]) => terms.some((term) => text.toLowerCase().includes(term));

describe('corpora', () => {
  it('are deterministic, and a longer list of terms begins with the shorter one', () => {
    const terms = createTerms('mixed', 500);
    expect(createTerms('mixed', 500)).toEqual(terms);
    expect(createTerms('mixed', 700).slice(0, 500)).toEqual(terms);
    expect(new Set(terms).size).toBe(500);
    const create = () => createTexts({ ...spec, hitsPerThousand: 300 }, terms, createPatterns(24));
    expect(create()).toEqual(create());
  });

  it('have distinct texts with the requested share of hits', () => {
    const terms = createTerms('english', 403);
    for (const hitsPerThousand of [0, 500, 1000]) {
      const texts = createTexts({ ...spec, hitsPerThousand }, terms, []);
      expect(new Set(texts).size).toBe(spec.messages);
      const share = texts.filter((text) => holds(text, terms)).length / texts.length;
      expect(Math.abs(share - hitsPerThousand / 1000)).toBeLessThan(hitsPerThousand % 1000 === 0 ? 0.0001 : 0.1);
    }
  });

  it('have texts of about the requested length', () => {
    for (const length of [20, 300, 16_000]) {
      const texts = createTexts({ ...spec, messages: 20, length }, createTerms('mixed', 200), []);
      for (const text of texts) expect(Math.abs(text.length - length)).toBeLessThan(Math.max(15, length * 0.1));
    }
  });

  it('have patterns that match their samples', () => {
    const random = createRandom(1, 'samples');
    for (const pattern of createPatterns(200)) {
      const { source } = pattern;
      const bare = source
        .replace(/^\(\?i\)/, '')
        .replaceAll('\\x{', '\\u{')
        .replaceAll('\\p{Cyrillic}', '\\p{sc=Cyrl}');
      const flags = `${source.startsWith('(?i)') ? 'i' : ''}${/\\[pu]\{/.test(bare) ? 'u' : ''}`;
      expect(`word ${sampleOf(pattern, random)} word`).toMatch(new RegExp(bare, flags));
    }
  });
});

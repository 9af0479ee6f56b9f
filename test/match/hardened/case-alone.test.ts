/**
 * What case folding finds, hardened folding finds too, with the same span and without transforms:
 * in lists of several terms, in all readings, of terms and texts made of characters that the two
 * read differently.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/engine.js';
import { foldKey } from '../../../src/engine/match/folding.js';
import { createHardenedMatcher } from '../../../src/engine/match/hardened/hardened-matcher.js';
import { createKeywordMatcher } from '../../../src/engine/match/keyword-matcher.js';
import type { KeywordMatcher } from '../../../src/engine/match/keyword-scan.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { readingsOf, wordReadings } from '../../support/readings.js';
import { runs } from '../../support/runs.js';

/** By what is odd about them. */
const pieces: Readonly<Record<string, readonly string[]>> = {
  letters: "a b A s k \u212a i İ ı ſ ß ẞ 1 4 $ ! _ . - | ' ’ …".split(' '),
  composed: 'á Á é å \u212b ΐ ᾳ ᾼ ẛ ǰ ŉ ǆ ǅ ñ й क़ ऩ が 가 각 أ שׁ ො ဦ'.split(' '),
  apart: 'a\u0301 α\u0345 ω\u0301\u0345 क\u093c か\u3099 ｶﾞ \u1100\u1161 \u1161 \u11a8 \u0627\u0654'.split(' '),
  marks: '\u0301 \u0316 \u0325 \u0344 \u0345 \u0489 \u20dd \u20e3 \u05b8 \u0654 \u3099 \u093c \u{1d165}'.split(' '),
  vowels: 'क ि ा ่ ำ ก ං ം \u0bca \u0f71 \u0f73 ཀ ꯥ ꯀ 中 ー'.split(' '),
  white: [' ', '  ', '\t', '\u00a0', '\u3000', '\u2028', '\ufeff', ' \ufeff', '\ufeff '],
  hidden: ['\u200b', '\u200d', '\u00ad', '\ufe0f', '\u034f', '\u3164', '\u{e0100}'],
  looks: 'ι Ι \u1fbe α а Н н æ ø Ꭰ ꭰ ᏸ ꯞ ꞯ ш þ 𐐀 𐐨 𑣃 𑢣 ˛ ͺ ￨ θ ϑ'.split(' '),
  compatible: 'ａ １ ⓐ 🅰 🇦 𝐈 ½ ⑴ ⒈ ﬁ ﬀ ﷺ ﻷ ㍍ ❤ ¨ \ud835 \udc00'.split(' '),
};
const kinds = Object.values(pieces);
const anyPiece = fc.nat(kinds.length - 1).chain((kind) => fc.constantFrom(...kinds[kind]!));

/** A list and texts near its terms, of few pieces, so that they meet. */
const listAndTexts = fc.uniqueArray(anyPiece, { minLength: 1, maxLength: 5 }).chain((few) => {
  const piece = fc.constantFrom(...few, 'a', ' ', '\u0301');
  const any = fc.array(piece, { minLength: 1, maxLength: 5 });
  const ofTwoWords = fc.tuple(piece, fc.constantFrom(...pieces.white!), fc.constantFrom('', ...pieces.marks!), piece);
  const term = fc.oneof(any, ofTwoWords).map((all) => all.join(''));
  const list = fc.uniqueArray(
    term.filter((one) => one.trim() !== ''),
    { minLength: 1, maxLength: 4, selector: (one) => foldKey(one, 'case') },
  );
  return list.chain((terms) => {
    const spaced = fc
      .tuple(fc.constantFrom(...terms), fc.constantFrom(' ', '  ', '\t \u00a0', ' \ufeff'))
      .map(([one, white]) => one.replace(/\s+/g, white));
    const other = fc.constantFrom(...terms).map((one) => one.toUpperCase());
    const text = fc.array(fc.oneof(spaced, other, piece), { minLength: 1, maxLength: 6 }).map((all) => all.join(''));
    return fc.tuple(fc.constant(terms), fc.array(text, { minLength: 4, maxLength: 8 }));
  });
});

function foundBy(matcher: KeywordMatcher, text: string): string[] {
  const found: string[] = [];
  matcher.scan(text, (term, start, end, transforms) => {
    found.push(`${term} ${start} ${end} ${transforms}`);
  });
  return found;
}

describe('hardened folding finds what case alone finds', () => {
  it.each([...wordReadings, 'mixed'] as const)('contains: %s', (reading) => {
    fc.assert(
      fc.property(listAndTexts, ([terms, texts]) => {
        const words = readingsOf(reading, terms.length);
        const plain = runAtOnce(createKeywordMatcher(terms, { folding: 'case', words }));
        const hardened = runAtOnce(createHardenedMatcher(terms, { words }));
        for (const text of texts) {
          const found = foundBy(hardened, text);
          expect(foundBy(plain, text).filter((one) => !found.includes(one))).toEqual([]);
          const starts = found.map((one) => one.split(' ', 2).join(' '));
          expect(new Set(starts).size).toBe(starts.length);
        }
      }),
      { numRuns: runs(20, 2_000) },
    );
  });

  it('equals', () => {
    fc.assert(
      fc.property(listAndTexts, ([written, texts]) => {
        const terms = [...new Map(written.map((term) => [foldKey(term.trim(), 'case'), term.trim()])).values()];
        const value = terms.filter((term) => term !== '');
        const rules = [
          { id: 'r', action: ['blockMessage'], conditions: [{ id: 1, operator: 'equals', operand: 'text', value }] },
        ];
        const engine = createEngine({ rules, lists: [] }, { folding: 'hardened' });
        for (const text of [...texts, ...value.map((term) => ` ${term.replace(/\s+/g, '  ')}\t`)]) {
          const same = value.find((term) => foldKey(term, 'case') === foldKey(text.trim(), 'case'));
          if (same === undefined) continue;
          const start = text.length - text.trimStart().length;
          const span = { start, end: start + text.trim().length };
          const matches = engine.explain(text).matched[0]?.conditions[0]?.matches;
          expect([text, matches]).toEqual([
            text,
            expect.arrayContaining([expect.objectContaining({ term: same, span })]),
          ]);
        }
      }),
      { numRuns: runs(50, 5_000) },
    );
  });
});

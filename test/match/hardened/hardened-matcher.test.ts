/** What visitors of the hardened matcher are promised, and what its tables hold. */
import { expect, it } from 'vitest';
import { foldCodePoint } from '../../../src/engine/match/folding.js';
import { decompositionOf } from '../../../src/engine/match/hardened/decompositions.js';
import { createHardenedMatcher } from '../../../src/engine/match/hardened/hardened-matcher.js';
import { hasSeveralForms, isInSeveralForms } from '../../../src/engine/match/hardened/text-forms.js';
import { Advice } from '../../../src/engine/match/keyword-scan.js';
import { re2js } from '../../../src/engine/match/patterns/re2js.js';
import { runAtOnce } from '../../../src/foundation/portions.js';

it('no letters of clean texts are compared', () => {
  const terms = ['kill', 'scam', 'idiot', 'ass', 'hate', 'moron', 'buy now', 'straße', 'café', 'né', 'дурак', 'асс'];
  const matcher = runAtOnce(createHardenedMatcher(terms, { words: 'word' }));
  for (const text of [
    'I am still here, it is a list of 33.',
    'push it',
    'ههههه',
    'Скоро буду, я дома',
    '今日はいい天気',
    '😀❤️ yes',
  ])
    matcher.scan(text, () => expect.unreachable());
  expect(matcher.steps).toBe(0);
});

it('a scan ends as its visitor advises', () => {
  const matcher = runAtOnce(createHardenedMatcher(['kill', 'scam'], { words: 'word' }));
  const { dfa } = re2js.compile([
    { source: 'k[^\\n]ll', insensitive: false, whole: false },
    { source: '[0-9]{3}', insensitive: false, whole: false },
  ]);
  for (const [advice, count] of [
    [Advice.STOP, 0],
    [Advice.PATTERNS_ONLY, 2],
  ] as const) {
    let visits = 0;
    const visit = () => {
      visits++;
      return advice;
    };
    expect([matcher.scanWith('k1ll sc4m 333', visit, dfa!), visits]).toEqual([true, 1]);
    if (advice === Advice.PATTERNS_ONLY) expect(dfa!.matchedCount).toBe(count);
  }
});

it('closed terms are left out until they are cleared', () => {
  const matcher = runAtOnce(createHardenedMatcher(['kill', 'kills', 'i\u200bll'], { words: 'substring' }));
  const closed = matcher.createClosedTerms();
  const terms = () => {
    const found = new Set<number>();
    matcher.scan('k1lls i\u200bll k i l l', (term) => void found.add(term), closed);
    return [...found].sort();
  };
  expect(terms()).toEqual([0, 1, 2]);
  for (const term of [0, 2]) closed.close(term);
  expect(terms()).toEqual([1]);
  closed.close(1);
  expect(terms()).toEqual([]);
  closed.clear();
  expect(terms()).toEqual([0, 1, 2]);
});

it('a character is read as its other case is, so that letters show what case folding finds', () => {
  const otherwise = Array.from({ length: 0x20000 }, (_, code) => code).filter((code) => {
    const folded = foldCodePoint(code, 'case');
    return folded !== code && String(decompositionOf(code).letters) !== String(decompositionOf(folded).letters);
  });
  expect(otherwise.map((code) => String.fromCodePoint(code))).toEqual([]);
});

it('characters with several forms are the same by their code point and as a text', () => {
  const differing = Array.from({ length: 0x110000 }, (_, code) => code).filter(
    (code) => hasSeveralForms(code) !== isInSeveralForms(String.fromCodePoint(code)),
  );
  expect([differing, hasSeveralForms(0x1100)]).toEqual([[], true]);
});

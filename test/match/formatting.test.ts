/**
 * Pairs of Markdown signs: what is found with them stays, what is found without them is what the
 * oracle finds, in linear time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTerms } from '../../bench/corpora/terms.js';
import { messages as harmless } from '../../fixtures/everyday/texts.js';
import { createAccentMatcher } from '../../src/engine/match/accent-matcher.js';
import { withoutFormatting } from '../../src/engine/match/formatting.js';
import { createHardenedMatcher } from '../../src/engine/match/hardened/hardened-matcher.js';
import { createKeywordMatcher } from '../../src/engine/match/keyword-matcher.js';
import type { KeywordMatcher, RereadableMatcher } from '../../src/engine/match/keyword-scan.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { readFormatting } from '../../src/engine/match/reread-matcher.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import type { Message } from '../../src/index.js';
import { engineOf, findsOf } from '../promises/engines.js';
import { listed } from '../promises/recall.js';
import { demoLines } from '../support/demo.js';
import { withoutPairs } from '../support/oracle-formatting.js';
import { termFinder } from '../support/oracle-text.js';
import { defaultReadings } from '../support/oracle-world.js';
import { wordReadings } from '../support/readings.js';
import { runs } from '../support/runs.js';

const written = (pieces: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength }).map((parts) => parts.join(''));
const signs = [
  '*',
  '*',
  '**',
  '**',
  '***',
  '_',
  '_',
  '__',
  '~',
  '~~',
  '|',
  '||',
  '||',
  '`',
  '``',
  '****',
  '\\',
  '[',
  '](x)',
  '](<y_>)',
  '](',
  ')',
];
const letters = ['a', 'b', 'ab', 'B', 'é', 'e\u0301', '中', '😀', '1'];
const text = written([...signs, ...signs, ...letters, ...letters, ' ', ' ', '\n', '\n\n', '.'], 24);
const term = written([...letters, ...letters, '*', '_', '||', ' '], 4).filter((one) => one.trim() === one);
const foldings = ['case', 'accents', 'hardened'] as const;
type Hit = readonly [term: number, start: number, end: number];

function matcherOf(folding: (typeof foldings)[number], terms: readonly string[]): RereadableMatcher {
  const words = 'word';
  if (folding === 'hardened') return runAtOnce(createHardenedMatcher(terms, { words }));
  if (folding === 'accents') return runAtOnce(createAccentMatcher(terms, { words }));
  return runAtOnce(createKeywordMatcher(terms, { folding, words }));
}

function hitsOf(matcher: KeywordMatcher, of: string): string[] {
  const hits: Hit[] = [];
  matcher.scan(of, (...[one, start, end]) => {
    hits.push([one, start, end]);
  });
  return hits.map((hit) => hit.join(' ')).sort();
}

it('takes away the signs that the oracle takes away', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const read = withoutFormatting(whole);
      const bare = withoutPairs(whole, (one) => /[\p{L}\p{N}\p{M}]/u.test(one) && one !== '中');
      expect(read?.text ?? whole).toBe(bare.text);
      expect(bare.places.map((_, at) => read?.sentOf(at) ?? at)).toEqual(bare.places);
    }),
    { numRuns: runs(500, 50_000) },
  );
});

describe.each(foldings)('folding `%s`', (folding) => {
  it.each(wordReadings)('finds what the oracle finds: %s', (words) => {
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 3 }), text, (terms, whole) => {
        const distinct = terms.filter((_, at) => folding === 'case' || at === 0);
        const expected = distinct
          .filter((one, at) => distinct.findIndex((other) => other.toLowerCase() === one.toLowerCase()) === at)
          .flatMap((one) => {
            const find = termFinder(one, 'contains', { ...defaultReadings, words, folding }, '');
            return find(whole).map(([start, end]) => `${start} ${end} ${one}`);
          });
        expect(new Set(findsOf(engineOf(distinct, { words, folding }), whole))).toEqual(new Set(expected));
      }),
      { numRuns: runs(75, 7_500) },
    );
  });

  it('finds whatever the matcher finds in the text as it was sent, first', () => {
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 4 }), text, (all, whole) => {
        const terms = all.filter(
          (one, at) => all.findIndex((other) => other.toLowerCase() === one.toLowerCase()) === at,
        );
        const sent = hitsOf(matcherOf(folding, terms), whole);
        const found = hitsOf(readFormatting(matcherOf(folding, terms)), whole);
        expect(found).toEqual(expect.arrayContaining(sent));
        expect(new Set(found).size).toBe(found.length);
      }),
      { numRuns: runs(150, 15_000) },
    );
  });

  it.each(['*', '|', '`', '~', '_', '*a', '**a', '||a', '`a ', '*a_b~~c', '**a **', '*a**b', 'ab*'])(
    'reads %j over and over in linear time',
    (piece) => {
      const matcher = readFormatting(matcherOf(folding, ['aaaa', 'ab', 'a b c', 'kill']));
      const [few, many] = [1_000, 4_000].map((times) => {
        matcher.scan(piece.repeat(times), () => {});
        return matcher.steps / (piece.length * times);
      });
      expect(many).toBeLessThan(1.1 * few! + 1);
      expect(many).toBeLessThan(64);
    },
  );
});

it('is the same beside patterns', () => {
  const { dfa } = re2js.compile([{ source: 'yourself', insensitive: false, whole: false }]);
  const matcher = readFormatting(matcherOf('case', ['kill yourself', 'kill']));
  const hits: Hit[] = [];
  const isComplete = matcher.scanWith(
    'kill **your**self, yourself',
    (...[one, start, end]) => void hits.push([one, start, end]),
    dfa!,
  );
  expect([isComplete, dfa!.matchedCount, hits]).toEqual([
    true,
    1,
    [
      [1, 0, 4],
      [0, 0, 17],
    ],
  ]);
});

it('reads a text of 256 KB of signs', () => {
  const engine = engineOf(['kill yourself'], { folding: 'case' });
  for (const piece of ['*', '|', '`', '*a', '||a', '`a` ']) {
    const line = piece.repeat(250_000 / piece.length);
    expect(engine.decide(line)).toBe('allow');
    expect(engine.decide(`${line} kill ~~your~~self`)).toBe('blockMessage');
  }
});

it.each(['case', 'hardened'] as const)(
  'adds no match to harmless messages, those of the demo, and lines of documents: %s',
  (folding) => {
    const demo = demoLines().map((line) => (JSON.parse(line) as Message).data?.text ?? '');
    const documents = [
      'README.md',
      ...readdirSync(new URL('../../docs', import.meta.url)).map((name) => `docs/${name}`),
    ];
    const texts = [...harmless, ...demo, ...documents.filter((name) => name.endsWith('.md')).flatMap(linesOf)];
    const signed = texts.filter((one) => typeof one === 'string' && /[*_~|`].*[*_~|`]/.test(one));
    const engine = engineOf([...new Set([...listed, ...createTerms('english', 400)])], { folding });
    const added = signed.filter((one) => JSON.stringify(engine.explain(one).matched).includes('"formatting"'));
    expect(signed.length).toBeGreaterThan(1_000);
    // An example of the page of readings.
    expect(added.filter((one) => !one.includes('ki||ll'))).toEqual([]);
  },
);

function linesOf(path: string): string[] {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
}

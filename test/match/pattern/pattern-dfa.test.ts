import fc from 'fast-check';
import { RE2JS, RE2Set } from 're2js';
import { describe, expect, it } from 'vitest';
import {
  createPatternDfa,
  type LazyPatternDfa,
  runPatternDfa,
  STALLED,
} from '../../../src/engine/match/patterns/lazy-dfa.js';
import { readPatternProgram } from '../../../src/engine/match/patterns/program.js';
import { re2wasm } from '../../../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../../../src/engine/match/patterns/re2js.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { spansOf } from '../../support/pattern-spans.js';
import { runs } from '../../support/runs.js';
import { buildingPatterns, buildingText } from './building-texts.js';

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'ab',
    '1',
    'é',
    '😀',
    '\\x{1F600}',
    '\\x00',
    '\\x{D800}',
    '[\\x{D800}-\\x{DFFF}]',
    '\\n',
    '.',
    '(?s:.)',
    '',
  ],
  ...[
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '\\W',
    '\\s',
    '[[:alpha:]]',
    '\\p{L}',
    '\\P{L}',
    '\\p{Greek}',
    '[^\\p{L}a]',
    '[^\\x00-\\x{10FFFF}]',
  ],
  ...['^', '$', '\\A', '\\z', '\\b', '(?m:^)', '(?m:$)', '(?i:k)', '(?i:s)', '(?i:é)', '(?i:ς)'],
);

const repeat = fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '??', '{0,2}?');
const flags = fc.constantFrom('i', 'm', 's', 'U', 'im', 'is');

/**
 * Patterns in RE2 syntax that mostly compile: classes, repeats, choices, groups, anchors, flags.
 */
const arbitraryPattern: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: atom, weight: 4 },
    { arbitrary: fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')), weight: 3 },
    { arbitrary: fc.tuple(tie('node'), tie('node')).map(([one, two]) => `(?:${one}|${two})`), weight: 2 },
    { arbitrary: fc.tuple(tie('node'), repeat).map(([inner, times]) => `(${inner})${times}`), weight: 2 },
    { arbitrary: fc.tuple(flags, tie('node')).map(([flag, inner]) => `(?${flag}:${inner})`), weight: 1 },
  ),
})).node;

/**
 * Texts of the characters on which engines part ways: case orbits, halves of astral characters,
 * line ends, NUL.
 */
const arbitraryText: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...['a', 'b', 'A', 'B', '1', '_', '-', ' ', '\n', '\r', '\0', 'é', 'É', 'я', 'σ', 'ς', 'Σ'],
      ...['k', 'K', '\u212a', 's', 'ſ', '😀', '\u{10400}', '\ud800', '\udc00'],
    ),
    { maxLength: 20 },
  )
  .map((characters) => characters.join(''));

const numRuns = runs(90, 50_000);

function compileSet(sources: readonly string[]): RE2Set {
  const set = new RE2Set();
  for (const source of sources) set.add(source);
  set.compile();
  return set;
}

function dfaOf(sources: readonly string[], budget?: Parameters<typeof createPatternDfa>[2]): LazyPatternDfa {
  const program = runAtOnce(readPatternProgram([compileSet(sources)]));
  return runAtOnce(createPatternDfa(program!, Int32Array.from(sources.keys()), budget))!;
}

const occurring = (dfa: LazyPatternDfa) => [...dfa.matched.subarray(0, dfa.matchedCount)].sort((a, b) => a - b);

function automatic(dfa: LazyPatternDfa, text: string): number[] {
  expect(runPatternDfa(dfa, text)).not.toBe(STALLED);
  return occurring(dfa);
}

function simulated(dfa: LazyPatternDfa, text: string): number[] {
  dfa.simulate(text);
  return occurring(dfa);
}

/** `\B` belongs to re2js alone: C++ RE2 looks for it between the bytes of a character. */
const withNoEdges = fc.oneof(
  arbitraryPattern,
  fc.tuple(arbitraryPattern, arbitraryPattern).map((parts) => parts.join('\\B')),
);
const parses = (source: string) => {
  try {
    RE2JS.compile(source);
    return true;
  } catch {
    return false;
  }
};
const sets = fc.array(withNoEdges.filter(parses), { minLength: 1, maxLength: 5 });
const texts = fc.array(arbitraryText, { minLength: 1, maxLength: 6 });

describe('pattern DFA', () => {
  it('agrees with RE2Set, as does the simulation', () => {
    fc.assert(
      fc.property(sets, texts, (sources, subjects) => {
        const set = compileSet(sources);
        const dfa = dfaOf(sources);
        for (const text of subjects) {
          expect(automatic(dfa, text)).toEqual(set.match(text));
          expect(simulated(dfa, text)).toEqual(set.match(text));
        }
      }),
      { numRuns },
    );
  });

  it('reports the same with tables that are flushed often, and when it stalls', () => {
    let gaveUp = 0;
    const budgets = fc.record({ cells: fc.nat(100), entries: fc.nat(30), work: fc.integer({ min: -5000, max: 200 }) });
    fc.assert(
      fc.property(sets, texts, budgets, (sources, subjects, budget) => {
        const large = dfaOf(sources);
        const small = dfaOf(sources, budget);
        for (const text of subjects) {
          const stalled = runPatternDfa(small, text) === STALLED;
          expect(small.stalled).toBe(stalled);
          if (stalled) {
            gaveUp++;
            small.simulate(text);
          }
          expect(occurring(small)).toEqual(automatic(large, text));
        }
      }),
      { numRuns: numRuns / 3 },
    );
    expect(gaveUp).toBeGreaterThan(4);
  });

  it('find: returns the spans of re2js', () => {
    fc.assert(
      fc.property(sets, arbitraryText, (sources, text) => {
        const dfa = dfaOf(sources);
        sources.forEach((source, index) => {
          const matcher = RE2JS.compile(source).matcher(text);
          const spans = [];
          while (spans.length < 8 && matcher.find()) spans.push({ start: matcher.start(), end: matcher.end() });
          expect(spansOf(dfa, index, text, 8)).toEqual(spans);
        });
      }),
      { numRuns },
    );
  });

  /** Without surrogates, which C++ RE2 cannot represent: its patterns and texts are UTF-8. */
  it("agrees with Google's RE2 on flagged and whole patterns", () => {
    const wellFormed = arbitraryPattern.filter((source) => !source.includes('D800'));
    const spec = fc.record({ source: wellFormed, insensitive: fc.boolean(), whole: fc.boolean() });
    fc.assert(
      fc.property(fc.array(spec, { minLength: 1, maxLength: 4 }), texts, (specs, drawn) => {
        const subjects = drawn.map((text) => text.toWellFormed());
        const engines = [re2js.compile(specs), re2wasm.compile(specs)];
        const [ours, theirs] = engines.map((set) => [
          set.rejected.map(({ index }) => index),
          ...subjects.map((text) => {
            const found: number[] = [];
            set.mark(text, (index) => found.push(index));
            return found.sort((a, b) => a - b);
          }),
        ]);
        for (const set of engines) set.close();
        expect(ours).toEqual(theirs);
      }),
      // A compilation by RE2 of Google takes ten milliseconds.
      { numRuns: numRuns / 15 },
    );
  });

  it('reports each matching pattern once per text', () => {
    const dfa = dfaOf(['a', 'b+', 'x*', '^$']);
    expect(automatic(dfa, 'abab')).toEqual([0, 1, 2]);
    expect(automatic(dfa, '')).toEqual([2, 3]);
    expect(automatic(dfa, 'bbb')).toEqual([1, 2]);
  });

  it('rows have no step for the class of surrogates', () => {
    const dfa = dfaOf(['[\\x{D83D}]', '😀', '[^a]b']);
    expect(dfa.classes[0xd83d]).toBe(0);
    expect(dfa.classes[0xde00]).toBe(0);
    expect(automatic(dfa, '\ud83d😀b')).toEqual([0, 1, 2]);
    for (let state = 0; state < dfa.rows.length; state += dfa.classCount) expect(dfa.rows[state]).toBe(-1);
    expect(dfa.end).toBeLessThan(dfa.classCount);
  });

  it('ignores case as re2js does, for every code point', () => {
    const cased = Array.from({ length: 0x1_1000 }, (_, code) => code + 0x41).filter((code) => {
      const character = String.fromCodePoint(code);
      return !/\p{Surrogate}/u.test(character) && character.toLowerCase() !== character.toUpperCase();
    });
    const sources = cased.slice(0, 900).map((code) => `(?i)\\x{${code.toString(16)}}`);
    const set = compileSet(sources);
    const dfa = dfaOf(sources);
    for (const code of cased.filter((_, index) => index % 25 === 0)) {
      expect(automatic(dfa, String.fromCodePoint(code))).toEqual(set.match(String.fromCodePoint(code)));
    }
  });
});

describe('pattern with nested loops', () => {
  it.each(['(((a)*)+?)*', '(?:(?:a*)*b)*', '(?:\\b*)*', '(?:(?:|a)*|b)*?c'])('is compiled: %s', (source) => {
    const set = re2js.compile([{ source, insensitive: false, whole: false }]);
    const found: number[] = [];
    set.mark('aabc', (index) => found.push(index));
    expect(found).toEqual([0]);
  });
});

describe('text that stalls the automaton', () => {
  it.each(buildingPatterns)('has the matches of RE2Set: %s', (source, alphabet) => {
    const set = re2js.compile([{ source, insensitive: false, whole: false }]);
    const text = buildingText(alphabet, 2_048);
    const found: number[] = [];
    set.mark(text, (index) => found.push(index));
    expect(found).toEqual(compileSet([source]).match(text));
  });
});

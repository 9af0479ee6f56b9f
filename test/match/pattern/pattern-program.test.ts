import { readFileSync } from 'node:fs';
import { RE2Set } from 're2js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPatternDfa, runPatternDfa } from '../../../src/engine/match/patterns/lazy-dfa.js';
import { readPatternProgram } from '../../../src/engine/match/patterns/program.js';
import { re2js } from '../../../src/engine/match/patterns/re2js.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { spansOf } from '../../support/pattern-spans.js';

interface Instruction {
  op: number;
  out: number;
  arg: number;
  runes: Int32Array;
}

function programOf(...sources: string[]): { inst: Instruction[]; start: number; numLb: number } {
  const set = new RE2Set();
  for (const source of sources) set.add(source);
  set.compile();
  return set.prog as unknown as ReturnType<typeof programOf>;
}

const sources = ['a[bc]+', '\\bx|y$', '(?i)k'];
const read = (prog: unknown, length: number) => runAtOnce(readPatternProgram([{ prog, regexps: { length } }]));
const firstOf = (program: ReturnType<typeof programOf>, op: number) => program.inst.find((one) => one.op === op)!;

describe('readPatternProgram', () => {
  it('reads the program of the pinned version of re2js', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../../node_modules/re2js/package.json', import.meta.url), 'utf8'),
    );
    expect(version).toMatch(/^2\.10\./);
    expect(read(programOf(...sources), 3)).toMatchObject({ patterns: 3 });
  });

  it.each<[string, (program: ReturnType<typeof programOf>) => void]>([
    ['an unknown instruction', (program) => (firstOf(program, 8).op = 14)],
    ['a way out of the program', (program) => (firstOf(program, 1).out = 9_999)],
    ['a fork out of the program', (program) => (firstOf(program, 1).arg = -1)],
    ['unordered code points', (program) => (firstOf(program, 8).runes = new Int32Array([9, 3]))],
    ['an odd number of code points', (program) => (firstOf(program, 8).runes = new Int32Array([1, 2, 3]))],
    ['a plain array of code points', (program) => (firstOf(program, 8).runes = [1, 2] as unknown as Int32Array)],
    ['an unknown assertion', (program) => (firstOf(program, 4).arg = 64)],
    ['patterns in another order', (program) => (firstOf(program, 6).arg = 1)],
    ['another start', (program) => (program.start = 1)],
    ['look-behind', (program) => (program.numLb = 1)],
    ['no instructions', (program) => (program.inst = [])],
    ['instructions of another kind', (program) => (program.inst = program.inst.map((one) => ({ ...one })))],
  ])('returns undefined with %s', (_, spoil) => {
    const program = programOf(...sources);
    spoil(program);
    expect(read(program, 3)).toBeUndefined();
  });

  it('returns undefined for another number of patterns, or none', () => {
    expect(read(programOf(...sources), 2)).toBeUndefined();
    expect(read(programOf(), 0)).toBeUndefined();
    for (const odd of [null, undefined, {}, 'x']) expect(read(odd, 1)).toBeUndefined();
    expect(runAtOnce(readPatternProgram([]))).toBeUndefined();
  });

  it('joins the programs of several sets: their automaton finds what that of one set finds', () => {
    const all = [...sources, '[a-c]x*$', '^(?:y|\\w\\W)', '', '\\p{L}{2}z', '(?i)k+'];
    const setOf = (some: readonly string[]) => {
      const set = new RE2Set();
      for (const source of some) set.add(source);
      set.compile();
      return set;
    };
    const automatonOf = (sets: readonly RE2Set[]) => {
      const program = runAtOnce(readPatternProgram(sets))!;
      return { program, dfa: runAtOnce(createPatternDfa(program, Int32Array.from(all.keys())))! };
    };
    const one = automatonOf([setOf(all)]);
    for (const cut of [1, 4]) {
      const several = automatonOf([setOf(all.slice(0, cut)), setOf(all.slice(cut, 5)), setOf(all.slice(5))]);
      expect(several.program.runeSets).toEqual(one.program.runeSets);
      for (const text of ['', 'ab', 'x y', 'K', 'axx', 'y.éaz', '-k\n', '\u212a', 'bz']) {
        const found = [one, several].map(({ dfa }) => {
          runPatternDfa(dfa, text);
          return [...dfa.matched.slice(0, dfa.matchedCount)].sort();
        });
        expect([text, found[1]]).toEqual([text, found[0]]);
        const spans = [one, several].map(({ dfa }) => all.map((_, at) => spansOf(dfa, at, text, 5)));
        expect(spans[1]).toEqual(spans[0]);
      }
    }
  });
});

describe('set with an unexpected program', () => {
  afterEach(() => vi.restoreAllMocks());
  const specs = ['\\d{3}', '^b', '('].map((source) => ({ source, insensitive: false, whole: false }));
  const marked = () => {
    const set = re2js.compile(specs);
    const found: number[] = [];
    set.mark('b 123', (index) => found.push(index));
    return { found, spans: spansOf(set, 0, '123 456', 10), automaton: set.dfa !== undefined };
  };

  it('is matched by RE2Set itself', () => {
    const usual = marked();
    expect(usual).toMatchObject({ found: expect.arrayContaining([0, 1]), automaton: true });
    const { compile } = RE2Set.prototype;
    vi.spyOn(RE2Set.prototype, 'compile').mockImplementation(function (this: RE2Set) {
      compile.call(this);
      (this.prog as unknown as { numLb: number }).numLb = 0.5;
    });
    expect(marked()).toEqual({ ...usual, found: [0, 1], automaton: false });
  });

  it('is matched by RE2Set when the automaton disagrees with it', () => {
    const { match } = RE2Set.prototype;
    vi.spyOn(RE2Set.prototype, 'match').mockImplementation(function (this: RE2Set, text) {
      return text === '' ? [0] : match.call(this, text);
    });
    expect(marked().automaton).toBe(false);
  });
});

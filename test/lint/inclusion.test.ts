/** Proofs of the product of automata against all texts up to a length, as the engine judges them. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTermReader } from '../../src/engine/compile/word-readings.js';
import { createEngine } from '../../src/engine/engine.js';
import type { PatternProgram } from '../../src/engine/match/patterns/program.js';
import { programOf } from '../../src/engine/match/patterns/re2js.js';
import type { WordReading } from '../../src/engine/match/word-edges.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { type Budget, decideInclusion } from '../../src/review/lint/inclusion.js';
import { termProgram } from '../../src/review/lint/term-program.js';
import { runs } from '../support/runs.js';

/** A term or a pattern, as a rule has it. */
interface Entry {
  readonly kind: 'word' | 'pattern';
  readonly written: string;
  readonly whole: boolean;
  readonly reading: WordReading;
  readonly folding: 'exact' | 'case' | 'accents';
  readonly insensitive: boolean;
}

const entry = (kind: Entry['kind'], written: string, more: Partial<Entry> = {}): Entry => ({
  ...{ kind, written, whole: false, reading: 'word', folding: 'case', insensitive: false },
  ...more,
});

function programFor({ kind, written, whole, reading, folding, insensitive }: Entry): PatternProgram | undefined {
  const read = createTermReader({ words: reading, folding, wildcards: 'asterisk' }).read(written, undefined);
  const text = whole ? written.trim() : read.text;
  if (kind === 'word') return termProgram({ text, reading: read.reading as WordReading, folding, whole });
  return runAtOnce(programOf({ source: written, insensitive, whole }));
}

function judgeOf({ kind, written, whole, reading, folding, insensitive }: Entry): (text: string) => boolean {
  const operator = whole ? 'equals' : 'contains';
  const conditions = [{ operand: 'text', category: kind, operator, value: [written] }];
  const semantics = {
    words: reading,
    folding,
    wildcards: 'asterisk',
    patterns: insensitive ? 'insensitive' : 'as-written',
  } as const;
  const engine = createEngine({ rules: [{ id: 'r', action: ['blockMessage'], conditions }], lists: [] }, semantics);
  return (text) => engine.decide(text) !== 'allow';
}

/** All texts of at most `most` of the characters, the shortest first. */
function textsOf(characters: readonly string[], most: number): string[] {
  const texts = [''];
  let last = texts.slice();
  for (let length = 1; length <= most; length++) {
    last = last.flatMap((text) => characters.map((character) => text + character));
    texts.push(...last);
  }
  return texts;
}

const budget = (): Budget => ({ nodes: 100_000, left: 1e7 });
const lengthOf = (text: string) => Array.from(text).length;

/** Holds what was decided of two entries against the engine, over these texts. */
function compare(one: Entry, other: Entry, texts: readonly string[]): string | undefined {
  const [first, second] = [programFor(one), programFor(other)];
  if (first === undefined || second === undefined) return undefined;
  const [fires, firesOther] = [judgeOf(one), judgeOf(other)];
  const decided = decideInclusion(first, second, budget());
  const shown = texts.find((text) => fires(text) && !firesOther(text));
  if (decided.kind === 'included') expect([one, other, shown]).toEqual([one, other, undefined]);
  if (decided.kind === 'not' && decided.missing !== undefined) {
    const { missing } = decided;
    expect([one, other, missing, fires(missing), firesOther(missing)]).toEqual([one, other, missing, true, false]);
    if (shown !== undefined) expect([one, other, lengthOf(missing) <= lengthOf(shown)]).toEqual([one, other, true]);
  }
  const shortest = decideInclusion(first, undefined, budget());
  const firing = texts.find(fires);
  if (shortest.kind === 'included') expect([one, firing]).toEqual([one, undefined]);
  if (shortest.kind === 'not' && shortest.missing !== undefined) {
    expect([one, shortest.missing, fires(shortest.missing)]).toEqual([one, shortest.missing, true]);
    if (firing !== undefined) expect(lengthOf(shortest.missing)).toBeLessThanOrEqual(lengthOf(firing));
  }
  return decided.kind;
}

const readings: readonly WordReading[] = ['word', 'substring', 'prefix', 'suffix'];
const shortText = (characters: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom('', '', '*'),
      fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '', '*'),
    )
    .map(([before, parts, behind]) => before + parts.join('') + behind);
const arbitraryTerm = (characters: readonly string[], foldings: readonly Entry['folding'][]) =>
  fc
    .record({
      written: shortText(characters).filter((text) => text.trim() !== ''),
      reading: fc.constantFrom(...readings),
      folding: fc.constantFrom(...foldings),
      whole: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    .map(({ written, ...more }) => entry('word', written, more));

const atom = fc.constantFrom('a', 'b', 'A', '_', ' ', '.', '\\w', '\\W', '\\s', '[ab]', '[^a]', '\\.', 'ab', '日');
const assertion = fc.constantFrom('^', '$', '\\b', '\\B', '(?m)^', '(?m)$');
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small' },
    { weight: 5, arbitrary: atom },
    { weight: 2, arbitrary: assertion },
    { weight: 2, arbitrary: fc.tuple(atom, fc.constantFrom('*', '+', '?', '{2}')).map(([one, times]) => one + times) },
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
    tie('pattern').map((inner) => `(?i:${inner})`),
  ),
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
}));
const arbitraryPattern = fc
  .record({
    written: pattern.filter((written) => written.trim() !== ''),
    whole: fc.boolean(),
    insensitive: fc.boolean(),
  })
  .map(({ written, ...more }) => entry('pattern', written, more));

describe('inclusion', () => {
  const characters = ['a', 'b', 'A', ' ', '_', '.', "'", '\u02bc', '日', '…', '\ufe0f', '\n'];
  const raw = ['exact', 'case'] as const;
  const texts = textsOf(['a', 'A', 'b', ' ', '_', '.', '日'], 4);

  it('of terms: the same for all texts up to a length', () => {
    const some = fc.shuffledSubarray(characters, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(
        some.chain((chosen) => fc.tuple(fc.constant(chosen), arbitraryTerm(chosen, raw), arbitraryTerm(chosen, raw))),
        ([chosen, one, other]) => {
          compare(one, other, textsOf([...new Set([...chosen, 'a', '_'])], 4));
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('of terms and patterns: the same for all texts up to a length', () => {
    const terms = arbitraryTerm(['a', 'b', 'A', ' ', '_', '.', '日'], raw);
    const one = fc.oneof(arbitraryPattern, arbitraryPattern, terms);
    fc.assert(
      fc.property(one, one, (first, second) => {
        compare(first, second, texts);
      }),
      { numRuns: runs(30) },
    );
  });

  it('of characters beyond the basic plane, halves of them in texts: the same for all texts up to a length', () => {
    const beyond = ['a', ' ', '_', '😀', '𐐀', '𐐨', '𝐚'];
    const all = textsOf(['a', '_', '😀', '𐐀', '𐐨', '\ud83d', '\ude00'], 4);
    const written = fc.constantFrom(
      ...['.', 'a.', '[😀-😂]', '𐐀', '(?i)𐐀', '\\W', '[^a]_', '\\ba', 'a\\B', '\\pL', '\\x{d83d}'],
    );
    const one = fc.oneof(
      arbitraryTerm(beyond, raw),
      written.map((source) => entry('pattern', source)),
    );
    fc.assert(
      fc.property(one, one, (first, second) => {
        compare(first, second, all);
      }),
      { numRuns: runs(20) },
    );
  });

  it('of terms whose accents do not count: the same for all texts up to a length', () => {
    const accented = [
      ...['s', 'ß', 'e', 'é', '\u0301', 'æ', 'a', ' ', '_', '\u0640', 'क', '\u093c', '\u0958', 'ᄀ', 'ᅡ', '가'],
      ...['か', '\u3099', 'ي', 'ی', '...', '…'],
    ];
    const some = fc.shuffledSubarray(accented, { minLength: 5, maxLength: 5 });
    const both = some.chain((chosen) => {
      const terms = arbitraryTerm(chosen, ['accents']);
      return fc.tuple(fc.constant(chosen), terms, terms);
    });
    fc.assert(
      fc.property(both, ([chosen, one, other]) => {
        compare(one, other, textsOf(chosen, 4));
      }),
      { numRuns: runs(20) },
    );
  });
});

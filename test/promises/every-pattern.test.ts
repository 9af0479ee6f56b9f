/**
 * Every small pattern and every small text over a few letters, as RE2's own exhaustive tester makes
 * them: what no author of examples thinks of is among them.
 */
import { describe, expect, it } from 'vitest';
import type { PatternEngine } from '../../src/engine/match/patterns/engine.js';
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import { createEngine } from '../../src/index.js';
import { isFull } from '../support/runs.js';
import { blocking } from './engines.js';

/** What patterns and texts are made of. */
interface World {
  readonly atoms: readonly string[];
  readonly repeats: readonly string[];
  readonly letters: readonly string[];
}

const worlds: Readonly<Record<string, World>> = {
  letters: { atoms: ['a', 'b', '.'], repeats: ['*', '+', '?', '{2}'], letters: ['a', 'b'] },
  'lazy repeats and counts': {
    atoms: ['a', 'b'],
    repeats: ['*?', '+?', '??', '{0,2}', '{1,2}?', '{0}'],
    letters: ['a', 'b'],
  },
  edges: { atoms: ['^', '$', '\\b', 'a'], repeats: ['*', '?'], letters: ['a', ' '] },
  lines: { atoms: ['(?m:^)', '(?m:$)', '\\z', '(?s:.)', '.'], repeats: ['*', '?'], letters: ['a', '\n'] },
  classes: { atoms: ['[a-c]', '[^a]', '\\w', '\\W', '\\pL'], repeats: ['+', '{2}'], letters: ['a', '-', 'é', '☺'] },
  case: { atoms: ['(?i:k)', '(?i:s)', '(?i:[é-ö])', '(?i:σ)'], repeats: ['+', '?'], letters: ['K', 'ſ', 'É', 'ς'] },
  astral: { atoms: ['😀', '[😀-😂]', '[^😀]', '.'], repeats: ['*', '{2}'], letters: ['😀', '😁', 'a'] },
};

/** Patterns of at most so many atoms and operators, written with groups where they are needed. */
function* everyPattern({ atoms, repeats }: World, most: { atoms: number; operators: number }): Generator<string> {
  function* grow(stack: readonly string[], atomsLeft: number, operatorsLeft: number): Generator<string> {
    if (stack.length === 1) yield stack[0]!;
    // Each but the first still takes an operator that joins it to what is before it.
    if (stack.length - 1 > operatorsLeft) return;
    if (atomsLeft > 0) for (const atom of atoms) yield* grow([...stack, atom], atomsLeft - 1, operatorsLeft);
    if (operatorsLeft === 0) return;
    const last = stack.at(-1);
    if (last === undefined) return;
    for (const repeat of repeats)
      yield* grow([...stack.slice(0, -1), `(?:${last})${repeat}`], atomsLeft, operatorsLeft - 1);
    const before = stack.at(-2);
    if (before === undefined) return;
    for (const joined of [`(?:${before})(?:${last})`, `(?:${before}|${last})`]) {
      yield* grow([...stack.slice(0, -2), joined], atomsLeft, operatorsLeft - 1);
    }
  }
  yield* grow([], most.atoms, most.operators);
}

/** Texts of at most so many letters, the empty one first. */
function everyText({ letters }: World, length: number): string[] {
  const texts = [''];
  for (let at = 0; texts[at] !== undefined && [...texts[at]!].length < length; at++) {
    for (const letter of letters) texts.push(texts[at]! + letter);
  }
  return texts;
}

/**
 * RE2 has 16 MiB for the patterns of an engine, which a hundred with all letters of Unicode
 * exhaust.
 */
const AT_ONCE = 10;

/**
 * Pairs of pattern and text on which an engine with the default patterns and one on RE2 of Google
 * part ways, as `pattern text`.
 */
function differences(patterns: readonly string[], texts: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < patterns.length; at += AT_ONCE)
    found.push(...differencesOfFew(patterns.slice(at, at + AT_ONCE), texts));
  return found;
}

function differencesOfFew(patterns: readonly string[], texts: readonly string[]): string[] {
  const ask = (changes: { engine?: PatternEngine }) => {
    const rules = patterns.map((pattern, index) => blocking(`${index}`, [pattern], 'pattern'));
    const engine = createEngine({ rules, lists: [] }, changes);
    const decisions = texts.map((text) => engine.explain(text));
    engine.close();
    if (decisions.some(({ unevaluated }) => unevaluated.length > 0))
      throw new Error('an engine was not able to answer');
    return decisions.map(({ matched }) => matched.map(({ ruleId }) => Number(ruleId)));
  };
  const [ours, theirs] = [ask({}), ask({ engine: re2wasm })];
  return texts.flatMap((text, at) =>
    patterns.flatMap((pattern, index) =>
      ours[at]!.includes(index) === theirs[at]!.includes(index) ? [] : [`${pattern} ${JSON.stringify(text)}`],
    ),
  );
}

/** One pattern of so many is tested; `SLUICE_FULL=1` tests all of them. */
const every = isFull ? 1 : 83;

describe('P1: verdicts on patterns are those of RE2', () => {
  it('the enumeration has every pattern once', () => {
    const world = { atoms: ['a', 'b'], repeats: ['*'], letters: [] };
    const patterns = [...everyPattern(world, { atoms: 2, operators: 1 })];
    expect(patterns.sort()).toEqual(
      [
        'a',
        'b',
        '(?:a)*',
        '(?:b)*',
        ...['a', 'b'].flatMap((one) => ['a', 'b'].flatMap((two) => [`(?:${one})(?:${two})`, `(?:${one}|${two})`])),
      ].sort(),
    );
    expect(everyText({ ...world, letters: ['x', 'y'] }, 2)).toEqual(['', 'x', 'y', 'xx', 'xy', 'yx', 'yy']);
  });

  it.each(Object.entries(worlds))('every small pattern of %s', (_, world) => {
    const patterns = [...everyPattern(world, { atoms: 2, operators: 3 })].filter((_, index) => index % every === 0);
    const texts = everyText(world, world.letters.length > 2 ? 3 : 5);
    expect(patterns.length).toBeGreaterThan(10);
    for (let at = 0; at < patterns.length; at += 100) {
      expect(differences(patterns.slice(at, at + 100), texts)).toEqual([]);
    }
  });
});

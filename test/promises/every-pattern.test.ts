import { describe, expect, it } from 'vitest';
import { isFull } from '../support/runs.js';
import { differences, everyPattern, everyText, worlds } from './every-pattern.js';

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

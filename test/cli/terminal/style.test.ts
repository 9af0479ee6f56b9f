import { describe, expect, it } from 'vitest';
import { outputOf, screenWidth } from '../../../src/cli/terminal/style.js';

describe('outputOf', () => {
  const terminal = { write: () => undefined, isTTY: true };
  it.each([
    ['a terminal', terminal, {}, true],
    ['a pipe', { write: () => undefined }, {}, false],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
    ['FORCE_COLOR in a pipe', { write: () => undefined }, { FORCE_COLOR: '1' }, true],
    ['NO_COLOR against FORCE_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('%s', (_, output, env, coloured) => {
    expect(outputOf({ stdout: output, env }).paint('bad', 'x')).toBe(coloured ? '\u{1b}[31mx\u{1b}[39m' : 'x');
  });
});

describe('screenWidth', () => {
  it.each([
    [undefined, 80],
    [0, 80],
    [20, 40],
    [64, 64],
    [140, 140],
    [300, 140],
  ])('%j columns: %i', (columns, width) => {
    expect(screenWidth({ write: () => undefined, columns })).toBe(width);
  });
});

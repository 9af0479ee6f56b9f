import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestNames } from '../src/foundation/nearest-names.js';
import { messageParameters } from '../src/platform/contract/message-query.js';

describe('nearestNames', () => {
  it.each([
    ['audti', 'audit'],
    ['aud', 'audit'],
    ['AUDIT', 'audit'],
    ['serv', 'serve'],
    ['pul', 'pull'],
    ['x', undefined],
    ['completely', undefined],
    ['', undefined],
  ])('%s', (word, meant) => {
    expect(nearestNames(word, ['audit', 'pull', 'serve'])[0]).toBe(meant);
  });

  it('is none for a short name that has no letter in common', () => {
    expect(nearestNames('x', ['by', 'rule'])).toEqual([]);
    expect(nearestNames('yb', ['by'])).toEqual(['by']);
  });

  it('returns at most three, nearest first; a swap of neighbours is one edit', () => {
    expect(nearestNames('tset', ['best', 'test', 'rest', 'nest', 'west'])).toEqual(['test', 'best', 'rest']);
    expect(nearestNames('conv', ['since', 'conversation'])).toEqual(['conversation']);
  });

  it('always includes a name at edit distance one', () => {
    const names = Object.keys(messageParameters).filter((name) => name.length > 3);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, at) => {
        const gap = at % name.length;
        expect(nearestNames(name.slice(0, gap) + name.slice(gap + 1), names)).toContain(name);
      }),
    );
  });
});

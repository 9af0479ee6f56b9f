import { describe, expect, it } from 'vitest';
import { bestTime, engineOf } from './ask.js';
import { hostilePairs } from './hostile-pairs.js';

/** A message of the greatest length that chats take, and one four times as long. */
const [small, large] = [5_000, 20_000];
/** The promise is 50 ms; a machine that does other things besides, such as CI, gets five times that. */
const slowest = 250;

describe('P4: no message can stall us', () => {
  it('with 60 hostile patterns or more', () => {
    expect(hostilePairs.length).toBeGreaterThanOrEqual(60);
    expect(new Set(hostilePairs.map(([pattern]) => pattern)).size).toBe(hostilePairs.length);
  });

  it.each(hostilePairs)('%s', (pattern, attack) => {
    const engine = engineOf([pattern], {}, 'pattern');
    expect(engine.issues).toEqual([]);
    const [few, many] = [attack(small), attack(large)];
    const wellMeant = bestTime(2, () => engine.decide(few));
    expect(wellMeant).toBeLessThan(slowest);
    expect(bestTime(3, () => engine.decide(many))).toBeLessThan(10 * wellMeant + 40);
  });

  it('all patterns at once, with every attack', () => {
    const engine = engineOf(
      hostilePairs.map(([pattern]) => pattern),
      {},
      'pattern',
    );
    expect(engine.issues).toEqual([]);
    const times = hostilePairs.map(([, attack]) => {
      const text = attack(small);
      return bestTime(2, () => engine.decide(text));
    });
    expect(Math.max(...times)).toBeLessThan(slowest * 4);
  });
});

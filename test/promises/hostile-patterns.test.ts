import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { engineOf } from './engines.js';
import { hostilePairs } from './hostile-pairs.js';

/** How long a message of the greatest length takes is what `npm run soak` measures. */
const length = 1_000;

describe('P4: no message can stall us', () => {
  it('the list has at least 60 hostile patterns', () => {
    expect(hostilePairs.length).toBeGreaterThanOrEqual(60);
    expect(new Set(hostilePairs.map(([pattern]) => pattern)).size).toBe(hostilePairs.length);
  });

  const all = engineOf(
    hostilePairs.map(([pattern]) => pattern),
    {},
    'pattern',
  );

  it.each(hostilePairs)('%s', (pattern, attack) => {
    const engine = engineOf([pattern], {}, 'pattern');
    expect([...engine.issues, ...all.issues]).toEqual([]);
    const text = attack(length);
    const isMatch = RE2JS.compile(pattern).matcher(text).find();
    expect(engine.decide(text)).toBe(isMatch ? 'blockMessage' : 'allow');
    if (isMatch) expect(all.decide(text)).toBe('blockMessage');
  });
});

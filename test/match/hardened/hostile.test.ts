import { describe, expect, it } from 'vitest';
import { createHardenedMatcher } from '../../../src/engine/match/hardened/hardened-matcher.js';
import { runAtOnce } from '../../../src/foundation/portions.js';
import { engineOf } from '../../promises/engines.js';
import { hostileText, hostileTexts, rereadTexts } from './hostile-texts.js';

/** How long they take, by size, is what `npm run soak` measures. */
describe.each(['word', 'substring'] as const)('hardened folding finds nothing in hostile texts: %s', (words) => {
  it.each(hostileTexts)('%j in %j and %j over and over', (...hostile) => {
    const engine = engineOf(hostile[0], { words, folding: 'hardened' });
    expect(engine.decide(hostileText(hostile, 4_096))).toBe('allow');
  });
});

describe('hardened folding as a substring', () => {
  it.each(rereadTexts)('finds %j in %j and %j over and over where it stands', (...hostile) => {
    const [terms] = hostile;
    const matcher = runAtOnce(createHardenedMatcher(terms, { words: 'substring' }));
    const text = hostileText(hostile, 2_000);
    const found: string[] = [];
    for (let turn = 0; turn < 2; turn++)
      matcher.scan(text, (term, start, end) => {
        found.push(`${term} ${start} ${end}`);
      });
    expect(found.slice(found.length / 2)).toEqual(found.slice(0, found.length / 2));
  });
});

/** Measured recall over spellings that evade a list, and false positives. */
import type { Random } from '../../fixtures/random.js';
import type { Engine } from '../../src/index.js';
import { engineOf, findsOf } from './engines.js';
import { type Evasion, evasions } from './evasions.js';

/** Words that lists hold, mild ones. */
export const listed = [
  ...['kill', 'scam', 'idiot', 'moron', 'hate', 'drugs', 'nazi', 'casino', 'viagra', 'stupid', 'crap', 'damn', 'ass'],
  ...['bastard', 'cocaine', 'porn', 'slut', 'shit', 'fuck', 'bitch', 'buy now', 'free pills', 'send nudes'],
];

export interface Recall {
  readonly evasion: string;
  readonly asked: number;
  readonly found: number;
}

/**
 * Writes every listed word so many times in every way, between other words, and counts what is
 * found where it stands.
 */
export function recallOf(folding: 'case' | 'accents' | 'hardened', times: number, random: Random): Recall[] {
  const engine = engineOf(listed, { folding });
  return Object.entries(evasions).map(([evasion, write]) => ({ evasion, ...count(engine, write, times, random) }));
}

function count(engine: Engine, write: Evasion, times: number, random: Random) {
  let asked = 0;
  let found = 0;
  for (const term of listed) {
    for (let time = 0; time < times; time++) {
      const written = write(term, random);
      if (written === term) continue;
      asked++;
      if (findsOf(engine, `well ${written}, you`).some((find) => find.startsWith('5 ') && find.endsWith(` ${term}`)))
        found++;
    }
  }
  return { asked, found };
}

/** Words that only hardened folding matches with a listed one; each is a message of its own. */
export function falseAlarms(words: readonly string[]): string[] {
  const plain = engineOf(listed);
  const hardened = engineOf(listed, { folding: 'hardened' });
  return words.filter((word) => hardened.decide(word) !== 'allow' && plain.decide(word) === 'allow');
}

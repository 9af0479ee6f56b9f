import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { createTerms } from '../../../bench/corpora/terms.js';
import { engineOf } from '../../promises/engines.js';
import { listed } from '../../promises/recall.js';

const words = createRequire(import.meta.url)('an-array-of-english-words') as readonly string[];

it.each(['word', 'substring'] as const)('no word of a dictionary is taken for a term that it is not: %s', (reading) => {
  const terms = [...new Set([...listed, ...createTerms('english', 400)])];
  const plain = engineOf(terms, { words: reading });
  const hardened = engineOf(terms, { words: reading, folding: 'hardened' });
  const alarms = words.filter((word) => hardened.decide(word) !== 'allow' && plain.decide(word) === 'allow');
  expect(words.length).toBeGreaterThan(270_000);
  // Three equal letters in a row may stand for one: no English word has them but where it is put
  // together. Two may
  // stand for one of a whole word, and these words differ from a term in that alone.
  expect(alarms).toEqual(reading === 'word' ? ['cassino', 'looser', 'naans'] : []);
});

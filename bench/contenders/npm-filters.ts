import { createRequire } from 'node:module';
import { Profanity } from '@2toad/profanity';
import { assignIncrementingIds, parseRawPattern, RegExpMatcher, toAsciiLowerCaseTransformer } from 'obscenity';
import type { Contender } from '../measure.js';
import { overTexts } from '../rules/contenders.js';
import { hits } from './searches.js';

/**
 * npm text filters, given the same terms in place of their own. Each is made as cheap as its
 * interface allows: obscenity with nothing but its folding of ASCII case, @2toad/profanity without
 * its own dictionary and without word boundaries.
 */
export const npmFilters: readonly Contender[] = [
  overTexts('obscenity', 'hasMatch; folds ASCII case and nothing else', ({ terms }) => {
    const patterns = terms.map((term) => parseRawPattern(term.replace(/[\\?[\]|]/g, '\\$&')));
    const matcher = new RegExpMatcher({
      blacklistedTerms: assignIncrementingIds(patterns),
      blacklistMatcherTransformers: [toAsciiLowerCaseTransformer()],
    });
    return hits((text) => matcher.hasMatch(text));
  }),
  overTexts('@2toad/profanity', 'exists; its own dictionary taken out, parts of words too', ({ terms }) => {
    const filter = new Profanity({ languages: ['en'], wholeWord: false });
    filter.removeWords(ownDictionary().filter((word) => !terms.includes(word)));
    filter.addWords([...terms]);
    return hits((text) => filter.exists(text));
  }),
];

/** The English dictionary of @2toad/profanity, which its public interface does not export. */
function ownDictionary(): readonly string[] {
  const load = createRequire(import.meta.url);
  const { profaneWords } = load('@2toad/profanity/dist/data') as {
    profaneWords: ReadonlyMap<string, readonly string[]>;
  };
  return profaneWords.get('en') ?? [];
}

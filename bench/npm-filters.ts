import { createRequire } from 'node:module';
import type { Contender, Needle, Runner } from '../src/bench/model.js';
import { localRunner } from '../src/bench/pass.js';

/**
 * npm text filters, given the same terms in place of their own. Each is made as cheap as its interface allows: obscenity
 * with nothing but its folding of ASCII case, @2toad/profanity without its own dictionary and without word boundaries.
 */
export const npmFilters: readonly Contender[] = [
  {
    name: 'obscenity',
    note: 'hasMatch; folds ASCII case and nothing else',
    prepare: ({ texts, terms }) =>
      orMissing(async () => {
        const { assignIncrementingIds, parseRawPattern, RegExpMatcher, toAsciiLowerCaseTransformer } = await import(
          'obscenity'
        );
        const matcher = new RegExpMatcher({
          blacklistedTerms: assignIncrementingIds(terms.map(({ text }) => parseRawPattern(obscenityTerm(text)))),
          blacklistMatcherTransformers: [toAsciiLowerCaseTransformer()],
        });
        return localRunner(texts, (text) => (matcher.hasMatch(text) ? 1 : 0));
      }),
  },
  {
    name: '@2toad/profanity',
    note: 'exists; its own dictionary taken out, parts of words too',
    prepare: ({ texts, terms }) =>
      orMissing(async () => {
        const { Profanity } = await import('@2toad/profanity');
        const filter = new Profanity({ languages: ['en'], wholeWord: false });
        filter.removeWords(ownDictionary().filter((word) => !terms.some(({ text }) => text === word)));
        filter.addWords(terms.map(({ text }) => text));
        return localRunner(texts, (text) => (filter.exists(text) ? 1 : 0));
      }),
  },
];

async function orMissing(prepare: () => Promise<Runner>): Promise<Runner | string> {
  try {
    return await prepare();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return 'not installed; npm install';
  }
}

/** The characters that mean something in its patterns. */
function obscenityTerm(term: Needle['text']): string {
  return term.replace(/[\\?[\]|]/g, '\\$&');
}

/** Its English dictionary, which its public interface does not show. */
function ownDictionary(): string[] {
  const load = createRequire(import.meta.url);
  const { profaneWords } = load('@2toad/profanity/dist/data') as {
    profaneWords: ReadonlyMap<string, readonly string[]>;
  };
  return [...(profaneWords.get('en') ?? [])];
}

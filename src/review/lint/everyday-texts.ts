/** Harmless texts that terms and patterns are tried on: `fixtures/everyday`, with their origin and licences. */

/** A stop word: a word so common that no rule should stop it, with the languages that have it. */
export interface StopWord {
  readonly word: string;
  readonly languages: readonly string[];
}

/** Harmless texts of many languages. */
export interface EverydayTexts {
  /** Those that most languages have come first. */
  readonly stopWords: readonly StopWord[];
  readonly messages: readonly string[];
}

let texts: Promise<EverydayTexts> | undefined;

/** Loads the texts once, when a check asks for them, so that no bundle of the engine carries them. */
export function everydayTexts(): Promise<EverydayTexts> {
  texts ??= loadTexts();
  return texts;
}

async function loadTexts(): Promise<EverydayTexts> {
  // The same place from `src/review/lint` and from `dist/review/lint`.
  const { messages, stopWords } = await import('../../../fixtures/everyday/texts.js');
  const languagesOf = new Map<string, string[]>();
  for (const [language, words] of Object.entries(stopWords)) {
    for (const word of words.split('|')) {
      const languages = languagesOf.get(word);
      if (languages === undefined) languagesOf.set(word, [language]);
      else languages.push(language);
    }
  }
  const words = [...languagesOf].map(([word, languages]) => ({ word, languages }));
  return { messages, stopWords: words.sort((left, right) => right.languages.length - left.languages.length) };
}

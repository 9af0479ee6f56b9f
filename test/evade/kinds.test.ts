import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { disguiseKinds, type Random } from '../../src/review/evade/kinds.js';

const named = (name: string) => disguiseKinds.find((kind) => kind.name === name)!;

/** Choices by numbers that fast-check draws, as a test of its own shrinks them. */
function randomOf(draws: readonly number[]): Random {
  let at = 0;
  const below = (count: number) => Math.floor((draws[at++ % draws.length]! / 1000) * count);
  return { below, pick: (items) => items[below(items.length)]! };
}
const draws = fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 40 });

/** By kind: a term, and what every disguise of it is like. */
const shapes: Readonly<Record<string, readonly [term: string, shape: RegExp]>> = {
  case: ['kill', /^[kK][iI][lL][lL]$/],
  apostrophe: ["i'll", /^i[’‘ʼ′]ll$/],
  hyphen: ['half-wit', /^half[‐‑–−]wit$/],
  underscores: ['kill', /^_kill_$|^__kill__$/],
  emoji: ['kill', /^.\uFE0Fkill$/u],
  'accents-dropped': ['imbécil á', /^imbecil a$/],
  'arabic-letters': ['كا', /^[كک]ـ?[اأإآ][ٓـٕٔ]?$/],
  'accents-added': ['cat', /^[cçč][aáàâäãå]t$/],
  marks: ['kill', /^(?:\p{L}\p{M}?){4}$/u],
  'full-folding': ['ass', /^aß$/],
  'full-width': ['Kill', /^Ｋｉｌｌ$/],
  mathematical: ['kill', /^[^\p{ASCII}]{4}$/u],
  homoglyph: ['hase', /^[hһ][aаα][sѕ][eе]$/],
  'loose-homoglyph': ['tr', /^[tтτƭŧ][rяɾ]$/],
  leet: ['bold', /^[b8][o0][l1|]d$/],
  'leet-accents': ['imbécil', /^imb3cil$/],
  signs: ['shit', /^\$h!\+$/],
  'zero-width': ['kill', /^k\p{Cf}?i\p{Cf}?l\p{Cf}?l$/u],
  'empty-blanks': ['kill', /^k([\u2800\u3164]?)i([\u2800\u3164]?)l([\u2800\u3164]?)l$/],
  stretched: ['kill', /^k{1,6}i{1,6}l{2,12}$/],
  doubled: ['kill', /^(?:kkill|kiill)$/],
  'doubled-stretched': ['kill', /^(?:kki{3,6}|k{3,6}ii)ll$/],
  'sign-first': ['idiot', /^[!¡]diot$/],
  spaced: ['kill', /^k( {1,2})i\1l\1l$/],
  'spaced-by-sign': ['kill', /^k([^\p{L} ])i\1l\1l$/u],
  'mixed-separators': ['kill', /^k([^\p{L}])i(?!\1)([^\p{L}])l(?!\2)[^\p{L}]l$/u],
  'sign-inside': ['kill', /^(?=[^\p{L}]*(?:\p{L}+[^\p{L}]?\p{L}+)$)k.?i.?l.?l$/u],
  brackets: ['kill', /^\(k\)\(i\)\(l\)\(l\)$/],
  masked: [
    'kill',
    /^(?=(?:[*#]?[kil]){2})k([i*#][l*#][l*#])$|^k(?:([*#])\2l|[*#]l[*#]|i([*#])\3|[*#]ll|i[*#]l|il[*#])$/,
  ],
  joined: ['free   money now', /^free([-._/])money\1now$/],
  'sign-apart': ['kill', /^k i l l [!?*.]$|^[!?*.] k i l l$/],
};

describe('kinds of disguises', () => {
  it('each have a shape here', () => {
    expect(Object.keys(shapes)).toEqual(disguiseKinds.map(({ name }) => name));
  });

  it.each(Object.entries(shapes))('%s: writes a term as it says', (name, [term, shape]) => {
    const { disguise } = named(name);
    fc.assert(
      fc.property(draws, (numbers) => {
        const made = disguise(term, randomOf(numbers));
        expect(made).toMatch(shape);
        expect(made).not.toBe(term);
        expect(disguise(term, randomOf(numbers))).toBe(made);
      }),
    );
  });

  it('give another text or none for any term, in any script', () => {
    const term = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: fc.constantFrom('a', 'ß', 'ı', 'İ', ' ', '!', 'é', '$&', '\u0301', '🤑', 'ক', 'ا', '\ud83d') }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...disguiseKinds), term, draws, ({ disguise }, text, numbers) => {
        const made = disguise(text, randomOf(numbers));
        expect(made).not.toBe(text);
        expect(made === undefined || made.length >= 1 || text === '').toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [
      'too short',
      'as',
      ['spaced', 'spaced-by-sign', 'mixed-separators', 'sign-inside', 'brackets', 'masked', 'signs', 'sign-apart'],
    ],
    ['one word', 'kill', ['joined']],
    ['several words', 'free money', ['sign-apart']],
    ['no accents', 'kill', ['accents-dropped', 'leet-accents', 'apostrophe', 'hyphen', 'arabic-letters']],
    ['marks that are letters', 'কি', ['accents-dropped']],
    [
      'no letters',
      '🤑🤑',
      disguiseKinds.map(({ name }) => name).filter((name) => name !== 'underscores' && name !== 'emoji'),
    ],
  ])('leave out a term of %s', (_, term, names) => {
    for (const name of names) expect([name, named(name).disguise(term, randomOf([500]))]).toEqual([name, undefined]);
  });

  it('keep a letter in each word of leet, and no `!` at its edge', () => {
    const { disguise } = named('leet');
    fc.assert(
      fc.property(fc.constantFrom('ass', 'as is', 'isolation', 'i am it'), draws, (term, numbers) => {
        const made = disguise(term, randomOf(numbers))!;
        for (const word of made.split(' ')) expect(word).toMatch(/[a-z]/);
        expect(made).not.toMatch(/(?<![a-z\d])!|!(?![a-z\d])/);
      }),
    );
  });

  it('of everyday typing are found by the default readings', () => {
    const [terms, kinds] = [
      ["i'll kill", 'half-wit'],
      ['case', 'apostrophe', 'hyphen', 'underscores', 'emoji'],
    ];
    const engine = createEngine({
      rules: [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', value: terms }] }],
      lists: [],
    });
    fc.assert(
      fc.property(fc.constantFrom(...terms), fc.constantFrom(...kinds), draws, (term, name, numbers) => {
        const made = named(name).disguise(term, randomOf(numbers));
        if (made !== undefined) expect([made, engine.decide(`well, ${made} then`)]).toEqual([made, 'blockMessage']);
      }),
    );
  });
});

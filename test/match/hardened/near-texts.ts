/**
 * Terms and texts for the oracle of hardened folding: texts that hold a term in disguise, or
 * nearly, of pieces that meet.
 */
import fc from 'fast-check';
import { createRandom } from '../../../fixtures/random.js';
import { evade } from '../../promises/evasions.js';

/** Pieces by white space; an empty one between two commas. */
const split = (pieces: string) => pieces.split(' ');
const textOf = (pieces: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { maxLength }).map((some) => some.join(''));

const words = ['kill', 'scam', 'idiot', 'ass', 'hate', 'drugs', 'nazi', 'moron', 'casino', 'buy now', 'free pills'];
const before = ['', 'oh ', 'you, ', '(', '😀 ', '\u200b', '... ', 'мы ', '中'];
const behind = ['', ' now', '!', '?!', ') ok', ' 😀', '\u200b', ', du', ' 中'];
const evaded = fc
  .tuple(fc.constantFrom(...words), fc.nat(), fc.constantFrom(...before), fc.constantFrom(...behind))
  .map(([term, seed, start, end]) => [term, start + evade(term, createRandom(seed, 'evade')) + end] as const);

/** Letters with what is read as them. */
const letters = split('a s S k i l e b ß ſ а ѕ і α ａ 𝐬 ⓢ á š ħ ø 4 5 1 3 8 $ @ ! | ||| . - , 中 _ … ❤\ufe0f æ ﬁ');
const odd = ['\u200b', '\u00ad', '\u0301', '\u0308', ' ', ' ', ' \u200b ', '\ufeff', '\u3164', '\u20e3', '\u0345'];
const shortTerms = [
  ...split('as ass sas kill ali aß ás sala li bas ab4 асс a\u200bs i\u200bll ❤\ufe0f kil ail bale ħas øl æs fi'),
  ...['as si', 'a.s', 'a…s', '_as', 's_a', 'a\u0301\u0308s', 'İs', 'ss a'],
];
const mixed = fc.tuple(fc.constantFrom(...shortTerms), textOf([...letters, ...odd], 24));

/** Terms whose letters are written several times each, with a piece or two among them. */
const repeated = fc
  .tuple(
    fc.constantFrom(...split('kil kill crazy craps kija sala las süß a1bc ааса maß İsli 가나다 baá ħob øre'), 'as si'),
    fc.array(fc.constantFrom(1, 1, 1, 2, 2, 3, 4), { minLength: 5, maxLength: 5 }),
    textOf(['', '\u200b', '\u3164', ...split('1 l s 5 @ 4 . ß ĳ а L \u0301'), 'oh '], 2),
    fc.boolean(),
    fc.nat(20),
  )
  .map(([term, times, more, isUpper, at]) => {
    const text = [...term].map((one, place) => one.repeat(times[place]!)).join('');
    const written = isUpper ? text.toUpperCase() : text;
    return [term, written.slice(0, at) + more + written.slice(at)] as const;
  });

/** Letters that stand alone, with signs that are letters or separators beside them. */
const alone = fc
  .tuple(
    fc.constantFrom(...split('las fag kill жид áéi дно süß læs aeß as')),
    fc.constantFrom(' ', '.', '-', '_', '|', '…', '\u3164'),
    textOf(['@', '$', 'é$', '!', '_', '1', 'x', 'ж$', '\u0301', '\u200b', ' ', '|', '|.'], 4),
    textOf(['@', '$', '!', '_', 'x', '\u0301', '\u200b', ' ', '.', '+'], 2),
  )
  .map(([term, between, start, end]) => [term, start + [...term].join(between) + end] as const);

const inWord = [
  ...split(". - )( _ ! @ | ' ’ … 🔥 l 中 * # ＊ </ \u0301 \u200b \u2800 \u3164"),
  ...['', '', '', '', ' ', ' ', ' \u200b', '  '],
];
/** Words with signs in them or for their letters, and what is hidden there. */
const broken = fc
  .tuple(
    fc.constantFrom(...split('las kill жид süß læs all a1b сса'), 'as si', 'las las', 'kil 1 sala'),
    fc.array(fc.constantFrom(...inWord), { minLength: 11, maxLength: 11 }),
    fc.array(fc.constantFrom('', '', '', '*', '#', '＃'), { minLength: 10, maxLength: 10 }),
    fc.boolean(),
  )
  .map(([term, signs, masks, isUpper]) => {
    const written = [...(isUpper ? term.toUpperCase() : term)].map((one, at) => (masks[at] || one) + signs[at]);
    return [term, signs[10] + written.join('')] as const;
  });

/** Phrases of words with signs in them, around them, or neither. */
const between = split('. . - _ * @ $ 🎉 ` \u200b');
const around = ['', '', '(', ') ', '` ', ' `', "'", '! ', '|!*'];
const phrases = fc
  .tuple(
    fc.constantFrom('kil æsi', 'si ißa', 'k kla s', '나 ßsk', 'aab ißi k'),
    fc.array(fc.constantFrom('', '', ...between), { minLength: 9, maxLength: 9 }),
    fc.array(fc.constantFrom(...around), { minLength: 4, maxLength: 4 }),
  )
  .map(([term, signs, outer]) => {
    const words = term.split(' ').map((word, at) => {
      const letters = [...word].map((letter, place) => letter + (place < word.length - 1 ? signs[at * 3 + place] : ''));
      return outer[at] + letters.join('');
    });
    return [term, `${words.join(' ')}${outer[3]}`] as const;
  });

/** Letters in parts, script by script. */
const inParts = fc.oneof(
  ...[
    ['가나 가 각가 \u1100\u1161\u1102\u1161 \u1100', '가 각 나 \u1100 \u1161 \u11a8 \u1102\u1161 \u1100\u1161 \u1160'],
    ['أب اب \u0627\u0654ب', '\u0627\u0654 أ \u0654 ب ا'],
    ['αι kι ᾀk α\u0313\u0345 kk ᾳε', 'α ᾳ ᾀ \u0313 \u0345 ι ε'],
  ].map(([terms, pieces]) =>
    fc.tuple(
      fc.constantFrom(...split(terms!)),
      textOf([...split(pieces!), 'k', '\u0489', '\u05b8', ' ', '.', '\u200b'], 10),
    ),
  ),
);

/** A term of pieces of its text, some of them left out, others plain. */
const plainForms = new Map(['4a', '@a', '1i', '|l', 'áa', 'аa', 'ａa'].map((pair) => [[...pair][0]!, [...pair][1]!]));
const anyPieces = [...letters, ...odd, ...split('4 a 1 i l | . - * b c ！ ？ ! ’ ʼ が か ｶﾞ ก ำ م ـ ب')];
const cutOut = fc
  .tuple(
    fc.array(fc.constantFrom(...anyPieces), { minLength: 2, maxLength: 14 }),
    fc.nat(12),
    fc.array(fc.constantFrom('keep', 'keep', 'leave', 'plain'), { minLength: 2, maxLength: 6 }),
  )
  .map(([pieces, from, choices]) => {
    const taken = pieces.slice(from % pieces.length).flatMap((piece, at) => {
      const choice = choices[at] ?? 'leave';
      return choice === 'leave' ? [] : [choice === 'keep' ? piece : (plainForms.get(piece) ?? piece)];
    });
    return [taken.join('').trim() || 'a', pieces.join('')] as const;
  });

/** By what is odd about the texts. */
export const nearTexts = { evaded, mixed, repeated, alone, broken, phrases, inParts, cutOut } as const;

/**
 * Lists between whose terms columns are shared otherwise, without terms that letters do not show.
 */
export const lists: readonly (readonly string[])[] = [
  ['kill', 'scam', 'idiot', 'ass', 'hate', 'moron', 'buy now', 'kkk', 'straße', 'café', 'né', 'дурак', 'асс'],
  ['o kill', '5 stars', 'ss'],
  ['1111f', 'ils', 'ill', 'lila', 'abta', 'ii as', '455a', 'かかば', 'アーか', 'ассa', 's5s', 'a.k', 'a 4', 'kⅼӏk'],
  ['🤑🤑', 'a🖕', '🖕 ass', 'clown 🤡', '_', 'kill_', '_kk', 'las', 'læs'],
  ['الس', 'tاs', 'ااب', 'iا', 'ass', 'k', 'з', 'ззз'],
  ['á', 'aá', 'áaáx', 'baá', 'foo', 'しね', '死ね', 'はか'],
];
export const ofLists = textOf(
  [
    ...split(
      "a s S k i l e ß ſ а ѕ і ａ 𝐬 ⓢ á 4 5 1 3 $ @ ! | + . - _ * · ' 中 ば か は 🖕 🎉 🤑 🤡 🍑 🇸 🅰 € ！ é n o f",
    ),
    ...split('kk ill ﬁ ass a(s)s s-t f*o k##l st**s # ( ) A.S. ooo 555 444 |І foo 死 æ з з buy now ا ب \u0301 \u0323'),
    ...[' ', ' ', '\n', 'k i l', '3 3', ' stars', 'a 4', 'i l ', '\u200b', '\u00ad', '\u20e3', '\ufe0f'],
  ],
  24,
);

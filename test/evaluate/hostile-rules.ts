/**
 * Rules and texts that would take an engine time for each term that ends at a place, or for each
 * match that reads on to the end of the text.
 */

import { readingChoices } from '../../src/engine/semantics.js';
import type { Condition, KeywordList, Rule, Semantics, WordReading } from '../../src/index.js';
import { isFull } from '../support/runs.js';

export const words = (...value: string[]): Condition => ({ operand: 'text', value });
export const patterns = (...value: string[]): Condition => ({ operand: 'text', category: 'pattern', value });
export const blocking = (...conditions: Condition[]): Rule => ({ id: 'blocks', action: 'blockMessage', conditions });
export const admins: Rule['filters'] = [
  { entity: 'user', type: 'sender', operand: 'role', operator: 'in', value: 'admin' },
];
/** A rule that is stronger and never matches, so that no scan ends early. */
const stronger: Rule = { id: 'drops', action: 'dropMessage', conditions: [words('zzzq'), patterns('zzzq\\d')] };

export const nested = (count: number, piece: string) => Array.from({ length: count }, (_, at) => piece.repeat(at + 1));
const spaced = (count: number) => Array.from({ length: count }, (_, at) => 'a '.repeat(at + 1).trim());
export const repeated = (piece: string) => (size: number) =>
  piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** Terms with the asterisks of each reading in turn. */
export const ofEachReading = (terms: readonly string[]) =>
  terms.map((term, at) => [`*${term}*`, `*${term}`, `${term}*`, term][at % 4]!);
/** Terms four times, with the asterisks of each reading. */
const inEachReading = (terms: readonly string[]) => ofEachReading(terms.flatMap((term) => [term, term, term, term]));

/** Keyword lists that are folded each in its own way, with the same terms. */
const foldedLists = [...readingChoices.folding];
export const lists: readonly KeywordList[] = foldedLists.map((id) => ({ id, searchTerms: nested(60, 'a') }));
const everyList: Condition = { operand: 'text', isKeywordsReferencePresent: true, value: foldedLists };
const ofEachFolding = (reading: WordReading): Partial<Semantics> => ({
  words: { lists: Object.fromEntries(foldedLists.map((folding) => [folding, { reading, folding }])) },
});

/** Lists of several foldings, whose terms end at every character in each of them. */
function ofSeveralFoldings(): HostileRules[] {
  const equal: Condition = { ...everyList, operator: 'equals' };
  return [
    ['lists of every folding, substrings', [blocking(everyList)], ofEachFolding('substring'), repeated('a')],
    [
      'lists of every folding, whole words, a stronger rule and a filter',
      [{ ...blocking(everyList, equal), filters: admins }, stronger],
      ofEachFolding('word'),
      repeated('aaaa 4a '),
    ],
    [
      'lists of every folding, beginnings of words, nested exceptions and a pattern',
      [blocking(everyList, patterns('a')), stronger],
      { ...ofEachFolding('prefix'), exceptions: [...nested(30, 'a'), { patterns: ['a(?:.*b)?'] }] },
      repeated('aaaaaaaa '),
    ],
  ];
}

type HostileRules = readonly [string, readonly Rule[], Partial<Semantics>, (size: number) => string];

/**
 * Terms under hardened folding: alone, beside a stronger rule, beside an exception, in every
 * reading, as substrings.
 */
function hardened(name: string, terms: readonly string[], piece: string): HostileRules[] {
  const folding = 'hardened';
  const textOf = (size: number) => `k${repeated(piece)(size - 1)}`;
  const substrings: HostileRules = [
    `hardened, ${name}, substrings`,
    [blocking(words(...terms)), stronger],
    { folding, words: 'substring' },
    textOf,
  ];
  return [
    [`hardened, ${name}`, [blocking(words(...terms))], { folding }, textOf],
    [`hardened, ${name}, a filter`, [{ ...blocking(words(...terms)), filters: admins }, stronger], { folding }, textOf],
    [`hardened, ${name}, an exception`, [blocking(words(...terms))], { folding, exceptions: ['zzz'] }, textOf],
    ...(isFull ? [substrings] : []),
    [
      `hardened, ${name}, every reading`,
      [blocking(words(...ofEachReading(terms))), stronger],
      { folding, wildcards: 'asterisk' },
      textOf,
    ],
  ];
}

/**
 * Terms that differ by their marks alone, and texts of little but marks, tatweels and letters that
 * are several.
 */
function accented(): HostileRules[] {
  const chain = nested(60, 'a').flatMap((term) => [`${term}b`, `${term}é`]);
  const folding = 'accents';
  return ['\u0301\u0323', 'a\u0301', '\u0640', 'ßé\u0301', 'か\u3099\u3099', '\u1100\u1161\u11a8'].flatMap(
    (piece): HostileRules[] => {
      const textOf = (size: number) => `${'a'.repeat(60)}${repeated(piece)(size - 62)}be`;
      const name = `accents, ${JSON.stringify(piece)}`;
      return [
        [
          name,
          [blocking(words(...chain, 'ss', 'が', '가'), patterns('a.')), stronger],
          { folding, words: 'substring' },
          textOf,
        ],
        [`${name}, an exception`, [blocking(words(...chain))], { folding, exceptions: ['a', 'ab'] }, textOf],
      ];
    },
  );
}

/**
 * Rules and exceptions that have much to do with each other at every character: for all, for one
 * rule, for each rule its own.
 */
function excepted(): HostileRules[] {
  const tail = 'a(?:.*b)?';
  const substring = { words: 'substring' } as const;
  const ruleOf = (value: readonly string[], at: number): Rule => ({ ...blocking(words(...value)), id: `r${at}` });
  const own = Array.from({ length: 40 }, (_, at) => at);
  const byPattern = (...sources: string[]): Partial<Semantics> => ({ exceptions: [{ patterns: sources }] });
  return [
    ['a pattern with an optional tail, excepted by itself', [blocking(patterns(tail))], byPattern(tail), repeated('a')],
    ['a pattern, an exception with an optional tail', [blocking(patterns('a'))], byPattern(tail), repeated('a')],
    ['a pattern, each match excepted', [blocking(patterns('a')), stronger], byPattern('a'), repeated('a')],
    [
      'patterns, nested ones as exceptions',
      [blocking(patterns('a', 'aa?'))],
      byPattern(...nested(60, 'a')),
      repeated('a'),
    ],
    [
      'a pattern, an exception of the whole text',
      [blocking(patterns('[ab]')), stronger],
      byPattern('(?s).*'),
      repeated('ab'),
    ],
    ['a pattern, empty exceptions', [blocking(patterns('a|b')), stronger], byPattern('x*', 'y*'), repeated('ab')],
    [
      'nested terms, an exception that is a pattern',
      [blocking(words(...nested(200, 'a')))],
      { ...substring, ...byPattern('a+') },
      repeated('a'),
    ],
    [
      'nested terms, a pattern with an optional tail as exception',
      [blocking(words(...nested(200, 'a')))],
      { ...substring, ...byPattern(tail) },
      repeated('a'),
    ],
    [
      'nested terms of many rules, for each an exception of its own',
      own.map((at) => ruleOf(nested(40, 'a'), at)),
      { ...substring, exceptions: own.map((at) => ({ terms: ['a'.repeat(at + 2)], for: { rules: [`r${at}`] } })) },
      repeated('a'),
    ],
    [
      'one pattern of many rules, for each an exception of its own',
      own.map((at): Rule => ({ ...blocking(patterns('a')), id: `r${at}` })),
      { exceptions: own.map((at) => ({ patterns: [`a{1,${at + 1}}`], for: { rules: [`r${at}`] } })) },
      repeated('a'),
    ],
    [
      'nested terms as exceptions, for two rules',
      [ruleOf(['a', 'aa'], 0), ruleOf(['aaa'], 1)],
      { ...substring, exceptions: ['0', '1'].map((at) => ({ terms: nested(200, 'a'), for: { rules: [`r${at}`] } })) },
      repeated('a'),
    ],
    [
      'hardened, nested terms among bars, an exception that is a pattern',
      [blocking(words(...nested(40, 'a'))), stronger],
      { folding: 'hardened', ...substring, ...byPattern('[4|a]+') },
      repeated('4||a|'),
    ],
  ];
}

export const hostileRules: readonly HostileRules[] = [
  ...excepted(),
  ...ofSeveralFoldings(),
  ...accented(),
  ['a pattern with an optional tail', [blocking(patterns('a(?:.*b)?'))], {}, repeated('a')],
  [
    'amounts with an optional currency',
    [blocking(patterns('\\d(?:[\\d,. ]*(?:USD|EUR))?'))],
    {},
    repeated('1234567890'),
  ],
  [
    'addresses, numbers and identifiers',
    [blocking(patterns('\\w+(?:[-+.]\\w+)*@\\w+(?:[-.]\\w+)*\\.\\w+|\\w', '[a-z](?:[a-z0-9-]*[0-9])?'))],
    {},
    repeated('a'),
  ],
  ['nested terms', [blocking(words(...nested(200, 'a')))], { words: 'substring' }, repeated('a')],
  ...(['word', 'prefix', 'substring'] as const).flatMap((reading): HostileRules[] => [
    [
      `low lines, joined at the ends, as ${reading}`,
      [blocking(words(...nested(60, '_'), 'a_', '_b'))],
      { words: reading },
      (size) => `a${'_'.repeat(size - 2)}b`,
    ],
    [
      `long runs of low lines, as ${reading}`,
      [blocking(words(...nested(60, '_'), 'a', '_a_')), stronger],
      { words: reading },
      repeated(`a${'_'.repeat(40)}`),
    ],
    [`dots and ellipses, as ${reading}`, [blocking(words(...nested(60, '.')))], { words: reading }, repeated('.…')],
  ]),
  [
    'hardened, low lines between letters',
    [blocking(words(...nested(40, 'a'), '_a', 'a_'))],
    { folding: 'hardened' },
    repeated(`a${'_'.repeat(40)}`),
  ],
  [
    'nested terms and a stronger rule',
    [blocking(words(...nested(200, 'a'))), stronger],
    { words: 'substring' },
    repeated('a'),
  ],
  [
    'nested terms in another script, which share columns',
    [
      blocking(
        words(...nested(100, '\u0436'), ...Array.from({ length: 200 }, (_, at) => String.fromCharCode(0x4e00 + at))),
      ),
    ],
    { words: 'substring' },
    repeated('\u0436'),
  ],
  [
    'nested terms, an exception elsewhere',
    [blocking(words(...nested(200, 'a')))],
    { words: 'substring', exceptions: ['b'] },
    repeated('a'),
  ],
  [
    'nested terms, half of them covered by an exception',
    [blocking(words(...nested(200, 'a')))],
    { words: 'substring', exceptions: nested(100, 'a') },
    repeated('a'),
  ],
  [
    'nested terms, all of them covered by an exception',
    [blocking(words(...nested(200, 'a')))],
    { words: 'substring', exceptions: ['a'.repeat(201)] },
    repeated('a'),
  ],
  [
    'nested terms and a filter',
    [{ ...blocking(words(...nested(200, 'a'))), filters: admins }, stronger],
    { words: 'substring' },
    repeated('a'),
  ],
  ...['a', 'a ', 'aXaX', 'aab ', `${'a'.repeat(90)} `].flatMap((piece): HostileRules[] => {
    const rules = [blocking(words(...inEachReading(nested(100, 'a')))), stronger];
    const textOf = (size: number) => `b${repeated(piece)(size - 1)}`;
    return [
      [`nested terms of every reading in ${piece.slice(0, 4)}`, rules, { wildcards: 'asterisk' }, textOf],
      [
        `nested terms of every reading in ${piece.slice(0, 4)}, an exception`,
        rules,
        { wildcards: 'asterisk', exceptions: ['*zzz*', 'aab*'] },
        textOf,
      ],
    ];
  }),
  ['terms of words', [blocking(words(...spaced(300)))], {}, repeated('a ')],
  ['terms of words, an exception elsewhere', [blocking(words(...spaced(300)))], { exceptions: ['b'] }, repeated('a ')],
  [
    'many conditions with nested terms',
    [blocking(...Array.from({ length: 50 }, () => words(...nested(50, 'a'))))],
    { words: 'substring' },
    repeated('a'),
  ],
  [
    'many conditions with one pattern',
    [blocking(...Array.from({ length: 50 }, () => patterns('a(?:.*b)?')))],
    {},
    repeated('a'),
  ],
  ...hardened('look-alikes in turn', ['ill'], '|\u0406'),
  ...hardened('isolated letters in turn', ['ili', 'lil', 'ill'], 'i l '),
  ...hardened('nested terms among bars', nested(40, 'a'), '4||a|'),
  ...hardened('iotas below', ['ill', 'lil', 'ilil', 'lllll', 'i l', 'li', 'il'], '\u0345i\u0345\u0345'),
  ...hardened('signs in turn', ['lil', 'ili', 'ill'], '1|'),
  ...hardened('letters and full stops', ['kik', 'kkk', 'k.k.k'], 'k.k.k.'),
  ...hardened('look-alikes of many terms', ['ill', 'lil', 'ilil', 'lllll', 'i l', 'li', 'il'], '|\u0406'),
  ...hardened('a heap of marks', ['kill', 'k\u0301', 'á'], '\u0301\u0316\u0489'),
  ...hardened('words joined by signs', ['a a b', 'a a a c', 'a a'], 'a-a.a -a'),
  ...hardened('signs in words', ['kik', 'kikk', 'ikki', 'killer'], 'k-i)(kk '),
  ...hardened(
    'masked letters',
    nested(40, 'a').flatMap((term) => [`${term}b`, `${term}c`]),
    'aaaa*a*#* ',
  ),
  ...hardened('one word of signs and letters', nested(40, 'a'), 'a-'),
  ['texts equal to a term', [blocking({ operand: 'custom', operator: 'equals', value: ['a'] })], {}, repeated('a')],
];

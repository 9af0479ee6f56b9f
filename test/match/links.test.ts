/**
 * The reading `links`: what is a link, where it begins and ends, which host it has, and how much
 * work it is.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLinkTerm, whyNotDomain } from '../../src/engine/match/links/host.js';
import { createLinkMatcher } from '../../src/engine/match/links/link-matcher.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { createEngine, type RuleSetInput } from '../../src/index.js';
import { defangedPlaces, labelsOf, linkPlaces, linkTerm } from '../support/oracle-links.js';
import { isFull, runs } from '../support/runs.js';

/** The matches of terms in a text, as `term start end`, sorted. */
function found(terms: readonly string[], text: string, isHardened = false): string[] {
  const matcher = runAtOnce(
    createLinkMatcher(
      terms.map((term) => readLinkTerm(term)!),
      { isHardened, isExcepting: false },
    ),
  );
  const all: string[] = [];
  matcher.scan(text, (term, start, end) => void all.push(`${terms[term]} ${start} ${end}`));
  return all.sort();
}

/** The links of a text that a term matches, as they are written. */
function links(term: string, text: string, isHardened = false): string[] {
  const spans = found([term], text, isHardened).map((match) => match.split(' ').slice(-2).map(Number));
  return spans.sort(([a], [b]) => a! - b!).map(([start, end]) => text.slice(start, end));
}

/** A text, and the link in it that `example.com` matches, or `undefined`. */
const spellings: (readonly [text: string, link?: string])[] = [
  ['example.com', 'example.com'],
  ['Example.COM', 'Example.COM'],
  ['www.example.com', 'www.example.com'],
  ['a.b.example.com', 'a.b.example.com'],
  ['a_b.example.com', 'a_b.example.com'],
  ['http://example.com', 'http://example.com'],
  ['HTTPS://example.com/', 'HTTPS://example.com/'],
  ['http:/example.com', 'http:/example.com'],
  ['http:\\\\example.com', 'http:\\\\example.com'],
  ['http:\\/example.com', 'http:\\/example.com'],
  ['http:////example.com', 'http:////example.com'],
  ['http:example.com', 'example.com'],
  ['//example.com', 'example.com'],
  ['mailto:ann@example.com', 'ann@example.com'],
  ['tel:1 ftp://example.com', 'ftp://example.com'],
  ['steam+x://example.com/a', 'x://example.com/a'],
  ['https://ann@example.com', 'https://ann@example.com'],
  ['https://ann:pw@example.com', 'https://ann:pw@example.com'],
  ['https://evil.org@example.com', 'https://evil.org@example.com'],
  ['https://a@b@example.com', 'https://a@b@example.com'],
  ['https://evil.org,@example.com', 'https://evil.org,@example.com'],
  ['https://evil.org(@example.com', 'https://evil.org(@example.com'],
  ['example.com:80', 'example.com:80'],
  ['https://example.com:8080/a', 'https://example.com:8080/a'],
  ['https://example.com:/a', 'https://example.com:/a'],
  ['https://example.com./a', 'https://example.com./a'],
  ['example.com./a', 'example.com./a'],
  ['https://%65xample.com', 'https://%65xample.com'],
  ['https://%65%78ample%2ecom/', 'https://%65%78ample%2ecom/'],
  ['%65xample.com', '%65xample.com'],
  ['https://ｅｘａｍｐｌｅ．ｃｏｍ', 'https://ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['ｅｘａｍｐｌｅ．ｃｏｍ', 'ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['https://example。com', 'https://example。com'],
  ['example｡com/a', 'example｡com/a'],
  ['https://ex\u00adample.com', 'https://ex\u00adample.com'],
  ['https://exam\u200bple.com', 'https://exam\u200bple.com'],
  ['\u200eexample.com\u200e', 'example.com'],
  ['ⓔxample.com', 'ⓔxample.com'],
  ['https://example.com?q', 'https://example.com?q'],
  ['example.com#top', 'example.com#top'],
  ['https://example.com\\a', 'https://example.com\\a'],
  ['(example.com)', 'example.com'],
  ['(see example.com).', 'example.com'],
  ['"example.com"', 'example.com'],
  ['<https://example.com/a>', 'https://example.com/a'],
  ['[a](https://example.com/b)c', 'https://example.com/b'],
  ['[example.com](a)', 'example.com'],
  ['**example.com**', 'example.com'],
  ['**https://example.com**', 'https://example.com'],
  ['_https://example.com_', 'https://example.com'],
  ['example.com/a_(b)', 'example.com/a_(b)'],
  ['(example.com/a_(b))', 'example.com/a_(b)'],
  ['example.com/a.', 'example.com/a'],
  ['example.com/?!', 'example.com/'],
  ['example.com/a,b', 'example.com/a'],
  ['example.com…', 'example.com'],
  ['example.com, b', 'example.com'],
  ["example.com's", 'example.com'],
  ['-example.com', 'example.com'],
  ['Then...example.com', 'example.com'],
  ['example.com.Then', 'example.com'],
  ['看example.com吧', 'example.com'],
  ['看example.com。好', 'example.com'],
  ['https://example.com。好', 'https://example.com'],
  ['https://example.com吧', 'https://example.com'],
  ['👉example.com👈', 'example.com'],
  ['✔️example.com', 'example.com'],
  ['example.com에서', 'example.com'],
  ['example.com@ann', 'example.com'],
  ['a:b@example.com', 'b@example.com'],
  ['https://example.com\nb.org', 'https://example.com'],
  ['https://example.com\tb', 'https://example.com'],
  ['badexample.com'],
  ['example.com.org'],
  ['example.comb'],
  ['example.com-b.org'],
  ['https://example.com.internal'],
  ['https://example.com@b.org'],
  ['https://example.com:80@b.org'],
  ['example.com@b.org'],
  ['b.org/example.com'],
  ['b.org?example.com'],
  ['https://b.org\\@example.com'],
  ['https://b.org/https://example.com'],
  ['https://exаmple.com'],
  ['https://exa mple.com'],
  ['https://exa\tmple.com'],
  ['example .com'],
  ['example, com'],
  ['https://%2565xample.com'],
  ['https://example.com%00'],
  ['hxxp://example[.]com'],
];

describe('a link', () => {
  it.each(spellings.map((row) => [row[0], row] as const))('of example.com: %j', (_, [text, ...link]) => {
    expect(links('example.com', text)).toEqual(link);
  });

  it.each([
    ['hxxp://example[.]com/a.', 'hxxp://example[.]com/a'],
    ['hXXps[:]//example(.)com', 'hXXps[:]//example(.)com'],
    ['at example dot com now', 'example dot com'],
    ['example [dot] com', 'example [dot] com'],
    ['example{.}com', 'example{.}com'],
  ])('that is not to be followed: %s', (text, link) => {
    expect(links('example.com', text, true)).toEqual([link]);
    expect(links('example.com', text)).toEqual([]);
  });

  it.each([
    ['a scheme', 'see a://b', ['a://b']],
    ['no host', 'http:// file:///a http://) x://?a', []],
    ['www', 'www.a www. www..b wwww.a', ['www.a']],
    [
      'a top-level domain, also of other scripts',
      'a.zip b.中国 c.xn--fiqs8s d.py',
      ['a.zip', 'b.中国', 'c.xn--fiqs8s', 'd.py'],
    ],
    ['none', 'a.b e.g. 1.5 v1.2.3 a.txt com .com', []],
    ['a mail address', 'ann@example.com', ['ann@example.com']],
  ])('of any kind: %s', (_, text, found) => {
    expect(links('*', text)).toEqual(found);
  });
});

/**
 * Ways to write a host or a link so that a browser goes to the same place; each changes a part of
 * it.
 */
const disguises: Readonly<Record<string, (host: string, dice: (limit: number) => number) => string>> = {
  case: (host, dice) => [...host].map((sign) => (dice(2) && sign !== 'ß' ? sign.toUpperCase() : sign)).join(''),
  'full width': (host, dice) =>
    host.replace(/[a-z0-9]/g, (sign) => (dice(3) ? sign : String.fromCharCode(sign.charCodeAt(0) + 0xfee0))),
  escapes: (host, dice) => host.replace(/[a-z]/g, (sign) => (dice(4) ? sign : `%${sign.charCodeAt(0).toString(16)}`)),
  dots: (host, dice) => host.replaceAll('.', () => '.。．｡'[dice(4)]!),
  hidden: (host, dice) =>
    host.replace(/(?<=[a-z])[a-z]/g, (sign) => (dice(5) ? sign : `${'\u00ad\u200b\u2060'[dice(3)]}${sign}`)),
};

const hosts = [
  'example.com',
  'bücher.example',
  'xn--bcher-kva.example',
  '例え.テスト',
  'a-b.c.co.uk',
  'faß.de',
  '192.0.2.7',
  '[2001:db8::1]',
  'пример.рф',
];

describe('2,000 ways to write a link', () => {
  it('lead to the host that a browser goes to, and not to another', () => {
    let state = 43;
    const dice = (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const one = <T>(from: readonly T[]): T => from[dice(from.length)]!;
    const wrong: string[] = [];
    for (let count = 0; count < 2000; count++) {
      const host = one(hosts);
      let written = host;
      if (/^[a-z]/.test(host) && !host.startsWith('xn--'))
        for (const disguise of Object.values(disguises)) if (dice(3) === 0) written = disguise(written, dice);
      const below = host.startsWith('[') || /^\d/.test(host) ? '' : one(['', 'www.', 'a.b.', 'ｗｗｗ．']);
      const scheme = one(['http://', 'https://', 'HTTPS://', 'ftp://', 'https:\\\\', 'http:/', 'https:///']);
      const user = one(['', '', 'ann@', 'ann:pw@', 'evil.org@', 'evil.org:80@', 'a@b@', '%40@']);
      const link = `${scheme}${user}${below}${written}${one(['', ':80', ':8443'])}${one(['', '/', '/a/b.html', '?a=b', '#c', '/a_(b)', '\\a'])}`;
      const [before, behind] = one([
        ['', ''],
        ['see ', '.'],
        ['(', ')'],
        ['[a](', ')'],
        ['<', '>'],
        ['"', '"'],
        ['看', ''],
        ['', ', and'],
        ['**', '**'],
      ] as const);
      expect(new URL(link).hostname.endsWith(new URL(`ftp://${host}`).hostname), link).toBe(true);
      const text = before + link + behind;
      const [found] = links(host, text);
      if (found !== link || links('evil.org', text).length > 0) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });
});

describe('a term', () => {
  const terms: (readonly [string, string?])[] = [
    ['example.com', 'example.com'],
    [' EXAMPLE.com/ ', 'example.com'],
    ['example.com/A/b/', 'example.com/A/b'],
    ['example.com/%41/../b', 'example.com/b'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['com', 'com'],
    ['onion', 'onion'],
    ['127.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['*', '*'],
    ...[
      'word',
      'two words',
      '',
      'https://example.com',
      'ann@example.com',
      'example.com:80',
      'example.com?a',
      'example.com#a',
    ].map((term) => [term] as const),
    ...[
      '*.example.com',
      '.example.com',
      'example..com',
      'example.com/a,b',
      'example.com/a b',
      'exa,mple.com',
      '/a',
      '**',
      'xn--zz.com',
    ].map((term) => [term] as const),
  ];

  it.each(terms.map((row) => [row[0], row] as const))('%j', (_, [written, read]) => {
    expect([readLinkTerm(written), linkTerm(written)]).toEqual([read, read]);
  });

  it.each([
    ['https://example.com/a?b', 'example.com/a'],
    ['*.example.com', 'example.com'],
    ['.example.com:80/a', 'example.com/a'],
    ['ann@example.com', 'example.com'],
  ])('%j is not a domain, and %j was meant', (written, meant) => {
    expect(whyNotDomain(written)).toContain(`; write \`${meant}\``);
  });
});

describe('links beside words and patterns', () => {
  const conditions = [
    { operand: 'text', isKeywordsReferencePresent: true, value: ['sites', 'words'] },
    { operand: 'text', category: 'pattern', value: ['\\d{4}'] },
  ];
  const lists = [
    { id: 'sites', searchTerms: ['*', 'example.com'] },
    { id: 'words', searchTerms: ['spam'] },
  ];

  it.each([['words'], ['sites']])('are found in one scan, and %s alone', (listId) => {
    const [words, patterns] = conditions;
    const alone = {
      rules: [{ id: 'r', action: 'blockMessage', conditions: [{ ...words, value: [listId] }, patterns] }],
      lists,
    };
    const all = { rules: [{ id: 'r', action: 'blockMessage', conditions }], lists };
    const text = 'spam 2026 at www.example.com, example.org';
    const foundBy = (ruleSet: typeof all) => {
      const engine = createEngine(ruleSet as RuleSetInput, { words: { lists: { sites: 'links' } } });
      expect([engine.issues, engine.decide(text)]).toEqual([[], 'blockMessage']);
      return engine
        .explain(text)
        .matched[0]!.conditions.map(({ matches }) => matches.map((match) => match.kind !== 'score' && match.text));
    };
    expect(foundBy(all)).toEqual([['spam', 'www.example.com', 'www.example.com', 'example.org'], ['2026']]);
    const own = listId === 'words' ? ['spam'] : ['www.example.com', 'www.example.com', 'example.org'];
    expect(foundBy(alone as typeof all)).toEqual([own, ['2026']]);
  });
});

describe('the work', () => {
  const size = isFull ? 1 << 20 : 1 << 16;
  const long = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const units = [
    '.',
    'a.',
    '。',
    '谢。',
    '@',
    'a@',
    'a.com@',
    '%',
    '%2e',
    '[.]',
    'a[.]',
    ' dot ',
    ':',
    'a:',
    '://',
    'a://',
    'http://',
    'http://,',
    'www.',
    '-.',
    '(',
    ')',
    'a(.com',
    '看a.com',
    '😀a.',
    '1.2 ',
    'a.internal.',
    'a.internal/',
    'http://é.com ',
  ];
  const texts = [
    ...units.map(long),
    `http://${long('谢')}`,
    `http://${long('\u200b')}a.com`,
    `example.com${long('/a')}`,
    `example.com${long('/../(')}`,
  ];

  it.each(texts.map((text) => [text.slice(0, 20), text] as const))('is linear in the text: %j and on', (_, text) => {
    for (const isHardened of [false, true]) {
      const matcher = runAtOnce(
        createLinkMatcher(['*', 'example.com/a/b', 'a.internal', '1.2.3.4'], { isHardened, isExcepting: false }),
      );
      matcher.scan(text, () => {});
      expect(matcher.steps).toBeLessThan(80 * size);
    }
  });
});

const pieces = [
  ...[
    'http',
    'https',
    'HTTP',
    'hxxp',
    'ftp',
    'x',
    '://',
    ':',
    ':/',
    ':\\',
    '/',
    '//',
    '\\',
    '?',
    '#',
    '.',
    '.',
    '.',
    '..',
    '。',
    '．',
    '｡',
  ],
  ...[
    'com',
    'com',
    'COM',
    'net',
    'internal',
    'evil',
    'evil',
    'evil.com',
    'example.org',
    'www.',
    'ours',
    'a',
    'b',
    '1',
    '1.2.3.4',
    '0x1',
    ':80',
    '@',
    '@',
  ],
  ...[
    '看',
    '吧',
    '中国',
    '👉',
    '️',
    'é',
    'ｅ',
    '%65',
    '%2e',
    '%zz',
    'xn--',
    'xn--bcher-kva',
    'bücher',
    '-',
    '_',
    '~',
    '*',
    '!',
    '=',
    '&',
    '+',
    '$',
    ';',
    ',',
    '(',
    ')',
    '[',
    ']',
  ],
  ...[
    '[::1]',
    '{',
    "'",
    '"',
    '<',
    '>',
    '“',
    '…',
    ' ',
    ' ',
    '\n',
    '\t',
    '\u200b',
    '\u200e',
    '\u00ad',
    '\u200d',
    '[.]',
    '(.)',
    ' dot ',
    '[dot]',
    '[:]',
    '/a',
    '/a/b',
    '/%61',
    '/../',
    ',/../',
    '－',
    '\u2063',
    '\u3164',
    '₨',
    'You',
    '😀',
    '𝐞',
    '𠀀',
  ],
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''));
const terms = [
  '*',
  'evil.com',
  'com',
  'example.org/a',
  'evil.com/a/b',
  'bücher.com',
  '1.2.3.4',
  '[::1]',
  'evil.internal',
  'ours.evil.com',
  'xn--fiqs8s',
  'www.evil.com',
  'onion',
];

const labels = labelsOf(terms.map((term) => linkTerm(term)!));

describe('the oracle agrees', () => {
  it.each([false, true])('about links in any text, hardened: %s', (isHardened) => {
    fc.assert(
      fc.property(text, (written) => {
        const places = terms.flatMap((term) =>
          (isHardened ? defangedPlaces : linkPlaces)(linkTerm(term)!, written, labels).map(
            ([start, end]) => `${term} ${start} ${end}`,
          ),
        );
        expect(found(terms, written, isHardened)).toEqual(places.sort());
      }),
      { numRuns: runs(750, 75_000) },
    );
  });
});

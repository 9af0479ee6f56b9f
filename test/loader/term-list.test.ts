import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../src/foundation/errors.js';
import { fitsHead, parseTermList, printTermList } from '../../src/platform/loader/term-list.js';
import { runs } from '../support/runs.js';

const parse = (text: string) => parseTermList(text, 'lists/l.txt');
const print = (terms: readonly string[], old = '', comments?: Record<string, string>) =>
  printTermList({ head: {}, terms, comments }, old, 'lists/l.txt');

/** Any string of UTF-16 units, and those that a list could take for something else. */
const anyTerm = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom(...'ab #"\\\n\r\t\u00a0\ufeff\u2028', 'until', '<<<<<<< ', '======='), { maxLength: 6 })
    .map((parts) => parts.join('')),
);

const handWritten = `# name: Scam words
# category: word
# owner: trust team

# offers that nobody makes
#
free money   # ticket 12, until 2026-12-31

# ---- cars ----

buy now
# seen in March
# and again in May
"room #5"  # a quotation
c# lessons
"  blanks  "
room#6`;

describe('parseTermList', () => {
  it('reads head, terms, and comments above and behind', () => {
    const { head, terms, comments } = parse(handWritten);
    expect(head).toEqual({ name: 'Scam words', category: 'word', owner: 'trust team' });
    expect(terms).toEqual(['free money', 'buy now', 'room #5', 'c# lessons', '  blanks  ', 'room#6']);
    expect([...comments]).toEqual([
      ['free money', 'offers that nobody makes\nticket 12, until 2026-12-31'],
      ['room #5', 'seen in March\nand again in May\na quotation'],
    ]);
  });

  it('reads lines of Windows, a byte order mark, and nothing', () => {
    const { terms, comments, head } = parse('\ufeff# name: x\r\n\r\na # b\r\n\r\nc\r\n');
    expect([terms, [...comments], head]).toEqual([['a', 'c'], [['a', 'b']], { name: 'x' }]);
    expect(parse('').terms).toEqual([]);
  });

  it('names lines that look like terms and are comments', () => {
    const { terms, hashtags } = parse('# name: x\n#nsfw\n# nsfw\n#\n## part\n#two words\n"#c"\n#éa_1\n');
    expect([terms, hashtags]).toEqual([['#c'], ['line 2, `#nsfw`', 'line 8, `#éa_1`']]);
  });

  it.each([
    ['a\rb\rc\r', 1],
    ['# name: x\ra\rb', 1],
    ['a\n# why\rb\n', 2],
  ])('refuses carriage returns alone: %j', (text, line) => {
    expect(() => parse(text)).toThrow(ShapeError);
    expect(() => parse(text)).toThrow(`lists/l.txt:${line}: the whole line must not hold a carriage return alone`);
  });

  it.each(['<<<<<<< HEAD', '<<<<<<<', '=======', '>>>>>>> main', '||||||| 0123abc'])(
    'refuses what git left: %s',
    (marker) => {
      expect(() => parse(`a\n${marker}\nb\n`)).toThrow(
        'lists/l.txt:2: the whole line must not be left of a conflict of git',
      );
      expect(parse(print([marker])).terms).toEqual([marker]);
    },
  );

  it.each(['<<<<<<', '========', '======= x', '>>>>>>>x'])('takes for a term: %s', (term) => {
    expect(parse(`${term}\n`).terms).toEqual([term]);
  });

  it('takes a head at the top alone: below a blank line it is a comment', () => {
    expect(parse('\n# name: x\na').head).toEqual({});
    expect(parse('a\n# owner: x\nb')).toMatchObject({ head: {}, comments: new Map([['b', 'owner: x']]) });
  });

  it.each([
    ['a #b', 'must have a blank behind the `#`'],
    ['x\n\n"a', 'must be a term, or a whole term in quotation marks'],
    ['"a" b', 'must be a term, or a whole term in quotation marks'],
    ['"a\\x"', 'must be a term, or a whole term in quotation marks'],
  ])('refuses %j, which can be read in two ways, with its line and without its text', (text, words) => {
    expect(() => parse(text)).toThrow(ShapeError);
    expect(() => parse(text)).toThrow(words);
    expect(() => parse(text)).toThrow(`lists/l.txt:${text.split('\n').length}: `);
  });

  it('reads a line of a million escapes and signs in one pass', () => {
    const many = 200_000;
    expect(parse(`"${'\\\\'.repeat(many)}"`).terms[0]).toHaveLength(many);
    expect(parse('a#'.repeat(many)).terms[0]).toHaveLength(2 * many);
  });
});

describe('printTermList', () => {
  it('any terms survive, in their order and number', () => {
    fc.assert(
      fc.property(fc.array(anyTerm), (terms) => {
        expect(parse(print(terms)).terms).toEqual(terms);
      }),
      { numRuns: runs(150) },
    );
  });

  it('any terms survive over any list that was there, and what stays keeps its comment', () => {
    const line = fc.oneof(
      anyTerm.map((term) => print([term]).trimEnd()),
      fc.constantFrom('', '# a comment', '# name: x', 'a  # why', 'b', '"a"', '#', '# ---\n', '\r'),
    );
    const anyOld = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(
        anyOld,
        fc.array(anyTerm, { maxLength: 4 }),
        fc.array(fc.nat(20), { maxLength: 8 }),
        (old, more, picked) => {
          const before = parse(old);
          const terms = [...picked.flatMap((index) => before.terms[index] ?? []), ...more];
          const after = parse(print(terms, old));
          expect(after.terms).toEqual(terms);
          expect(after.head).toEqual(before.head.owner === undefined ? {} : { owner: before.head.owner });
          for (const [term, comment] of before.comments) {
            // Of a term that stands there several times, each keeps its own.
            const times = before.terms.filter((other) => other === term).length;
            if (terms.filter((other) => other === term).length >= times)
              expect(after.comments.get(term)?.split('\n').sort()).toEqual(comment.split('\n').sort());
          }
        },
      ),
      { numRuns: runs(250) },
    );
  });

  it('changes nothing of a list whose terms stay, but for the head and a last line that did not end', () => {
    const { terms, head } = parse(handWritten);
    expect(printTermList({ head, terms, comments: undefined }, handWritten, '')).toBe(`${handWritten}\n`);
    expect(printTermList({ head: { name: 'Scams' }, terms, comments: undefined }, handWritten, '')).toBe(
      `${handWritten}\n`.replace('Scam words', 'Scams').replace('# category: word\n', ''),
    );
  });

  it('takes a term away with all that is above it, and keeps the rest to the letter', () => {
    const text = '# one\na  # why\n\n# ---- more ----\n\nb\n\n# two\n"c"\n# the end\n';
    expect(print(['c', 'a', 'new'], text)).toBe('\n# two\n"c"\n# one\na  # why\nnew\n# the end\n');
    expect(print(['a', 'b', 'c'], text)).toBe(text);
  });

  it('writes comments that it is given: one line behind, several above', () => {
    const text = print(['a', 'b', '# c'], '', { a: 'one', b: 'one\ntwo', '# c': '#5 in the list' });
    expect(text).toBe('a  # one\n# one\n# two\nb\n"# c"  # #5 in the list\n');
    expect([...parse(text).comments.values()]).toEqual(['one', 'one\ntwo', '#5 in the list']);
    expect(print(['a', 'b'], 'a # old\n# stays\nb\n', { a: 'new' })).toBe('a  # new\n# stays\nb\n');
    expect(print(['a'], '', { a: 'name: x\nmore' })).toBe('\n# name: x\n# more\na\n');
  });

  it('knows what the head can hold', () => {
    fc.assert(
      fc.property(anyTerm, (value) => {
        if (!fitsHead(value)) return;
        expect(parse(printTermList({ head: { name: value }, terms: ['a'], comments: undefined }, '', '')).head).toEqual(
          { name: value },
        );
      }),
      { numRuns: runs(150) },
    );
    expect(['', ' a', 'a\nb', '\ud800', 5, undefined].filter(fitsHead)).toEqual([]);
  });
});

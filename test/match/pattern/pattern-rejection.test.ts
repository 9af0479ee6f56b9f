import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2wasm } from '../../../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../../../src/engine/match/patterns/re2js.js';
import { explainRejection } from '../../../src/engine/match/patterns/rejection.js';
import { translatePattern } from '../../../src/engine/match/patterns/translate.js';
import { createEngine, type Rule } from '../../../src/index.js';
import { runs } from '../../support/runs.js';

/** Why both engines reject a pattern; undefined when they take it. They have to agree. */
function reasonFor(pattern: string): string | undefined {
  const [ours, theirs] = [re2js, re2wasm].map((engine) => {
    const set = engine.compile([{ source: translatePattern(pattern), insensitive: false, whole: false }]);
    set.close();
    return set.rejected[0]?.reason;
  });
  expect(ours).toBe(theirs);
  return ours;
}

const behind = 'look-behind `(?<=…)` is not part of RE2; match the text before as well, or use two conditions';
const ahead = 'look-ahead `(?=…)` is not part of RE2; match the text behind as well, or use two conditions';

describe('reasons of rejected patterns', () => {
  it.each([
    ['(?<=@)admin', behind],
    ['(?<!\\w)ass', /^look-behind `\(\?<!…\)` is not part of RE2; match what may stand before, .* or a word edge/],
    ['buy(?= now)', ahead],
    ['ass(?!ist)', /^look-ahead `\(\?!…\)` is not part of RE2; match what may follow, .* or a word edge/],
    ['(?>a+)b', 'atomic group `(?>…)` is not part of RE2; write `(?:…)`: nothing is ever tried twice'],
    ['[a-z]++@', 'possessive repeat `++` is not part of RE2; write `+`: nothing is ever tried twice'],
    ['a{2,3}+', 'possessive repeat `{2,3}+` is not part of RE2; write `{2,3}`: nothing is ever tried twice'],
    ['(.)\\1{3,}', 'back reference `\\1` is not part of RE2; write out what may come again'],
    ['(?<n>a)\\k<n>', 'back reference `\\k` is not part of RE2; write out what may come again'],
    ['(?P<n>a)(?P=n)', 'back reference `(?P=n)` is not part of RE2; write out what may come again'],
    ['\\g{1}', /^`\\g`, a back reference or recursion, is not part of RE2/],
    ['\\((?R)?\\)', /^recursion `\(\?R\)` is not part of RE2; write the part out as deep/],
    ['(?1)', /^recursion `\(\?1\)`/],
    ['(?&name)', /^recursion `\(\?&name\)`/],
    ['(a)?(?(1)b|c)', 'conditional group `(?(…)…)` is not part of RE2; write its cases as alternatives'],
    ['a\\Z', 'escape `\\Z` is not part of RE2; write `\\z`, or `\\n?\\z` before a last line end'],
    ['\\Ga', 'escape `\\G` is not part of RE2; leave it out'],
    ['a\\h+b', 'escape `\\h` is not part of RE2; write `[ \\t]`'],
    ['[\\h-]', '`\\h` in a character class is not part of RE2; write a space and `\\t`'],
    ['\\i', 'escape `\\i` is not part of RE2'],
    ['\\é', 'escape `\\é` is not part of RE2; write the character without `\\`'],
    ['[\\b]', '`\\b` in a character class is not part of RE2; write `\\x08` for a backspace'],
    ['\\d[a-\\d]', '`\\d` cannot end a range; write `\\-` for a hyphen in a class'],
    ['[\\12\\1]', /^`\\1` in a character class is not part of RE2; write `\\x`/],
    ['\\u12', /^`\\u` takes four hexadecimal digits/],
    ['\\x{110000}', /^`\\x\{110000` is not a character; /],
    ['(?#comment)a', 'comment `(?#…)` is not part of RE2; leave it out'],
    ['(?x) a b', /^flag `x` is not part of RE2; leave white space/],
    ['(?u)a', 'flag `u` is not part of RE2; there are `i`, `m`, `s` and `U`'],
    ['(?|a|b)', /^branch reset `\(\?\|…\)` is not part of RE2; write `\(\?:…\)`/],
    ["(?'n'a)", /^group name in quotes .* write `\(\?<…>…\)`$/],
    ['(?<a-b>c)', 'the name of a group, `(?<…>`, has letters of ASCII, digits and `_` only'],
    ['(*UTF8)a', 'verb `(*UTF8)` is not part of RE2; leave it out'],
    ['(?{code})', /^code in a pattern, `\(\?\{…\)`, is not part of RE2/],
    ['[a--b]', /^difference of character classes, `--`, is not part of RE2; write the characters out/],
    ['[z-a]', '`z-a` in a character class ends before it begins; write `\\-` for a hyphen'],
    ['[[:letters:]]', /^`\[:letters:\]` is not a class of RE2; there are `\[:alpha:\]`/],
    ['\\p{Script=Greek}', /^`\\p\{Script=Greek\}` is not a property of this engine; there are .* `\\p\{Greek\}`$/],
    ['\\p{L', /^what follows `\\p` is not a property/],
    ['a**', '`**` repeats a repeat; put what is repeated into a group, `(?:…)`'],
    ['a{1001}', '`{1001}` repeats too often; 1000 times at most, repeats within repeats multiplied'],
    ['a{3,2}', '`{3,2}` has the larger number first'],
    ['*bold*', '`*` repeats nothing; write `\\*` for the character itself'],
    ['(a', 'missing closing ) of a group'],
    ['[a', 'missing closing ] of a character class'],
    ['a)', 'unexpected ) that closes no group; write `\\)` for the character itself'],
    ['(?', 'the pattern ends within `(?`; write `\\(` for the character itself'],
    ['a\\', 'the `\\` at the end escapes nothing; write `\\\\` for the character itself'],
  ])('explain `%s`, the same for both engines', (pattern, expected) => {
    expect(reasonFor(pattern)).toMatch(typeof expected === 'string' ? new RegExp(`^${escaped(expected)}$`) : expected);
  });

  it.each([
    ['\\(?<=b(?=c)', ahead],
    ['[(?=](?<=x)', behind],
    ['[]](?<=)](?=x)', behind],
    ['[^](?=](?<=x)', behind],
    ['[[:alpha:](?=](?<=x)', behind],
    ['[\\](?=](?<=x)', behind],
    ['\\[(?<=x)[(?=]', behind],
    ['\\\\(?=x)', ahead],
    ['\\Q(?<=\\E(?=x)', ahead],
    ['(?i:a)(?<name>b)(?-s:c)(?=x)', ahead],
    [`(?<${'n'.repeat(100)}>a)(?=x)`, ahead],
  ])('skip escapes, classes and known groups: `%s`', (pattern, expected) => {
    expect(reasonFor(pattern)).toBe(expected);
  });

  it('are given only for patterns that engines reject', () => {
    for (const pattern of ['\\(?<=b', '[(?<=]', '[a&&b]', '\\Q(?=\\E', '(?<n>a)', '(?i)a', 'a{,5}', '\\<'])
      expect(reasonFor(pattern)).toBeUndefined();
  });

  it('are in the issue, without the pattern', () => {
    const condition = { id: 1, operand: 'text', category: 'pattern', value: ['secret(?<=x)'] };
    const rules = [{ id: 'r', action: ['blockMessage'], conditions: [condition] }] as unknown as Rule[];
    const { issues } = createEngine({ rules, lists: [] });
    expect(issues.map(({ detail }) => detail)).toEqual([`pattern was rejected: ${behind}`]);
  });

  const piece = fc.constantFrom(
    ...['(?', '(?<', '(', ')', '[', ']', '^', '\\', '<=', '=', '!', '*', '+', '{2}', 'a', '-', 'P', 'k', '1', 'Z', ':'],
    ...['i', '|', '>', '😀', '\n', '`', '[:alpha:]'],
  );

  it('are one line, the same for both engines', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const reason = reasonFor(pieces.join(''));
        if (reason !== undefined) expect(reason).toMatch(/^[^\nA-Z][^\n]{4,199}$/);
      }),
      { numRuns: runs(300) },
    );
  });

  it('are the message of the engine for unknown faults, cut to the limit', () => {
    expect(explainRejection('a', 'error parsing regexp: some\nnew fault')).toBe('some new fault');
    expect(explainRejection('a', 'x'.repeat(1000))).toHaveLength(200);
  });
});

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

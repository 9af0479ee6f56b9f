/**
 * Nothing that a rule set holds makes its compilation throw, and one bad condition never costs the
 * others.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRuleSet } from '../../src/engine/compile/compile-rule-set.js';
import { defaultSemantics } from '../../src/engine/semantics.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { createEngine, type Rule } from '../../src/index.js';

/**
 * Patterns of JavaScript, Python, PCRE, Java, .NET, Ruby, Rust, POSIX, GNU and ICU, each with what
 * it has of its own.
 */
const dialects = [
  ...['(?!(class))\\bass', '(?<!\\w)spam(?=\\W|$)', '(?<name>a)\\k<name>', '(?P<n>a)(?P=n)', "(?'n'a)", '(?>a+)b'],
  ...['[\\U0001F600-\\U0001F64F]', '\\ud83d[\\ude00-\\ude4f]', '\\u{1F600}', '\\N{DIGIT ONE}', '\\x{1F600}'],
  ...['\\cA\\Cb'],
  ...['\\b{start}a\\b{end}', '[a-z&&[^x]]', '[\\p{L}--[a-z]]', '[[a-z]~~[aeiou]]', 'a{,2}', 'a{ 1, 2 }', '\\<spam\\>'],
  ...['[[:<:]]spam[[:>:]]', '[[:alpha:][:^digit:]]', '\\mspam\\M', '\\yspam\\y', '(?i:free)\\s+money', '(?x) a # b'],
  ...['a++b*+c?+', '(?R)', '(?1)(a)', '\\g{1}', '(?(1)a|b)', '(?#note)', '(*UCP)a', '\\Q(a+\\E+'],
  ...['\\R\\X\\h\\K', '(?|a|b)'],
  ...['^(a|b)*?$', '((?:x|y){2,5})+', '\\d{10,}', '[^\\]\\[]', '[]a]', '(дурак|кот)\\b', '\\bкот\\b|[а-я]+\\b'],
  ...['/darn/gi'],
];
const pieces = [
  ...['(', ')', '(?', '(?!', '(?:', '[', ']', '[^', '{', '}', '{,', '|', '\\', '\\b', '\\u', '\\U', '?', '*'],
  ...['&&', '--', '\u{1f600}', 'é', ''],
];

/**
 * A pattern of a dialect, cut, doubled, or with a piece of another one or of syntax put in at
 * random places.
 */
const mutated = fc
  .tuple(
    fc.constantFrom(...dialects),
    fc.array(fc.tuple(fc.nat(40), fc.nat(3), fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(...dialects))), {
      maxLength: 4,
    }),
  )
  .map(([pattern, changes]) =>
    changes.reduce((text, [at, cut, piece]) => text.slice(0, at) + piece + text.slice(at + cut), pattern),
  );

const ruleOf = (id: string, ...values: readonly string[]): Rule => ({
  id,
  action: ['blockMessage'],
  conditions: [{ operand: 'text', category: 'pattern', value: values }],
});

describe('patterns of every dialect, mutated', () => {
  it('compile or are issues of their own conditions, and the rule beside them decides', () => {
    const runs = process.env.SLUICE_FULL === '1' ? 2000 : 60;
    fc.assert(
      fc.property(fc.array(mutated, { minLength: 50, maxLength: 50 }), (patterns) => {
        const rules = [ruleOf('good', 'zzgood'), ...patterns.map((pattern, index) => ruleOf(`${index}`, pattern))];
        const engine = createEngine({ rules, lists: [] });
        expect(engine.issues.map(({ code }) => code)).not.toContain('engine-fault');
        expect(engine.explain('zzgood').matched.map(({ ruleId }) => ruleId)).toContain('good');
      }),
      { numRuns: runs },
    );
  });
});

describe('whatever the compilation of a condition throws', () => {
  const broken = {
    operand: 'text',
    get value(): never {
      throw new RangeError('too deep');
    },
  };
  const rule = { id: 'r', action: ['blockMessage'], conditions: [{ value: ['darn'], operand: 'text' }, broken] };
  const parts = { rules: [rule], lists: [], missing: new Map<string, string>() };

  it('is the issue of that condition alone', () => {
    const { issues, conditions, words } = runAtOnce(compileRuleSet(parts, defaultSemantics));
    const detail = 'could not be compiled: too deep';
    expect(issues).toEqual([{ code: 'engine-fault', severity: 'error', ruleId: 'r', conditionId: 2, detail }]);
    expect(conditions.map(({ compileError }) => compileError)).toEqual([undefined, detail]);
    expect(words.count).toBe(1);
  });
});
